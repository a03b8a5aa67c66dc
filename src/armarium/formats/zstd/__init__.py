"""Zstandard frames (RFC 8878) as .warc.zst files have them, one at a time and with exact offsets.

Comes in: a `Source`.
Goes out: frames with their decoded bytes, and what is wrong with them.
It must never let a frame ask for more memory than the bounds here, nor lose count of the bytes of the file.
"""
