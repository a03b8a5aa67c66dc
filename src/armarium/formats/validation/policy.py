"""Which fields a WARC record must, may and may not have, by its type: for WARC 1.0 and 1.1 apart.

    M  every record of the type has it            N  it shall not stand there
    n  it has no meaning there                    .  it may stand there

JWAT has the same matrix; unlike there, WARC-Segment-Total-Length is in it too (5.22: "shall not be used
elsewhere"), and each value of WARC-Concurrent-To is looked at.
"""

from collections.abc import Mapping
from typing import NamedTuple

TYPES = (
    "warcinfo",
    "response",
    "resource",
    "request",
    "metadata",
    "revisit",
    "conversion",
    "continuation",
)

# One column per type, in the order of TYPES; continuation stands apart.
MATRIX_1_0 = {
    "Content-Type": "....... N",
    "WARC-IP-Address": "N.....N N",
    "WARC-Concurrent-To": "N.....N N",
    "WARC-Refers-To": "NNNN... N",
    "WARC-Target-URI": "NMMM.MM M",
    "WARC-Warcinfo-ID": "n...... .",
    "WARC-Filename": ".NNNNNN N",
    "WARC-Profile": ".....M. .",
    "WARC-Segment-Origin-ID": "NNNNNNN M",
    "WARC-Segment-Number": "....... M",
    "WARC-Segment-Total-Length": "NNNNNNN .",
}
# 1.1 added two fields to the standard (5.12, 5.13). In 1.0 they are an extension, and so nobody's business.
MATRIX_1_1 = MATRIX_1_0 | {
    "WARC-Refers-To-Target-URI": "NNNNN.N N",
    "WARC-Refers-To-Date": "NNNNN.N N",
}

MANDATORY = ("WARC-Record-ID", "Content-Length", "WARC-Date", "WARC-Type")

# Clause of each field in ISO 28500:2017 (WARC 1.1).
CLAUSES = {
    "WARC-Record-ID": "5.2",
    "Content-Length": "5.3",
    "WARC-Date": "5.4",
    "WARC-Type": "5.5",
    "Content-Type": "5.6",
    "WARC-Concurrent-To": "5.7",
    "WARC-Block-Digest": "5.8",
    "WARC-Payload-Digest": "5.9",
    "WARC-IP-Address": "5.10",
    "WARC-Refers-To": "5.11",
    "WARC-Refers-To-Target-URI": "5.12",
    "WARC-Refers-To-Date": "5.13",
    "WARC-Target-URI": "5.14",
    "WARC-Truncated": "5.15",
    "WARC-Warcinfo-ID": "5.16",
    "WARC-Filename": "5.17",
    "WARC-Profile": "5.18",
    "WARC-Identified-Payload-Type": "5.19",
    "WARC-Segment-Number": "5.20",
    "WARC-Segment-Origin-ID": "5.21",
    "WARC-Segment-Total-Length": "5.22",
}
DEFINED = {name.lower(): name for name in CLAUSES}

# Not of the standard, but met in files and documented by the IIPC, Browsertrix, warcit or crawlers.
EXTENSIONS = frozenset(
    {
        "warc-cipher-suite",
        "warc-protocol",
        "warc-push-promised-from",
        "warc-transcluded-by",
        "warc-previous-record-id",
        "warc-creation-date",
        "warc-source-uri",
        "warc-source-range",
        "warc-page-id",
        "warc-resource-type",
        "warc-json-metadata",
        "warc-user-agent",
        "warc-browser",
        "warc-robots-compliance",
        "warc-identified-content-language",
        "warc-transaction-id",
        "warc-truncation-reason",
    }
)


class Policy(NamedTuple):
    """The matrix for one type, as sets of lower-case names that are quick to compare with a header's."""

    required: frozenset[str]
    forbidden: frozenset[str]
    undesired: frozenset[str]

    def is_kept_by(self, names: Mapping[str, str]) -> bool:
        keys = names.keys()
        return self.required <= keys and self.forbidden.isdisjoint(keys) and self.undesired.isdisjoint(keys)


def _policies(matrix: Mapping[str, str]) -> dict[str, Policy]:
    def marked(column: int, letter: str) -> frozenset[str]:
        return frozenset(
            name.lower() for name, row in matrix.items() if row.replace(" ", "")[column] == letter
        )

    return {
        kind: Policy(marked(column, "M"), marked(column, "N"), marked(column, "n"))
        for column, kind in enumerate(TYPES)
    }


POLICIES = {"1.0": _policies(MATRIX_1_0), "1.1": _policies(MATRIX_1_1)}
