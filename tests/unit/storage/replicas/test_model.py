"""The bar of what a replica holds."""

from hypothesis import given
from hypothesis import strategies as st

from armarium.storage.replicas.model import WIDTH, Content, Part, bar

PARTS = st.builds(Part, st.integers(0, 10**9), st.integers(0, 10**15))


@given(PARTS, PARTS, PARTS)
def test_the_stretches_fill_the_bar_and_the_smallest_is_seen(one: Part, two: Part, three: Part) -> None:
    drawn = bar(Content(one, two, three))
    assert len(drawn) == sum(1 for part in (one, two, three) if part.files)
    assert all(stretch.width >= 5.9 for stretch in drawn)
    assert not drawn or abs(sum(stretch.width for stretch in drawn) - WIDTH) < 1


def test_an_empty_replica_has_no_bar() -> None:
    assert bar(Content()) == []


def test_what_waits_and_what_is_damaged_differ_without_colour() -> None:
    part = Part(1, 100)
    accepted, waiting, damaged = bar(Content(part, part, part))
    assert not accepted.lines
    assert all(above > below for above, below in waiting.lines)
    assert all(above < below for above, below in damaged.lines)
    assert waiting.lines
    assert damaged.lines
