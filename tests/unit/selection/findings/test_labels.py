"""What a finding says to people."""

import pytest

from armarium.selection.findings.model import Finding, Kind, proposal_of, text_of
from tests.unit.selection.samples import NOON


def finding(kind: Kind, **facts: object) -> Finding:
    return Finding(
        1, 2, "A", 3, "C", NOON, "", kind, "", "", budget=None, job=7, facts=facts, done=False,
        closed_at=None, closed_by="",
    )  # fmt: skip


def test_a_seed_that_leads_elsewhere_is_named_with_where_it_leads() -> None:
    seed = {"url": "http://a.example/", "verdict": "moved", "status": 200, "redirect": "http://b.example/"}
    said = finding(Kind.MOVED, seeds=[seed], stop="complete", objects=9)
    assert text_of(said) == "It leads to another site, in job 7: http://a.example/ → http://b.example/ (200)"
    assert proposal_of(said) == "Look where it leads now, and enter the address that is meant."


@pytest.mark.parametrize("kind", [Kind.BLOCKED, Kind.OBJECT_LIMIT, Kind.BYTE_LIMIT])
def test_one_object_has_no_plural(kind: Kind) -> None:
    said = text_of(finding(kind, objects=1, bytes=300, stop="size-limit"))
    assert "Objects until then: 1" in said
    assert "1 objects" not in said
