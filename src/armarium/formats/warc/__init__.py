"""WARC files (ISO 28500, versions 0.17 to 1.1): reading as found, writing as the standard says.

Comes in: a binary file object, or records to write.
Goes out: records with their place in the file, and what is wrong with them.
It must never hold a block in memory as a whole, and never hide damage: what cannot be read is named.
"""
