"""Ports of the demonstration: what was asked for, or what is free."""

import socket
from collections.abc import Iterator

import pytest

from armarium.core.errors import Refused
from armarium.demo.ports import NAMES, Asked, again, chosen


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as somebody:
        yield int(somebody.getsockname()[1])


def test_all_are_different() -> None:
    found = chosen(Asked())
    assert len({found.staff, found.readers, found.web, found.names}) == 4
    assert found.names in NAMES


def test_a_port_that_was_asked_for_and_is_taken_is_said(taken: int) -> None:
    with pytest.raises(Refused, match=f"Port {taken} is used .* --readers-port"):
        chosen(Asked(readers=taken))


def test_where_a_known_port_is_taken_another_is_found(taken: int) -> None:
    known = chosen(Asked())
    moved = again(known.__class__(taken, known.readers, known.web, known.names), Asked())
    assert moved.staff != taken
    assert (moved.web, moved.names) == (known.web, known.names)


def test_the_small_web_stays_where_it_was_archived(taken: int) -> None:
    known = chosen(Asked())
    with pytest.raises(Refused, match="demo --anew"):
        again(known.__class__(known.staff, known.readers, taken, known.names), Asked())
    with pytest.raises(Refused, match="stays there"):
        again(known, Asked(web=known.web + 1))
