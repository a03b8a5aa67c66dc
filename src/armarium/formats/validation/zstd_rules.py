"""The rules of zstd as WARC files use it (WARC compression with Zstandard, 2021, and RFC 8878)."""

from armarium.formats.problem import Severity
from armarium.formats.validation.rule import Rule, rows

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
DAMAGED = "Get the file from another copy; what stands before the damage can still be read."

ZSTD_RULES = rows(
    Rule(
        "zstd-truncated",
        ERROR,
        "RFC 8878, 3.1.1",
        "The file ends inside a zstd frame.",
        "The transfer or the writer was interrupted: get the file again, or cut it at the last whole record.",
    ),
    Rule("zstd-invalid", ERROR, "RFC 8878, 3.1.1", "The zstd frame is damaged: %(reason)s.", DAMAGED),
    Rule(
        "zstd-checksum-mismatch",
        ERROR,
        "RFC 8878, 3.1.1",
        "The checksum of the zstd frame does not match its data.",
        DAMAGED,
    ),
    Rule(
        "zstd-lost-range",
        ERROR,
        "RFC 8878, 3.1",
        "Bytes of the file could not be read as a zstd frame and were passed over.",
        DAMAGED,
    ),
    Rule(
        "zstd-trailing-data",
        ERROR,
        "RFC 8878, 3.1",
        "Behind the last frame stand bytes that are no zstd frame.",
        "Cut the file at this offset, if a copy does not have more records there.",
    ),
    Rule(
        "zstd-dictionary-invalid",
        ERROR,
        "WARC zstd, 4",
        "The dictionary at the head of the file cannot be used: %(reason)s.",
        "Without its dictionary the file cannot be read: get it from another copy.",
    ),
    Rule(
        "zstd-no-checksum",
        WARNING,
        "WARC zstd, 3",
        "The frame has no checksum.",
        "Damage to the frame would stay unnoticed. Recompress with checksums.",
    ),
    Rule(
        "zstd-no-size",
        WARNING,
        "WARC zstd, 3",
        "The frame does not say the size of its content.",
        "Recompress with the content size in each frame.",
    ),
    Rule(
        "zstd-not-per-record",
        ERROR,
        "WARC zstd, 3",
        "%(shared)s of %(records)s records do not begin a zstd frame of their own (frames: %(members)s).",
        "Such records cannot be read by their offset. Recompress the file, one frame per record.",
    ),
)
