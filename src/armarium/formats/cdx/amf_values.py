"""Values in AMF 0 and AMF 3. Bounded: no count in the bytes is believed beyond the bytes that are there."""

import struct
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

_DEEPEST = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)
UNDEFINED = object()


class Malformed(Exception):  # noqa: N818  (caught by the module that describes messages)
    """The bytes are no AMF, or AMF that nobody should follow."""


@dataclass(slots=True)
class Typed:
    """An object of a named class."""

    name: str
    members: dict[str, Any] = field(default_factory=dict)


class Cursor:
    """A place in the message."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def take(self, count: int) -> bytes:
        end = self._position + count
        if end > len(self._data):
            raise Malformed
        piece, self._position = self._data[self._position : end], end
        return piece

    def peek(self) -> int:
        return self._data[self._position] if self._position < len(self._data) else -1

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def count(self, size: int) -> int:
        return self.believable(self.number(size))

    def believable(self, count: int) -> int:
        """A number of elements: each takes at least a byte."""
        if count > len(self._data) - self._position:
            raise Malformed
        return count

    def double(self) -> float:
        (value,) = struct.unpack(">d", self.take(8))
        return float(value)

    def u29(self) -> int:
        """AMF 3, 1.3.1: 7 bits in each of the first three bytes, 8 in the fourth."""
        value = 0
        for _ in range(3):
            byte = self.number(1)
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                return value
        return value << 8 | self.number(1)


def _date(milliseconds: float) -> datetime:
    return _EPOCH + timedelta(milliseconds=milliseconds)


class Amf0:
    """AMF 0, section 2: a marker byte, then the value."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._objects: list[Any] = []
        self._amf3 = Amf3(cursor)

    def value(self, depth: int = 0) -> Any:
        if depth > _DEEPEST:
            raise Malformed
        cursor = self._cursor
        match cursor.number(1):
            case 0x00:
                number = cursor.double()
                return int(number) if number.is_integer() else number
            case 0x01:
                return cursor.number(1) != 0
            case 0x02:
                return self._text(2)
            case 0x0C | 0x0F:
                return self._text(4)
            case 0x05 | 0x0D:
                return None
            case 0x06:
                return UNDEFINED
            case 0x07:
                return self._reference(cursor.number(2))
            case 0x0B:
                moment = _date(cursor.double())
                cursor.take(2)  # the time zone is reserved
                return self._kept(moment)
            case 0x11:
                return self._amf3.value(depth + 1)
            case marker:
                return self._composed(marker, depth)

    def _composed(self, marker: int, depth: int) -> Any:
        cursor = self._cursor
        match marker:
            case 0x03:
                return self._members(self._kept({}), depth)
            case 0x08:
                cursor.take(4)  # the length of a mixed array is a hint
                return self._members(self._kept({}), depth)
            case 0x0A:
                items: list[Any] = self._kept([])
                items.extend(self.value(depth + 1) for _ in range(cursor.count(4)))
                return items
            case 0x10:
                typed: Typed = self._kept(Typed(self._text(2)))
                self._members(typed.members, depth)
                return typed
        raise Malformed

    def _members(self, members: dict[str, Any], depth: int) -> dict[str, Any]:
        while True:
            name = self._text(2)
            if self._cursor.peek() == 0x09:
                self._cursor.take(1)
                return members
            members[name] = self.value(depth + 1)

    def _text(self, size: int) -> str:
        return self._cursor.take(self._cursor.number(size)).decode()

    def _kept(self, value: Any) -> Any:
        self._objects.append(value)
        return value

    def _reference(self, place: int) -> Any:
        if place >= len(self._objects):
            raise Malformed
        return self._objects[place]


@dataclass
class _Traits:
    name: str
    members: list[str]
    dynamic: bool
    external: bool


# Classes that write themselves in their own way, of which the content is one value.
_WRAPPERS = frozenset({"flex.messaging.io.ArrayCollection", "flex.messaging.io.ObjectProxy"})


class Amf3:
    """AMF 3, section 3: a marker byte, then the value; strings, objects and traits may be references."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._strings: list[str] = []
        self._objects: list[Any] = []
        self._traits: list[_Traits] = []

    def value(self, depth: int = 0) -> Any:
        if depth > _DEEPEST:
            raise Malformed
        marker = self._cursor.number(1)
        match marker:
            case 0x00:
                return UNDEFINED
            case 0x01:
                return None
            case 0x02 | 0x03:
                return marker == 0x03
            case 0x04:
                number = self._cursor.u29()
                return number - (1 << 29) if number >= 1 << 28 else number
            case 0x05:
                return self._cursor.double()
            case 0x06:
                return self._text()
            case 0x07 | 0x08 | 0x09 | 0x0A | 0x0B | 0x0C:
                return self._object(marker, depth)
        raise Malformed

    def _object(self, marker: int, depth: int) -> Any:
        head = self._cursor.u29()
        if not head & 1:
            return _at(self._objects, head >> 1)
        head >>= 1
        match marker:
            case 0x08:
                return self._kept(_date(self._cursor.double()))
            case 0x09:
                return self._array(head, depth)
            case 0x0A:
                return self._instance(head, depth)
            case 0x0C:
                return self._kept(self._cursor.take(head))
        return self._kept(self._cursor.take(head).decode())  # both kinds of XML

    def _array(self, count: int, depth: int) -> Any:
        name = self._text()
        if not name:
            items: list[Any] = self._kept([])
            items.extend(self.value(depth + 1) for _ in range(self._cursor.believable(count)))
            return items
        mixed: dict[str, Any] = self._kept({})
        while name:
            mixed[name] = self.value(depth + 1)
            name = self._text()
        mixed.update((str(place), self.value(depth + 1)) for place in range(self._cursor.believable(count)))
        return mixed

    def _instance(self, head: int, depth: int) -> Any:
        traits = self._read_traits(head)
        if traits.external:
            if traits.name not in _WRAPPERS:
                raise Malformed  # only its own class knows how many bytes it takes
            self._objects.append(None)
            place = len(self._objects) - 1
            self._objects[place] = self.value(depth + 1)
            return self._objects[place]
        made: Any = self._kept(Typed(traits.name) if traits.name else {})
        members = made.members if isinstance(made, Typed) else made
        for name in traits.members:
            members[name] = self.value(depth + 1)
        while traits.dynamic and (name := self._text()):
            members[name] = self.value(depth + 1)
        return made

    def _read_traits(self, head: int) -> _Traits:
        if not head & 1:
            traits: _Traits = _at(self._traits, head >> 1)
            return traits
        name = self._text()
        count = 0 if head & 2 else self._cursor.believable(head >> 3)
        traits = _Traits(name, [self._text() for _ in range(count)], bool(head & 4), bool(head & 2))
        self._traits.append(traits)
        return traits

    def _text(self) -> str:
        head = self._cursor.u29()
        if not head & 1:
            text: str = _at(self._strings, head >> 1)
            return text
        text = self._cursor.take(head >> 1).decode()
        if text:
            self._strings.append(text)
        return text

    def _kept(self, value: Any) -> Any:
        self._objects.append(value)
        return value


def _at(table: list[Any], place: int) -> Any:
    if place >= len(table):
        raise Malformed
    return table[place]
