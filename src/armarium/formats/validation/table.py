"""Every rule, once: the table behind the findings, the reference page and the comparison with other tools."""

from collections.abc import Mapping

from armarium.formats.http.problems import KINDS
from armarium.formats.problem import Severity
from armarium.formats.validation.arc_rules import ARC_RULES
from armarium.formats.validation.compression_rules import GZIP_RULES, ZSTD_RULES
from armarium.formats.validation.rule import Jwat, Rule, rows
from armarium.formats.validation.warc_record_rules import (
    WARC_DIGEST_RULES,
    WARC_STRUCTURE_RULES,
    WARC_TYPE_RULES,
)
from armarium.formats.validation.warc_relation_rules import WARC_RELATION_RULES
from armarium.formats.validation.warc_rules import WARC_HEADER_RULES

# --- The rules of recorded HTTP messages: those of the parser, with what an archivist can do about each.
#
# A recorded answer may break them without any fault of the archive: ISO 28500:2017, 6.3.2 lets writers record
# what is not perfectly compliant. So none is an error, and an archive is judged by how it kept the bytes.


ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
SERVER = "The server sent it like this: nothing to do, unless the harvester changed it."
HEAD = Jwat("ERROR", "http header")

HINTS: Mapping[str, str] = {
    "http-head-absent": "Check the type of the record: its block is not what Content-Type says.",
    "http-head-unterminated": "The answer was cut, or the empty line was lost; replay may show the head.",
    "http-body-shorter": "The connection broke without WARC-Truncated, or the body was decoded.",
    "http-body-longer": "The body was decoded when recorded, or the server sent more than it announced.",
    "http-chunked-already-decoded": "The head was kept, the body changed: replay must not decode it again.",
    "http-coding-mislabelled": "The harvester decoded the body and kept the head, or the server was wrong.",
}
# Those with which JWAT gives up on a head.
UNPARSABLE = (
    "http-head-absent",
    "http-head-too-large",
    "http-status-line-missing",
    "http-status-line-malformed",
    "http-status-missing",
    "http-status-invalid",
    "http-version-missing",
    "http-request-line-malformed",
)


def _of_parser() -> list[Rule]:
    return [
        Rule(
            code,
            WARNING if kind.severity is ERROR else kind.severity,
            kind.clause,
            kind.message,
            HINTS.get(code, SERVER),
            HEAD if code in UNPARSABLE else None,
        )
        for code, kind in KINDS.items()
    ]


HTTP_RULES = rows(
    *_of_parser(),
    Rule(
        "http-type-differs",
        NOTE,
        "RFC 9110, 8.3",
        "The head says %(declared)s, the payload looks like %(identified)s.",
        SERVER,
    ),
)


# --- Every rule, once: the table behind the findings, the reference page and the comparison with other tools.


TABLES: Mapping[str, Mapping[str, Rule]] = {
    "Compression: gzip": GZIP_RULES,
    "Compression: zstd": ZSTD_RULES,
    "WARC: the file and its records": WARC_STRUCTURE_RULES,
    "WARC: the header": WARC_HEADER_RULES,
    "WARC: the record types": WARC_TYPE_RULES,
    "WARC: digests": WARC_DIGEST_RULES,
    "WARC: records among each other": WARC_RELATION_RULES,
    "ARC": ARC_RULES,
    "HTTP messages": HTTP_RULES,
}
RULES: Mapping[str, Rule] = {code: rule for table in TABLES.values() for code, rule in table.items()}
