"""The formats of a web archive: URLs, HTTP, gzip, zstd, WARC, ARC, CDX, robots.txt, and the checks on them.

Comes in: bytes, values, and binary file objects that somebody else opened.
Goes out: records, values, lines, findings.
It must never open a path or a socket, ask the time, or know of a room, a setting or a database.
"""
