"""gzip members (RFC 1952), one at a time and with exact offsets.

Comes in: a `Source`.
Goes out: members with their header, their decoded bytes, and what is wrong with them.
It must never hold a member in memory as a whole, nor lose count of the bytes of the file.
"""
