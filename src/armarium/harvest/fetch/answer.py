"""One answer as it comes in: where its head ends, where its body ends, whether another may follow.

    HEAD ──empty line──▶ LENGTH | CHUNKED | CLOSE ──last byte──▶ DONE
      └─ 1xx: dropped, HEAD again                (no body: DONE at once)

The bytes go to a `Wire` as received. Interim answers (1xx) are no part of it: RFC 9110, 15.2 lets a server
send any number of them before the answer, and a reader of the archive wants the answer.
"""

import enum

from armarium.formats.http import Response, has_body, parse_response
from armarium.formats.warc.new_record import Truncation
from armarium.harvest.fetch.chunks import Chunks
from armarium.harvest.fetch.exchange import Wire

# --- The beginning of an answer, collected until its head is whole.
#
# Nearly every head comes in one portion or in a few, and is parsed each time. A server that drips it would
# have
# it copied and parsed once for each byte; so after some portions it is parsed only when an empty line has
# come,
# or when it has grown by a sixteenth.


PATIENT_PORTIONS = 100
MOST_TRIES = 300  # because of an empty line: a drip of nothing but such lines must not win either


class Portions:
    __slots__ = ("_collected", "_count", "_next", "_tries")

    def __init__(self) -> None:
        self._collected: bytes | bytearray = b""
        self._count = 0
        self._next = 0
        self._tries = 0

    def __bool__(self) -> bool:
        return bool(self._collected)

    def __bytes__(self) -> bytes:
        return bytes(self._collected)

    def add(self, data: bytes) -> bytes | None:
        """Everything so far if it is worth a look, else None."""
        self._count += 1
        if self._count <= PATIENT_PORTIONS:
            self._collected = whole = bytes(self._collected) + data if self._collected else data
            return whole
        if not isinstance(self._collected, bytearray):
            self._collected = bytearray(self._collected)  # grows without being copied each time
        self._collected += data
        return bytes(self._collected) if self._is_worth_a_look(len(data)) else None

    def _is_worth_a_look(self, added: int) -> bool:
        end = bytes(self._collected[-added - 2 :])
        if (b"\n\r\n" in end or b"\n\n" in end) and self._tries < MOST_TRIES:
            self._tries += 1
            return True
        if len(self._collected) < self._next:
            return False
        self._next = len(self._collected) + len(self._collected) // 16
        return True

    def keep(self, data: bytes) -> None:
        """Put this in the place of everything; the count of portions goes on."""
        self._collected = data
        self._next = 0


# --- One answer as it comes in: where its head ends, where its body ends, whether another may follow.


SWITCHING_PROTOCOLS = 101
MOST_INTERIM = 50  # answers 1xx before the answer; honest servers send one or two


class Stage(enum.IntEnum):
    HEAD = 0
    LENGTH = 1
    CHUNKED = 2
    CLOSE = 3  # the body ends when the connection does
    DONE = 4


