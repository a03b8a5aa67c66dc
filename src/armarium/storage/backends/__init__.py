"""Places where copies lie: a folder, an S3 bucket, or checksums alone.

Layout of a replica: `armarium-replica.json` says whose it is; `files/<hh>/<name>` are the copies (`hh`: the
first two hexadecimal digits of the SHA-256 of the name), `sums/<hh>/<name>.json` the notes of a checksum
replica, `aside/` what was found bad, `incoming/` what is not finished. A name is given once, when all bytes
are there and durable, and is never given to other bytes.
"""
