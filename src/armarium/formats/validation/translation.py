"""The reader's words for damage, under the codes of the table.

The reader says "record-truncated" of WARC and ARC alike; a report tells the two formats apart, so that each
finding has the clause of its own standard.
"""

# The reader's code → the code for a WARC file, the code for an ARC file.
CODES = {
    "archive-empty": ("warc-empty-file", "arc-empty-file"),
    "archive-unknown-compression": ("warc-format-unknown", "warc-format-unknown"),
    "archive-byte-order-mark": ("warc-byte-order-mark", "arc-data-before"),
    "archive-garbage": ("warc-data-before", "arc-data-before"),
    "archive-blank-lines": ("warc-empty-lines-before", "arc-empty-lines-before"),
    "archive-compression-changes": ("warc-compression-changes", "warc-compression-changes"),
    "record-truncated": ("warc-block-truncated", "arc-block-truncated"),
    "record-header-truncated": ("warc-header-truncated", "arc-header-truncated"),
    "record-header-too-long": ("warc-header-too-long", "arc-header-truncated"),
    "record-length-too-large": ("warc-length-too-large", "arc-length-too-large"),
    "record-length-too-small": ("warc-length-too-small", "arc-length-too-small"),
    "record-separator-wrong": ("warc-trailer", "arc-trailer"),
    "record-header-line-feed": ("warc-line-end", "arc-line-end"),
    "record-header-double-cr": ("warc-line-stray-cr", "arc-line-end"),
    "record-over-several-members": ("gzip-record-over-members", "gzip-record-over-members"),
    "arc-separator-wrong": ("arc-trailer", "arc-trailer"),
    "problems-too-many": ("warc-problems-too-many", "warc-problems-too-many"),
}
# What is judged here more closely, by the header or the file as a whole.
COVERED = frozenset(
    {
        "archive-not-record-at-a-time",
        "record-length-missing",
        "record-length-invalid",
        "record-header-malformed-line",
        "record-uri-in-brackets",
        "record-version-unknown",
        "arc-url-with-space",
    }
)


def translated(code: str, *, arc: bool) -> str | None:
    """The code of the table; None for what another check says."""
    if code in COVERED:
        return None
    return CODES.get(code, (code, code))[arc]
