"""Numbers, sizes, dates and durations as the reader writes them."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest

from armarium.core import clock
from armarium.languages.speech import ago, bind, byte_size, duration, moment, number, speaking

THIN = "\N{NARROW NO-BREAK SPACE}"
FIXED = "\N{NO-BREAK SPACE}"

EVENING = datetime(2026, 3, 9, 21, 5, 7, tzinfo=UTC)


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    bind("en", "UTC")
    with speaking("en"):
        yield
    bind("en", "UTC")


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("en", "1,234,567.8"),
        ("fr", f"1{THIN}234{THIN}567,8"),
        ("de", "1.234.567,8"),
        ("da", "1.234.567,8"),
        ("it", "1.234.567,8"),
    ],
)
def test_a_number_is_grouped_and_pointed_as_the_language_does(code: str, written: str) -> None:
    with speaking(code):
        assert number(1234567.8, 1) == written


def test_a_number_is_rounded_to_the_places_asked_for() -> None:
    assert number(1234.56) == "1,235"
    assert number(2, 2) == "2.00"
    assert number(-1234567) == "-1,234,567"
    assert number(0) == "0"


@pytest.mark.parametrize(
    ("size", "written"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (1_500_000, "1.5 MB"),
        (99_949_999, "99.9 MB"),
        (99_950_000, "100 MB"),
        (999_499_999, "999 MB"),
        (999_500_000, "1.0 GB"),
        (12_000_000_000_000, "12.0 TB"),
        (3_000_000_000_000_000_000, "3,000 PB"),
        (-2048, "-2.0 kB"),
    ],
)
def test_a_size_has_the_largest_unit_that_fits_and_does_not_break(size: int, written: str) -> None:
    assert byte_size(size) == written.replace(" ", FIXED)


@pytest.mark.parametrize(
    ("code", "written"),
    [("fr", f"1,5{FIXED}Go"), ("de", f"1,5{FIXED}GB"), ("da", f"1,5{FIXED}GB"), ("it", f"1,5{FIXED}GB")],
)
def test_a_size_is_counted_in_the_units_of_the_language(code: str, written: str) -> None:
    with speaking(code):
        assert byte_size(1_500_000_000) == written


def test_what_is_unknown_is_a_dash() -> None:
    assert [byte_size(None), moment(None), ago(None)] == ["–", "–", "–"]


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("en", "9 Mar 2026, 21:05:07"),
        ("fr", "9 mars 2026, 21:05:07"),
        ("de", "09.03.2026, 21:05:07"),
        ("da", "9. mar. 2026 21.05.07"),
        ("it", "9 mar 2026, 21:05:07"),
    ],
)
def test_a_moment_is_written_as_the_language_does(code: str, written: str) -> None:
    with speaking(code):
        assert moment(EVENING) == written


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("en", "9 Mar %s, 21:05"),
        ("fr", "9 mars %s, 21:05"),
        ("de", "09.03.%s, 21:05"),
        ("da", "9. mar. %s 21.05"),
        ("it", "9 mar %s, 21:05"),
    ],
)
def test_what_is_planned_has_no_seconds(code: str, written: str) -> None:
    with speaking(code):
        assert moment(EVENING.replace(year=2126)) == written % 2126
        assert moment(EVENING, "minutes") == written % 2026


def test_a_moment_is_told_in_the_time_zone_of_the_site() -> None:
    bind("en", "Europe/Copenhagen")
    assert moment(EVENING) == "9 Mar 2026, 22:05:07"
    assert moment(EVENING + timedelta(days=30)) == "8 Apr 2026, 23:05:07"  # summer time
    bind("en", "America/St_Johns")
    assert moment(EVENING) == "9 Mar 2026, 18:35:07"


def test_a_moment_of_another_zone_is_the_same_moment() -> None:
    there = EVENING.astimezone(timezone(timedelta(hours=-8)))
    assert moment(there) == moment(EVENING)


def test_binding_a_language_alone_keeps_the_time_zone() -> None:
    bind("en", "Europe/Copenhagen")
    bind("de")
    assert moment(EVENING) == "09.03.2026, 22:05:07"


@pytest.mark.parametrize(
    ("code", "past", "future"),
    [
        ("en", "3 minutes ago", "in 2 hours"),
        ("fr", "il y a 3 minutes", "dans 2 heures"),
        ("de", "vor 3 Minuten", "in 2 Stunden"),
        ("da", "for 3 minutter siden", "om 2 timer"),
        ("it", "3 minuti fa", "tra 2 ore"),
    ],
)
def test_a_distance_in_time_is_said_in_words(code: str, past: str, future: str) -> None:
    with speaking(code):
        assert ago(clock.now() - timedelta(minutes=3)) == past
        assert ago(clock.now() + timedelta(hours=2, seconds=10)) == future


def test_what_has_just_happened_is_not_in_zero_seconds() -> None:
    assert ago(clock.now()) == "just now"
    assert ago(clock.now() + timedelta(seconds=0.5)) == "just now"  # the clock of another machine
    with speaking("da"):
        assert ago(clock.now()) == "lige nu"


@pytest.mark.parametrize(
    ("code", "written"),
    [("en", "2 minutes"), ("fr", "2 minutes"), ("de", "2 Minuten"), ("da", "2 minutter"), ("it", "2 minuti")],
)
def test_a_duration_is_said_in_words(code: str, written: str) -> None:
    with speaking(code):
        assert duration(timedelta(minutes=2)) == written
        assert duration(120.0) == written
