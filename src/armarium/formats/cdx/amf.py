"""Action Message Format, as far as an index needs it: a Flash program's request as one stable text.

Flash programs post their calls in AMF 0 or AMF 3. Message ids and the order of object members change with
each call, so pywb writes the call without them: `<Envelope>[<Request target=T>[…]</Request>]</Envelope>`. The
text here is the same. Formats: Adobe "AMF 0 Specification" (2007) and "AMF 3 Specification" (2013).
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from armarium.formats.cdx.amf_values import UNDEFINED, Amf0, Cursor, Malformed, Typed

_ARRAY, _AMF3 = 0x0A, 0x11
_ANSWERS = ("/onResult", "/onStatus", "/onDebugEvents")
_REMOTING_MESSAGE = "flex.messaging.messages.RemotingMessage"
_DEEPEST = 100
_ENOUGH = 2  # times the characters wanted: values are counted that may leave no character


def describe(message: bytes, longest: int) -> str | None:
    """The first `longest` characters of the text of a remoting envelope, or None if the bytes are none."""
    try:
        requests = [
            f"<Request target={target}>{_Text(longest).of(body)}</Request>"[:longest]
            for target, body in _requests(message)
        ]
    except (Malformed, UnicodeDecodeError, RecursionError, OverflowError, ValueError):
        return None
    return f"<Envelope>[{','.join(sorted(requests))}]</Envelope>"[:longest]


def _requests(message: bytes) -> list[tuple[str, Any]]:
    cursor = Cursor(message)
    version = cursor.number(2)
    if version > 9:
        raise Malformed
    for _ in range(cursor.number(2)):
        cursor.take(cursor.number(2))  # name
        cursor.take(1 + 4)  # whether it must be understood, length
        Amf0(cursor).value()
    return [_request(cursor) for _ in range(cursor.number(2))]


def _request(cursor: Cursor) -> tuple[str, Any]:
    target = cursor.take(cursor.number(2)).decode()
    cursor.take(cursor.number(2))  # where the answer shall go
    cursor.take(4)  # length
    if target.endswith(_ANSWERS):
        raise Malformed  # an answer, not a request
    decoder = Amf0(cursor)
    match cursor.peek():
        case 0x0A:
            cursor.take(1)
            # The list of arguments is not in the table of references, unlike every other list.
            return target, [decoder.value() for _ in range(cursor.count(4))]
        case 0x11:
            return target, decoder.value()
    raise Malformed


@dataclass
class _Text:
    """Writes values as pywb does, in their order, up to `longest` characters; what follows would be cut off.

    References let a small message stand for an endless text. So nothing is written in full before it is cut,
    and nothing is visited any more once enough is written.
    """

    longest: int
    written: int = field(default=0)  # a little more or less than the characters

    def of(self, value: Any, depth: int = 0) -> str:
        self._count(depth)
        match value:
            case Typed(name=name) if name == _REMOTING_MESSAGE:
                operation = self._operation(value.members.get("operation"), depth)
                body = self.of(value.members.get("body"), depth + 1)
                text = f"<RemotingMessage operation={operation}>{body}</RemotingMessage>"
            case Typed(name=name) if name.startswith("flex.messaging.messages."):
                members = {key: self.of(member, depth + 1) for key, member in self._sorted(value.members)}
                kind = self._cut(name.rpartition(".")[2])
                text = f"<{kind}>{json.dumps(members)}</{kind}>"
            case Typed() | dict():
                text = json.dumps(self._plain(value, depth))
            case list():
                text = "[" + ",".join(self.of(item, depth + 1) for item in self._some(value)) + "]"
            case str():
                text = self._cut(value)
            case None:
                text = ""
            case _:
                text = "<UndefinedType>{}</UndefinedType>" if value is UNDEFINED else self._shown(value)
        # Each level of JSON in JSON doubles the backslashes.
        return text[: self.longest]

    def _operation(self, value: Any, depth: int) -> str:
        return "None" if value is None else self.of(value, depth + 1)

    def _plain(self, value: Any, depth: int) -> Any:
        """Something that JSON can hold."""
        self._count(depth)
        match value:
            case Typed():
                return self._plain(value.members, depth + 1)
            case dict():
                return {key: self._plain(member, depth + 1) for key, member in self._sorted(value)}
            case list():
                return [self._plain(item, depth + 1) for item in self._some(value)]
            case str():
                return self._cut(value)
            case None | bool() | int() | float():
                self.written += len(repr(value))
                return value
        if value is UNDEFINED:
            raise Malformed  # pywb cannot write it either
        return self._shown(value)

    def _some(self, values: list[Any]) -> Iterator[Any]:
        """Values one after the other, as long as there is room for them."""
        return takewhile(lambda _: self.written <= _ENOUGH * self.longest, values)

    def _sorted(self, members: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        return ((self._cut(key), members[key]) for key in self._some(sorted(members)))

    def _shown(self, value: Any) -> str:
        return self._cut(repr(value[: self.longest] if isinstance(value, bytes) else value))

    def _cut(self, text: str) -> str:
        piece = text[: self.longest]
        self.written += len(piece)
        return piece

    def _count(self, depth: int) -> None:
        self.written += 1
        if depth > _DEEPEST:
            raise Malformed
