"""Answers in pieces: whole, or visibly not."""

import asyncio
from collections.abc import Iterator

import pytest
from starlette.types import Message
from structlog.testing import capture_logs

from armarium.core.errors import Unavailable
from armarium.web.streams import Stream

SCOPE = {"type": "http", "asgi": {"spec_version": "2.4"}}


def pieces(problem: Exception | None = None) -> Iterator[bytes]:
    yield b"one"
    if problem:
        raise problem
    yield b"two"


def sent(response: Stream) -> list[Message]:
    messages: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        messages.append(message)

    asyncio.run(response(SCOPE, receive, send))
    return messages


def test_what_can_be_read_to_the_end_is_sent_to_the_end() -> None:
    start, *bodies = sent(Stream(pieces()))
    assert start["status"] == 200
    assert [body["body"] for body in bodies] == [b"one", b"two", b""]
    assert not bodies[-1]["more_body"]


def test_what_turns_out_to_be_damaged_is_broken_off_and_told_in_one_line() -> None:
    with capture_logs() as lines:
        start, *bodies = sent(Stream(pieces(Unavailable("Run 7 is damaged."))))
    assert start["status"] == 200
    assert [body["body"] for body in bodies] == [b"one"]
    assert all(body["more_body"] for body in bodies), "nobody may take it for the whole"
    assert [(line["log_level"], line["reason"]) for line in lines] == [("warning", "Run 7 is damaged.")]


def test_a_fault_of_ours_stays_one() -> None:
    with pytest.raises(ZeroDivisionError):
        sent(Stream(pieces(ZeroDivisionError())))
