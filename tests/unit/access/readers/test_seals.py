"""What a browser carries for us opens what it was made for, and nothing else."""

from datetime import timedelta

import pytest

from armarium.access.readers.cookies import Purpose, Seals
from armarium.core import clock

HOUR = timedelta(hours=1)


def test_a_seal_tells_what_was_sealed() -> None:
    seals = Seals(b"k" * 32)
    opened = seals.opened(Purpose.READING, seals.seal(Purpose.READING, {"session": 7}, HOUR))
    assert opened is not None
    assert opened["session"] == 7


@pytest.mark.parametrize("other", [purpose for purpose in Purpose if purpose is not Purpose.CONTENT])
def test_a_seal_opens_nothing_for_another_purpose(other: Purpose) -> None:
    seals = Seals(b"k" * 32)
    sealed = seals.seal(Purpose.CONTENT, {"session": 7}, HOUR)
    assert seals.opened(other, sealed) is None


def test_a_seal_of_another_house_opens_nothing() -> None:
    sealed = Seals(b"a" * 32).seal(Purpose.READING, {"session": 7}, HOUR)
    assert Seals(b"b" * 32).opened(Purpose.READING, sealed) is None


def test_a_seal_opens_nothing_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    seals = Seals(b"k" * 32)
    sealed = seals.seal(Purpose.READING, {"session": 7}, HOUR)
    later = clock.now() + HOUR
    monkeypatch.setattr(clock, "now", lambda: later)
    assert seals.opened(Purpose.READING, sealed) is None


@pytest.mark.parametrize("nonsense", [None, "", "a", "====", "é", "x" * 3000, "AAAA", "\0", "Zm9v" * 20])
def test_nonsense_opens_nothing_and_breaks_nothing(nonsense: str | None) -> None:
    assert Seals(b"k" * 32).opened(Purpose.READING, nonsense) is None


def test_a_changed_letter_anywhere_makes_a_seal_worthless() -> None:
    seals = Seals(b"k" * 32)
    sealed = seals.seal(Purpose.READING, {"session": 7}, HOUR)
    for at in range(len(sealed) - 1):  # of the last letter only some bits count
        other = "A" if sealed[at] != "A" else "B"
        assert seals.opened(Purpose.READING, sealed[:at] + other + sealed[at + 1 :]) is None


def test_a_word_is_the_same_for_the_same_and_tells_nothing() -> None:
    seals = Seals(b"k" * 32)
    assert seals.word("session", 7) == seals.word("session", 7)
    assert len({seals.word("session", 7), seals.word("session", 8), seals.word("visit", 7)}) == 3
