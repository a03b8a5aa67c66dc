"""What can be wrong with gzip members, as problems with stable codes."""

from armarium.formats.problem import Catalogue, Kind, Severity

_COPY = "Restore the file from another copy."
_CHANGED = "The data changed after they were written. Restore the file from another copy."

DAMAGE = Catalogue(
    {
        "gzip-truncated": Kind(
            Severity.ERROR,
            "The file ends inside the gzip member that begins at byte {member}.",
            "RFC 1952 section 2.3",
            "Writing or transfer was cut. Fetch the file again, or cut it at the end of the "
            "last whole record.",
        ),
        "gzip-deflate-invalid": Kind(
            Severity.ERROR,
            "The deflated data of the gzip member at byte {member} are damaged: {reason}.",
            "RFC 1951",
            _COPY,
        ),
        "gzip-crc32-mismatch": Kind(
            Severity.ERROR,
            "The gzip member at byte {member} says CRC-32 {stored:08x}; its data have {computed:08x}.",
            "RFC 1952 section 2.3.1",
            _CHANGED,
        ),
        "gzip-isize-mismatch": Kind(
            Severity.ERROR,
            "The gzip member at byte {member} says that it holds {stored} bytes modulo 2^32; it "
            "holds {computed}.",
            "RFC 1952 section 2.3.1",
            _CHANGED,
        ),
        "gzip-trailing-data": Kind(
            Severity.ERROR,
            "{count} bytes behind the last gzip member are no gzip member.",
            "RFC 1952 section 2.2",
            "Compare with another copy; if the bytes mean nothing, cut them off.",
        ),
        "gzip-trailing-zeros": Kind(
            Severity.WARNING,
            "{count} zero bytes stand behind the last gzip member.",
            "RFC 1952 section 2.2",
            "Some tapes and tools pad files. Cut the zeros off.",
        ),
        "gzip-lost-range": Kind(
            Severity.ERROR,
            "{count} bytes could not be read: from byte {begin} to the next gzip member at byte {end}.",
            "RFC 1952 section 2.2",
            _COPY,
        ),
        "gzip-search-ended": Kind(
            Severity.ERROR,
            "The search for the next gzip member ended at byte {begin}: too much before it only looked like "
            "one. What follows was not read.",
            "RFC 1952 section 2.2",
            "The file was made to waste time, or is no archive from here on. Compare with another copy.",
        ),
        "gzip-member-empty": Kind(
            Severity.WARNING,
            "The gzip member at byte {begin} holds nothing.",
            "WARC 1.1 annex D.2",
            "Readers pass over it. Compress the file again, one member for each record.",
        ),
    }
)
