"""Two captures of an address beside each other, and what changed in their text.

Comes in: an address and two moments, as one reader asks for them. Goes out: a page of the readers' origin,
with two frames of the content's.

It shows nothing that replay would not: each capture is decided about, and opened, by the same ways.
"""
