"""Action Message Format, as far as an index needs it: a Flash program's request as one stable text.

Flash programs post their calls in AMF 0 or AMF 3. Message ids and the order of object members change with
each call, so pywb writes the call without them: `<Envelope>[<Request target=T>[…]</Request>]</Envelope>`. The
text here is the same. Formats: Adobe "AMF 0 Specification" (2007) and "AMF 3 Specification" (2013).
"""

import json
from dataclasses import dataclass, field
from typing import Any

from armarium.formats.cdx.amf_values import UNDEFINED, Amf0, Cursor, Malformed, Typed

_ARRAY, _AMF3 = 0x0A, 0x11
_ANSWERS = ("/onResult", "/onStatus", "/onDebugEvents")
_REMOTING_MESSAGE = "flex.messaging.messages.RemotingMessage"
_MOST_NODES = 20_000  # references let a small message stand for an endless text
_DEEPEST = 100


def describe(message: bytes) -> str | None:
    """The text of a remoting envelope, or None if the bytes are none."""
    try:
        requests = [
            f"<Request target={target}>{_Text().of(body)}</Request>" for target, body in _requests(message)
        ]
    except (Malformed, UnicodeDecodeError, RecursionError, OverflowError, ValueError):
        return None
    return f"<Envelope>[{','.join(sorted(requests))}]</Envelope>"


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
    """Writes values as pywb does. Counts what it writes, because values may contain themselves."""

    nodes: int = field(default=0)

    def of(self, value: Any, depth: int = 0) -> str:
        self._count(depth)
        match value:
            case Typed(name=name) if name == _REMOTING_MESSAGE:
                body = self.of(value.members.get("body"), depth + 1)
                return f"<RemotingMessage operation={value.members.get('operation')}>{body}</RemotingMessage>"
            case Typed(name=name) if name.startswith("flex.messaging.messages."):
                members = {key: self.of(member, depth + 1) for key, member in value.members.items()}
                kind = name.rpartition(".")[2]
                return f"<{kind}>{json.dumps(members, sort_keys=True)}</{kind}>"
            case Typed() | dict():
                return json.dumps(self._plain(value, depth), sort_keys=True)
            case list():
                return "[" + ",".join(self.of(item, depth + 1) for item in value) + "]"
            case str():
                return value
            case None:
                return ""
        return "<UndefinedType>{}</UndefinedType>" if value is UNDEFINED else repr(value)

    def _plain(self, value: Any, depth: int) -> Any:
        """Something that JSON can hold."""
        self._count(depth)
        match value:
            case Typed():
                return self._plain(value.members, depth + 1)
            case dict():
                return {str(key): self._plain(member, depth + 1) for key, member in value.items()}
            case list():
                return [self._plain(item, depth + 1) for item in value]
            case None | bool() | int() | float() | str():
                return value
        return repr(value)

    def _count(self, depth: int) -> None:
        self.nodes += 1
        if self.nodes > _MOST_NODES or depth > _DEEPEST:
            raise Malformed
