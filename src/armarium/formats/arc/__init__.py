"""ARC files (versions 1.0, 1.1 and 2.0), the format of web archives before WARC: reading only.

Comes in: the stream of a file that `formats.warc.reader` found to be ARC.
Goes out: records with the same accessors as WARC records, as far as ARC knows the values.
It must never take a part of a URL for another field.
"""
