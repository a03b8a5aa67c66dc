"""The index: where in which file each capture lies.

Comes in: a `StoredFile` for each file that storage has accepted. Goes out: look-ups by address and time,
exports that other tools read, rows for analysis, and the digests by which the next harvest knows what it has
already.
It must never be the only place where something is kept: all of it can be made again from the files.
"""
