"""Sound, film and printed matter of the small web, written from scratch.

Comes in: a score, the words of a paper, the scene of a film. Goes out: WAV, PDF, MP4.
It must never need a library: what the standards ask of such small files is little.
"""
