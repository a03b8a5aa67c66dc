"""How much is read for one answer, by whom, and how many such answers are made at a time."""

import asyncio
import threading
from pathlib import Path

import pytest
from starlette.types import Message

from armarium.access.captures import lines as lines_module
from armarium.access.captures.lines import Patience, Span, TooMuch, captures
from armarium.access.model import Reader
from armarium.access.requests import threads
from armarium.access.requests.threads import Busy, Gone, WorkLimit
from armarium.access.view import View
from armarium.accounts.model import Role
from tests.unit.access.cdxserver.shelf import line, site_of

HOME = "http://archive.example/"
READERS = [Reader(), Reader(account=1, roles=frozenset({Role.READER, Role.RESEARCHER}))]
STAFF = [Reader(account=2, roles=frozenset({Role.READER, Role.CURATOR})), Reader(sees_everything=True)]


def view_of(folder: Path, reader: Reader, pages: int = 30) -> View:
    held = [line(f"{HOME}{number:04}", "20000101000000") for number in range(pages)]
    folder.mkdir(exist_ok=True)
    return site_of(folder, held).view("all", reader)


def read(view: View) -> int:
    return sum(1 for _ in captures(view, Span("example,archive)/", "example,archive)0"), Patience()))


@pytest.mark.parametrize(
    ("reader", "is_given_more"), [*((one, False) for one in READERS), *((one, True) for one in STAFF)]
)
def test_staff_may_have_more_lines_read_than_readers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: Reader, *, is_given_more: bool
) -> None:
    monkeypatch.setattr(lines_module, "FOR_READERS", (20, 60.0))
    view = view_of(tmp_path, reader)
    if is_given_more:
        assert read(view) == 30
    else:
        with pytest.raises(TooMuch):
            read(view)


def test_reading_ends_with_the_time_that_a_reader_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines_module, "FOR_READERS", (1000, 0.0))
    monkeypatch.setattr(lines_module, "OFTEN", 10)
    with pytest.raises(TooMuch):
        read(view_of(tmp_path, Reader()))


def test_the_time_in_which_a_client_takes_its_answer_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines_module, "FOR_READERS", (1000, 1.0))
    monkeypatch.setattr(lines_module, "OFTEN", 1)
    found = captures(view_of(tmp_path, Reader()), Span("example", ""), Patience())
    next(found)
    threading.Event().wait(1.2)
    assert sum(1 for _ in found) == 29


async def _never() -> Message:
    await asyncio.Event().wait()
    raise AssertionError("Nothing is received.")


def test_only_so_many_long_answers_are_made_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines_module, "OFTEN", 1)
    monkeypatch.setattr(lines_module, "LONG", 10)
    long, short = view_of(tmp_path / "long", Reader()), view_of(tmp_path / "short", Reader(), pages=5)

    async def ask() -> None:
        door = WorkLimit(at_a_time=1)
        with door.one(_never):
            assert read(long) == 30
            with door.one(_never):
                assert read(short) == 5
                with pytest.raises(Busy):
                    read(long)
        with door.one(_never):
            assert read(long) == 30

    asyncio.run(ask())


def test_nothing_is_read_for_a_client_that_has_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines_module, "OFTEN", 1)
    monkeypatch.setattr(threads, "SOON", 0.0)

    async def hung_up() -> Message:
        return {"type": "http.disconnect"}

    async def ask() -> None:
        with WorkLimit().one(hung_up):
            assert read(view_of(tmp_path, Reader())) == 30
            await asyncio.sleep(0.05)
            with pytest.raises(Gone):
                read(view_of(tmp_path / "again", Reader()))

    asyncio.run(ask())
