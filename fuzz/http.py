"""Fuzzing of HTTP messages: no bytes may raise, hang, fill the memory, or come back changed.

    python fuzz/http.py -max_total_time=600 -rss_limit_mb=200 fuzz/corpus/http

The first byte of an input chooses how the rest is fed; the rest is a message, head and body.
"""

import sys

import atheris

with atheris.instrument_imports(include=["armarium.formats.http"]):
    from armarium.formats.http import (
        Dechunker,
        Entity,
        HttpHead,
        Payload,
        check_length,
        decode_content,
        parse_request,
        parse_response,
    )

LIMIT = 1_000_000
CODINGS = ("gzip", "deflate", "br", "zstd")


def one_input(data: bytes) -> None:
    if not data:
        return
    step, message = data[0] // 8 + 1, data[1:]
    _check_head(message, parse_request(message))
    head = parse_response(message)
    _check_head(message, head)
    body = message[head.length :]
    assert len(b"".join(Payload(head, _pieces(body, step), limit=LIMIT))) <= LIMIT
    assert b"".join(Entity(head, [body], LIMIT)) == b"".join(Entity(head, _pieces(body, step), LIMIT))
    check_length(head, len(body))
    _check_chunks(body, step)
    coding = CODINGS[data[0] % len(CODINGS)]
    whole, parts = (
        decode_content([coding], [body], LIMIT),
        decode_content([coding], _pieces(body, step), LIMIT),
    )
    assert b"".join(whole) == b"".join(parts)
    assert [problem.code for problem in whole.problems] == [problem.code for problem in parts.problems]


def _check_head(message: bytes, head: HttpHead) -> None:
    assert message.startswith(bytes(head))
    assert bytes(head).endswith(bytes(head.fields))
    assert all(0 <= problem.offset <= len(message) for problem in head.problems)
    first: dict[str, str] = {}
    for name, value in head.fields.items():
        first.setdefault(name.lower(), value)
    for name in ("content-type", "content-length", "transfer-encoding", "location"):
        assert head.fields.get(name) == first.get(name)


def _check_chunks(body: bytes, step: int) -> None:
    whole, parts = Dechunker(), Dechunker()
    once = whole.feed(body) + whole.finish()
    by_and_by = b"".join(map(parts.feed, _pieces(body, step))) + parts.finish()
    assert once == by_and_by
    assert whole.problems == parts.problems
    assert len(once) <= len(body)


def _pieces(data: bytes, step: int) -> list[bytes]:
    return [data[at : at + step] for at in range(0, len(data), step)]


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
