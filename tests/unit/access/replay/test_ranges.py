import pytest

from armarium.access.replay import ranges
from armarium.access.replay.ranges import (
    NotSatisfiable,
    Span,
    asked_span,
    begin_of,
    cut,
    is_range,
    recorded_span,
)


@pytest.mark.parametrize(
    ("header", "span"),
    [
        ("bytes=0-3", Span(0, 3)),
        ("bytes=4-", Span(4, 9)),
        ("bytes=-3", Span(7, 9)),
        ("bytes=-99", Span(0, 9)),
        ("bytes=8-99", Span(8, 9)),
        ("BYTES = 1 - 2", Span(1, 2)),
        ("bytes= - 3 ", Span(7, 9)),
    ],
)
def test_one_range_is_a_span_of_the_body(header: str, span: Span) -> None:
    assert asked_span(header, 10) == span


@pytest.mark.parametrize(
    "header", [None, "", "bytes=-", "bytes=0-1,4-5", "items=0-1", "bytes=5-2", "bytes=x-"]
)
def test_what_is_no_single_range_asks_for_the_whole(header: str | None) -> None:
    assert asked_span(header, 10) is None


@pytest.mark.parametrize("header", ["bytes=10-", "bytes=99-100", "bytes=-0"])
def test_a_range_behind_the_end_cannot_be_satisfied(header: str) -> None:
    with pytest.raises(NotSatisfiable):
        asked_span(header, 10)


def test_a_range_header_tells_where_it_begins() -> None:
    assert begin_of("bytes=5-") == 5
    assert begin_of("bytes=-5") is None
    assert is_range("bytes=-5")
    assert not is_range("bytes=-")


def test_a_recorded_part_tells_which_one_and_of_how_much() -> None:
    assert recorded_span("bytes 0-4/10") == (Span(0, 4), 10)
    assert recorded_span("bytes 0-4/*") == (Span(0, 4), None)
    assert recorded_span("bytes 4-0/10") is None
    assert recorded_span("nonsense") is None


def test_a_span_is_cut_out_of_a_stream_in_pieces() -> None:
    assert b"".join(cut(iter([b"abc", b"def", b"ghi"]), 2, 5)) == b"cdefg"


def test_whoever_waits_for_a_distant_part_is_asked_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "OFTEN", 0)
    megabyte = bytes(1 << 20)
    pieces = list(cut(iter([megabyte] * 20 + [b"the end"]), 20 << 20, 3))
    assert pieces == [b""] * 20 + [b"the"]


def test_only_a_few_go_a_long_way_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "OFTEN", 0)
    megabyte = bytes(1 << 20)
    seekers = [cut(iter([megabyte] * 20 + [b"the end"]), 20 << 20, 3) for _ in range(4)]
    assert [next(seeker) for seeker in seekers] == [b""] * 4
    waiting = seekers[3]
    assert [next(waiting) for _ in range(50)] == [b""] * 50, "three others are on their way"
    seekers[0].close()  # type: ignore[attr-defined]
    assert b"".join(waiting) == b"the"
    assert b"".join(seekers[1]) == b"".join(seekers[2]) == b"the"


def test_cutting_stops_reading_when_it_has_enough() -> None:
    stream = iter([b"abc", b"def", b"ghi"])
    assert b"".join(cut(stream, 0, 4)) == b"abcd"
    assert next(stream) == b"ghi"
