"""What can be wrong with zstd frames, as problems with stable codes."""

from armarium.formats.problem import Catalogue, Kind, Severity

_COPY = "Restore the file from another copy."

DAMAGE = Catalogue(
    {
        "zstd-truncated": Kind(
            Severity.ERROR,
            "The file ends inside the zstd frame that begins at byte {frame}.",
            "RFC 8878 section 3.1",
            "Writing or transfer was cut. Fetch the file again, or cut it at the end of the "
            "last whole record.",
        ),
        "zstd-invalid": Kind(
            Severity.ERROR,
            "The zstd frame at byte {frame} is damaged: {reason}.",
            "RFC 8878 section 3.1",
            _COPY,
        ),
        "zstd-checksum-mismatch": Kind(
            Severity.ERROR,
            "The checksum of the zstd frame at byte {frame} does not match its data.",
            "RFC 8878 section 3.1.1",
            "The data changed after they were written. Restore the file from another copy.",
        ),
        "zstd-dictionary-invalid": Kind(
            Severity.ERROR,
            "The dictionary at byte {frame} cannot be used: {reason}.",
            "Zstandard compression of WARC files 1.0",
            _COPY,
        ),
        "zstd-trailing-data": Kind(
            Severity.ERROR,
            "{count} bytes behind the last zstd frame are no zstd frame.",
            "RFC 8878 section 3",
            "Compare with another copy; if the bytes mean nothing, cut them off.",
        ),
        "zstd-lost-range": Kind(
            Severity.ERROR,
            "{count} bytes could not be read: from byte {begin} to the next zstd frame at byte {end}.",
            "RFC 8878 section 3",
            _COPY,
        ),
    }
)
