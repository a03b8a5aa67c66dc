"""Records as they stand in the files, and what collections there are, for programs.

Comes in: an address and a moment.
Goes out: the bytes of one record, as a file of its own.
It must never give out a record where downloads are not allowed.
"""
