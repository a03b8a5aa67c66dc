"""What can be wrong with the structure of WARC and ARC files, as problems with stable codes."""

from armarium.formats.problem import Catalogue, Kind, Severity

_RECORD = "WARC 1.1 clause 4"
_WRITER = (
    "The program that wrote the file counted wrongly. Write the record anew, or keep the "
    "file and this finding."
)

DAMAGE = Catalogue(
    {
        "archive-empty": Kind(
            Severity.ERROR, "The file holds no record.", _RECORD, "Check that this is the file you meant."
        ),
        "archive-unknown-compression": Kind(
            Severity.ERROR,
            "The file is compressed with {name}, which no standard for WARC or ARC files allows.",
            "WARC 1.1 annex D",
            "Decompress it, and compress it again with gzip, one member for each record.",
        ),
        "archive-byte-order-mark": Kind(
            Severity.ERROR,
            "A byte order mark stands before the record.",
            _RECORD,
            "Remove the first three bytes.",
        ),
        "archive-garbage": Kind(
            Severity.ERROR,
            "{count} bytes belong to no record.",
            _RECORD,
            "A wrong length of the record before, lost bytes, or text that was put in. Compare "
            "with another copy.",
        ),
        "archive-blank-lines": Kind(
            Severity.ERROR, "{count} bytes of empty lines stand before the record.", _RECORD, "Remove them."
        ),
        "archive-not-record-at-a-time": Kind(
            Severity.ERROR,
            "{shared} of {records} records do not begin a compressed member of their own.",
            "WARC 1.1 annex D.2",
            "Such records cannot be read by their offset. Compress the file again, one member "
            "for each record.",
        ),
        "archive-compression-changes": Kind(
            Severity.WARNING,
            "From here on the file is {after}; before, it was {before}.",
            "WARC 1.1 annex D",
            "Files of different kinds were joined; other readers stop here. Split the file at this byte, or "
            "compress all of it in one way.",
        ),
        "record-truncated": Kind(
            Severity.ERROR,
            "The block should have {expected} bytes; {actual} are there.",
            _RECORD,
            "Writing or transfer was cut, or the length is wrong. Compare with another copy.",
        ),
        "record-header-truncated": Kind(
            Severity.ERROR,
            "The header of the record has no end.",
            _RECORD,
            "Writing or transfer was cut. Compare with another copy.",
        ),
        "record-header-too-long": Kind(
            Severity.ERROR,
            "The header of the record is longer than {limit} bytes; it was passed over.",
            _RECORD,
            "This is hardly a record. Compare with another copy.",
        ),
        "record-length-missing": Kind(
            Severity.ERROR, "The record has no Content-Length.", "WARC 1.1 clause 5.3", _WRITER
        ),
        "record-length-invalid": Kind(
            Severity.ERROR, "{value!r} is no length in bytes.", "WARC 1.1 clause 5.3", _WRITER
        ),
        "record-length-too-large": Kind(
            Severity.ERROR,
            "The record says {expected} bytes, but the next record begins after {actual}.",
            "WARC 1.1 clause 5.3",
            _WRITER,
        ),
        "record-length-too-small": Kind(
            Severity.ERROR,
            "The record says {expected} bytes, but {extra} more follow before the next record.",
            "WARC 1.1 clause 5.3",
            _WRITER,
        ),
        "record-separator-wrong": Kind(
            Severity.ERROR,
            "The block is followed by {found!r}; {expected!r} should stand there.",
            _RECORD,
            "Readers cope with it; a strict one will not.",
        ),
        "record-header-line-feed": Kind(
            Severity.ERROR,
            "The header's lines end in LF instead of CRLF.",
            _RECORD,
            "A text tool changed the line ends; lengths and digests may be wrong too. Compare "
            "with another copy.",
        ),
        "record-header-double-cr": Kind(
            Severity.WARNING,
            "Lines of the header end in CR CR LF instead of CRLF.",
            _RECORD,
            "A text tool made CRLF of the LF in CRLF; lengths and digests may be wrong too. Compare with "
            "another copy.",
        ),
        "record-over-several-members": Kind(
            Severity.WARNING,
            "The record lies in more than one compressed member.",
            "WARC 1.1 annex D.2",
            "Compress the file again, one member for each record.",
        ),
        "record-version-unknown": Kind(
            Severity.WARNING,
            "The version {version!r} is unknown; the record is read as WARC 1.1.",
            _RECORD,
            "Check the program that wrote the file.",
        ),
        "arc-version-block-missing": Kind(
            Severity.ERROR,
            "The file does not begin with a version block (filedesc:).",
            "ARC file format",
            "The beginning of the file is lost, or it was cut out of another one.",
        ),
        "arc-version-block-length": Kind(
            Severity.NOTE,
            "The version block says {expected} bytes; it has {actual}.",
            "ARC file format",
            "Programs count this length in different ways; nothing is lost.",
        ),
        "arc-separator-wrong": Kind(
            Severity.NOTE,
            "The block is followed by {found!r}; one line feed should stand there.",
            "ARC file format",
            "Readers cope with it.",
        ),
        "arc-url-with-space": Kind(
            Severity.WARNING,
            "The URL holds a space; the fields were counted from the right.",
            "ARC file format",
            "Other readers may take a part of the URL for another field.",
        ),
        "problems-too-many": Kind(
            Severity.ERROR,
            "More problems follow; they are not listed.",
            "",
            "Restore the file from another copy.",
        ),
    }
)
