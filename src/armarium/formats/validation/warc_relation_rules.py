"""The rules of how WARC records hang together: unique ids, references, captures, segments."""

from armarium.formats.problem import Severity
from armarium.formats.validation.rule import Jwat, Rule, rows

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
WRITER = "Report it to the makers of the software that wrote the file."
OTHER_FILE = "Expected where the other record is in another file; validate with an index to be sure."

WARC_RELATION_RULES = rows(
    Rule(
        "warc-id-repeated",
        ERROR,
        "ISO 28500:2017, 5.2",
        "WARC-Record-ID %(value)s is already that of another record of the file.",
        "References to it are ambiguous. Was a file appended twice?",
    ),
    Rule(
        "warc-id-in-archive",
        ERROR,
        "ISO 28500:2017, 5.2",
        "WARC-Record-ID %(value)s is already that of a record in another file.",
        "Is one of the two files a copy of the other?",
    ),
    Rule(
        "warc-relations-not-checked",
        NOTE,
        "ISO 28500:2017, 5.2",
        "From here on, records are no longer compared with each other: there are more than %(limit)s.",
        "All other checks were made.",
    ),
    Rule(
        "warc-concurrent-to-dangling",
        WARNING,
        "ISO 28500:2017, 5.7",
        "WARC-Concurrent-To %(value)s is no record of this file.",
        OTHER_FILE,
    ),
    Rule(
        "warc-warcinfo-id-dangling",
        WARNING,
        "ISO 28500:2017, 5.16",
        "WARC-Warcinfo-ID %(value)s is no warcinfo record of this file.",
        OTHER_FILE,
    ),
    Rule(
        "warc-refers-to-dangling",
        NOTE,
        "ISO 28500:2017, 5.11",
        "WARC-Refers-To %(value)s is no record of this file.",
        OTHER_FILE,
    ),
    Rule(
        "warc-refers-to-absent",
        ERROR,
        "ISO 28500:2017, 5.11",
        "The original %(value)s is in no file of the archive.",
        "The content of this capture is lost, unless it is found elsewhere.",
    ),
    Rule(
        "warc-refers-to-differs",
        ERROR,
        "ISO 28500:2017, 6.7.2",
        "The original has %(what)s %(original)s; the revisit says %(value)s.",
        "Replay may show the wrong content for this capture.",
    ),
    Rule(
        "warc-request-alone",
        NOTE,
        "ISO 28500:2017, 6.5",
        "The request has no response in this file.",
        "The server did not answer, or the answer is in another file.",
    ),
    Rule(
        "warc-concurrent-date",
        WARNING,
        "ISO 28500:2017, 5.4",
        "WARC-Date is %(value)s; that of %(other)s, of the same capture, is %(date)s.",
        "All records of one capture bear the date when it began.",
    ),
    Rule(
        "warc-segment-first",
        ERROR,
        "ISO 28500:2017, 5.20",
        "WARC-Segment-Number is %(value)s on a %(type)s record; the first segment has 1.",
        WRITER,
        Jwat("INVALID_EXPECTED", "'WARC-Segment-Number' value"),
    ),
    Rule(
        "warc-segment-continuation",
        ERROR,
        "ISO 28500:2017, 5.20",
        "WARC-Segment-Number is %(value)s on a continuation; it is 2 or more there.",
        WRITER,
        Jwat("INVALID_EXPECTED", "'WARC-Segment-Number' value"),
    ),
    Rule(
        "warc-segment-gap",
        ERROR,
        "ISO 28500:2017, 7",
        "Segment %(value)s follows segment %(before)s of the same record.",
        "Segments are missing or out of order: the record cannot be put together from this file.",
    ),
    Rule(
        "warc-segment-origin-absent",
        NOTE,
        "ISO 28500:2017, 7",
        "The first segment %(value)s is not in this file.",
        OTHER_FILE,
    ),
    Rule(
        "warc-segment-origin-not-first",
        ERROR,
        "ISO 28500:2017, 7",
        "The record %(value)s is continued here, but has no WARC-Segment-Number: 1.",
        WRITER,
    ),
    Rule(
        "warc-segment-uri",
        ERROR,
        "ISO 28500:2017, 7",
        "The segment has another WARC-Target-URI than the first one.",
        WRITER,
    ),
    Rule(
        "warc-segment-total",
        ERROR,
        "ISO 28500:2017, 5.22",
        "WARC-Segment-Total-Length is %(value)s; the segments have %(found)s bytes.",
        "Segments are missing or damaged.",
    ),
    Rule(
        "warc-segment-after-last",
        ERROR,
        "ISO 28500:2017, 5.22",
        "The segment follows one with WARC-Segment-Total-Length, which only the last one has.",
        WRITER,
    ),
    Rule(
        "warc-segment-unfinished",
        NOTE,
        "ISO 28500:2017, 7",
        "The last segment of this record (with WARC-Segment-Total-Length) is not in this file.",
        OTHER_FILE,
    ),
)
