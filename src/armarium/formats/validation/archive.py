"""What one file alone cannot tell, asked of the archive around it: an optional look-up."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from armarium.formats.validation.header import Finding


class Original(NamedTuple):
    """The capture that a revisit repeats, as the archive knows it."""

    payload_digest: str | None
    target_uri: str | None
    date: str | None  # as WARC-Date writes it


class Archive(Protocol):
    """The files of an archive other than the one under validation."""

    def has(self, record_id: str) -> bool:
        """Whether a record with this id (as written, with < and >) is in another file."""

    def original(self, revisit: Mapping[str, str]) -> Original | None:
        """The original of a revisit, given by its fields (names in lower case); None where there is none."""


def check_original(first: Mapping[str, str], original: Original | None) -> list[Finding]:
    """Judge a revisit by its original (ISO 28500:2017, 6.7.2, 5.12 and 5.13)."""
    if original is None:
        value = first.get("warc-refers-to") or first.get("warc-refers-to-target-uri") or "of this revisit"
        return [("warc-refers-to-absent", {"value": value})]
    compared = (
        ("the payload digest", first.get("warc-payload-digest"), original.payload_digest),
        ("the address", first.get("warc-refers-to-target-uri"), original.target_uri),
        ("the date", first.get("warc-refers-to-date"), original.date),
    )
    return [
        ("warc-refers-to-differs", {"what": what, "value": stated, "original": known})
        for what, stated, known in compared
        if stated is not None and known is not None and stated != known
    ]
