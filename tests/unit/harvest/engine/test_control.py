"""The protocol of the socket: a line in, a line out, whatever the line is."""

import asyncio
import errno
import json
import socket
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from armarium.core.errors import Refused, Unavailable
from armarium.harvest.engine import control
from armarium.harvest.engine.control import Caller, ControlServer, short_name
from armarium.harvest.frontier import FrontierFailed


async def echo(asked: dict[str, Any]) -> dict[str, Any]:
    return {"said": asked["what"]}


async def object_to(_: dict[str, Any]) -> dict[str, Any]:
    raise Refused("Not so.")


async def never(_: dict[str, Any]) -> dict[str, Any]:
    await asyncio.sleep(60)
    return {}


async def write(asked: dict[str, Any]) -> dict[str, Any]:
    raise FAULTS[asked["fault"]]


FAULTS = {
    "file": OSError(errno.ENOSPC, "No room"),
    "frontier": FrontierFailed("No room"),
    "other": Unavailable("No room."),
}
VERBS = {"echo": echo, "object": object_to, "never": never, "write": write}


def served(folder: Path, work: Callable[[Path], Any]) -> Any:
    """Do something in another thread while the server runs."""
    path = folder / "control.sock"

    async def run() -> Any:
        server = ControlServer(path, VERBS)
        await server.start()
        try:
            return await asyncio.to_thread(work, path)
        finally:
            await server.close()

    coroutine: Coroutine[Any, Any, Any] = run()
    return asyncio.run(coroutine)


def test_a_verb_is_answered(tmp_path: Path) -> None:
    assert served(tmp_path, lambda path: Caller(path).ask("echo", what="ä\n")) == {"said": "ä\n"}


def test_an_objection_is_raised_on_the_other_side(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="Not so"):
        served(tmp_path, lambda path: Caller(path).ask("object"))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_crawl_whose_disk_is_full_says_so_and_may_answer_later(tmp_path: Path, fault: str) -> None:
    """The coordinator of a team bears it for a while: the member ends in order, and the crawl is resumed."""
    with pytest.raises(Unavailable, match="No room"):
        served(tmp_path, lambda path: Caller(path).ask("write", fault=fault))


def test_a_request_that_lacks_something_is_told_what(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="lacks 'what'"):
        served(tmp_path, lambda path: Caller(path).ask("echo"))


def test_an_unknown_verb_is_answered_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="A crawl understands: echo, never, object, write"):
        served(tmp_path, lambda path: Caller(path).ask("dance"))


def test_nobody_listening_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="No crawl is running"):
        Caller(tmp_path / "control.sock").ask("echo")


def test_a_socket_of_a_killed_crawl_is_nobody_and_no_obstacle(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left, short_name(tmp_path / "control.sock") as name:
        left.bind(name)
    with pytest.raises(Unavailable, match="No crawl is running"):
        Caller(tmp_path / "control.sock").ask("echo", what=1)

    assert served(tmp_path, lambda path: Caller(path).ask("echo", what=1)) == {"said": 1}
    assert not (tmp_path / "control.sock").exists()


def test_who_does_not_answer_in_time_is_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "ANSWER_SECONDS", 0.2)
    with pytest.raises(Unavailable, match="did not answer"):
        served(tmp_path, lambda path: Caller(path).ask("never"))


def test_a_line_without_an_end_is_cut_off_and_others_are_still_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "LONGEST_LINE", 10_000)

    def flood(path: Path) -> tuple[bytes, Any]:
        with socket.socket(socket.AF_UNIX) as connection, short_name(path) as name:
            connection.connect(name)
            connection.settimeout(60)
            try:
                connection.sendall(b"x" * 100_000)
                rest = connection.recv(100)
            except ConnectionError:
                rest = b""
        return rest, Caller(path).ask("echo", what=2)

    assert served(tmp_path, flood) == (b"", {"said": 2})


def test_lines_are_answered_in_their_order(tmp_path: Path) -> None:
    def ask(path: Path) -> list[Any]:
        with socket.socket(socket.AF_UNIX) as connection, short_name(path) as name:
            connection.connect(name)
            connection.sendall(b'{"verb":"echo","what":1}\nnonsense\n{"verb":"echo","what":3}\n')
            with connection.makefile("rb") as answers:
                return [json.loads(answers.readline())["ok"] for _ in range(3)]

    assert served(tmp_path, ask) == [True, False, True]


def test_a_path_may_be_longer_than_a_socket_takes(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["a-folder-with-a-long-name"] * 10)
    deep.mkdir(parents=True)

    assert served(deep, lambda path: Caller(path).ask("echo", what=1)) == {"said": 1}
