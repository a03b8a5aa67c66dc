"""WACZ 1.1 (and the drafts around it): a ZIP with W/ARC files, their index, pages, and a list of digests.

Comes in: a binary file object that can seek, or pieces to write.
Goes out: the files inside, each to be read where it lies; what does not agree with the list; a package.
It must never use a name from inside as a path, and never inflate what somebody only says is small.
"""