class Answer:
    """`feed` it what comes, `close` it when the connection ends; then see what it is."""

    __slots__ = (
        "_beginning",
        "_chunks",
        "_dropped",
        "_limit",
        "_max_head",
        "_method",
        "_missing",
        "_room",
        "head",
        "head_truncated",
        "stage",
        "surplus",
        "truncated",
        "wire",
    )

    def __init__(self, method: str, wire: Wire, max_head: int, limit: int | None) -> None:
        self._method = method
        self._max_head = max_head
        self._limit = limit  # bytes of the body
        self._room = -1 if limit is None else limit
        self._beginning = Portions()
        self._dropped = 0  # bytes of interim answers
        self._missing = 0
        self._chunks: Chunks | None = None
        self.wire = wire
        self.head: Response | None = None
        self.head_truncated = False
        self.stage = Stage.HEAD
        self.truncated: Truncation | None = None
        self.surplus = 0

    @property
    def begun(self) -> bool:
        return bool(self._beginning or self._dropped or self.head)

    @property
    def done(self) -> bool:
        return self.stage is Stage.DONE

    @property
    def received(self) -> bytes:
        """The beginning of what came, for a message about it."""
        return bytes(self._beginning)

    def feed(self, data: bytes) -> bool:
        """Take bytes; True when no more are wanted. Raises OSError when the disk does not take them."""
        while self.stage is Stage.HEAD:
            beginning = self._beginning.add(data)
            rest = None if beginning is None else self._read_head(beginning)
            if rest is None:
                return self.done
            data = rest
        return self._read_body(data)

    def _read_head(self, data: bytes) -> bytes | None:
        """The bytes behind the head, or None if it is not whole."""
        head = parse_response(data)
        if not head.complete and len(data) + self._dropped <= self._max_head:
            return None
        if not head.complete or head.length > self._max_head or self._dropped > self._max_head:
            self._cut_head(data)
            return None
        if not head.raw:
            self.stage = Stage.DONE  # an empty line, and nothing like a head before it: this is not HTTP
            return None
        rest = data[head.length :]
        self._beginning.keep(b"")
        if is_interim(head):
            self._dropped += max(head.length, self._max_head // MOST_INTERIM)
            return rest
        self._accept(head)
        return rest

    def _accept(self, head: Response) -> None:
        self.head = head
        self.wire.add(head.raw)
        self.wire.head_length = head.length
        if not has_body(head, self._method):
            self.stage = Stage.LENGTH
            return
        coding = head.fields.get_bytes("transfer-encoding")
        if coding is not None and (is_only_chunked(head, coding) or head.transfer_codings):
            if is_only_chunked(head, coding) or head.is_chunked:
                self.stage, self._chunks = Stage.CHUNKED, Chunks()
            else:
                self.stage = Stage.CLOSE
            return
        length = length_of(head)
        self.stage = Stage.CLOSE if length is None else Stage.LENGTH
        self._missing = length or 0

    def _cut_head(self, data: bytes) -> None:
        """The head is too long: keep its beginning."""
        head = parse_response(data[: self._max_head])
        self.wire.add(data[: self._max_head])
        self.wire.head_length = self.wire.length
        self._beginning.keep(data[:200])
        self.head = head if head.status is not None and not is_interim(head) else None
        self.head_truncated = True
        self.truncated = Truncation.LENGTH
        self.stage = Stage.DONE

    def _read_body(self, data: bytes) -> bool:
        end = self._end_in(data)
        if 0 <= end < len(data):
            self.surplus = len(data) - end
            data = data[:end]
        if self._limit is not None:
            if len(data) > self._room:
                data, end = data[: self._room], 0
                self.truncated = Truncation.LENGTH
            self._room -= len(data)
        if data:
            self.wire.add(data)
        if end >= 0:
            self.stage = Stage.DONE
            return True
        return False

    def _end_in(self, data: bytes) -> int:
        """Where in these bytes the body ends, or -1."""
        if self.stage is Stage.LENGTH:
            missing = self._missing
            self._missing = missing - len(data)
            return missing if self._missing <= 0 else -1
        if self.stage is Stage.CHUNKED:
            assert self._chunks is not None
            end = self._chunks.feed(data)
            return self._end_without_chunks(data) if self._chunks.unreadable else end
        return -1

    def _end_without_chunks(self, data: bytes) -> int:
        """The head says chunked and the body is not: its length counts if there is one, else the close."""
        assert self._chunks is not None
        assert self.head is not None
        length = None if self._chunks.begun else self.head.content_length
        if length is None:
            self.stage = Stage.CLOSE
            return -1
        self.stage = Stage.LENGTH
        self._missing = length - (self.wire.length - self.wire.head_length)
        return self._end_in(data)

    def close(self) -> None:
        """The connection ended: nothing more will come."""
        if self.stage is Stage.HEAD:
            self._close_in_head()
        elif self.stage in (Stage.LENGTH, Stage.CHUNKED):
            self.truncated = Truncation.DISCONNECT
        elif self._chunks is not None:  # their sizes make no sense, from the first on or later: nobody knows
            self.truncated = Truncation.UNSPECIFIED
        self.stage = Stage.DONE

    def expire(self) -> None:
        """Time is up: what has come is all there will be."""
        if self.stage is Stage.HEAD and (rest := self._read_head(bytes(self._beginning))) is not None:
            self.feed(rest)  # the end of a head that came in very many portions had been missed
        if self.stage is not Stage.DONE:
            self.truncated = Truncation.TIME
            self.stage = Stage.DONE

    def _close_in_head(self) -> None:
        """A head without its empty line is taken if it has a status: browsers do so too."""
        data = bytes(self._beginning)
        head = parse_response(data)
        if head.status is None or is_interim(head):
            return
        self.head = head
        self.head_truncated = not head.complete
        self.wire.add(data)
        self.wire.head_length = head.length
        self.truncated = Truncation.DISCONNECT

    @property
    def allows_another(self) -> bool:
        """Whether the connection may serve another request (RFC 9112, 9.3)."""
        head = self.head
        if head is None or self.truncated or self.surplus or self._chunks_failed():
            return False
        if head.status == SWITCHING_PROTOCOLS:
            return False
        connection = head.fields.get_bytes("connection")
        if head.version == "HTTP/1.1":
            return connection is None or b"close" not in connection.lower()
        return head.version == "HTTP/1.0" and b"keep-alive" in (connection or b"").lower()

    def _chunks_failed(self) -> bool:
        return self._chunks is not None and self._chunks.unreadable


def is_only_chunked(head: Response, coding: bytes) -> bool:
    """Whether the head says chunked and nothing else, as nearly all that say it do: one look is enough."""
    return coding == b"chunked" and head.raw.lower().count(b"\ntransfer-encoding") == 1


def length_of(head: Response) -> int | None:
    """As `head.content_length`, with one look for the usual head that has one plain number."""
    value = head.fields.get_bytes("content-length")
    if value is None:
        return None
    if value.isdigit() and len(value) <= 18 and head.raw.lower().count(b"\ncontent-length") == 1:
        return int(value)
    return head.content_length


def is_interim(head: Response) -> bool:
    status = head.status
    return status is not None and 100 <= status < 200 and status != SWITCHING_PROTOCOLS
