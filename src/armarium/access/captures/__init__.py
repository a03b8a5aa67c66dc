"""Captures as one reader may know them: lines of the index through `View`, and lists of them as answers.

Comes in: a part of the index, and who asks.
Goes out: captures in order, one after the other, and as lines that are sent piece by piece.
It must never tell, or let anybody count, a capture that the reader may not know.
"""
