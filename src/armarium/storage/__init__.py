"""Storage: every sealed file in several places, checked for ever.

Comes in: sealed W/ARC files, from collectors and from outside. Goes out: files, stretches of them and single
records, from whichever replica is well; a `StoredFile` for each that all replicas have accepted.
It must never call a file stored before every replica has read it back, overwrite or destroy a copy, or decide
by itself where the votes are even.
"""
