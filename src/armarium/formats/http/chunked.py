"""The chunked transfer coding (RFC 9112, 7.1), decoded while it streams by.

    SIZE ──size line──▶ DATA ──all bytes──▶ AFTER_DATA ──line end──▶ SIZE
      │ size 0                                   (not a line end: noted, SIZE)
      └──▶ TRAILER ──empty line──▶ DONE
    Where no size can be read: RAW, the rest passed on as recorded.

Many recorders stored the decoded body but kept "Transfer-Encoding: chunked". Such a body does not begin with
a size line; and where it does by chance ("2023\\n…"), the first chunk does not end where it should. So the
first chunk is held back until its end is seen, as long as it is small.
"""

import enum
import re

from armarium.formats.http.fields import Fields
from armarium.formats.http.problems import Findings, excerpt
from armarium.formats.problem import Problem

MAX_SIZE_LINE = 8192  # with its extensions
MAX_HELD = 1 << 16  # of a first chunk, until it is believed
MAX_TRAILER = 1 << 16

# chunk = chunk-size [ chunk-ext ] CRLF; white space around the size is old Apache's padding.
SIZE_LINE = re.compile(rb"([ \t]*+)0*+([0-9A-Fa-f]*+)([ \t]*+)(;[^\n]*+)?\r*+\n")
MAY_BECOME_SIZE = re.compile(rb"[ \t]*+[0-9A-Fa-f]*+[ \t]*+(?:[;\r]|\Z)")
MAX_SIZE_DIGITS = 15  # 2^60 bytes: more is no size but an attack


class State(enum.Enum):
    SIZE = enum.auto()
    DATA = enum.auto()
    AFTER_DATA = enum.auto()
    TRAILER = enum.auto()
    DONE = enum.auto()
    RAW = enum.auto()


class Dechunker:
    """Decodes chunked bytes: `feed` as they come, then `finish`; each returns what is decoded. Never raises.

    Memory is constant: at most `MAX_HELD` bytes wait. Offsets of findings count from the first byte fed.
    """

    def __init__(self) -> None:
        self._state = State.SIZE
        self._buffer = b""
        self._at = 0  # bytes of the buffer understood
        self._before = 0  # bytes of the body before the buffer
        self._missing = 0  # bytes of the current chunk still to come
        self._first: bytearray | None = bytearray()  # the first chunk as recorded; None once believed
        self._first_size_line = b""
        self._trailer = bytearray()
        self._findings = Findings()
        self.already_decoded = False  # the body was not chunked at all
        self.data_after = 0  # bytes fed after the end, not part of the body

    @property
    def done(self) -> bool:
        """Whether the end of the chunked body was seen, with its trailer."""
        return self._state is State.DONE

    @property
    def problems(self) -> list[Problem]:
        return self._findings.problems

    @property
    def trailer(self) -> Fields:
        """The fields after the last chunk."""
        return Fields(bytes(self._trailer))

    def feed(self, data: bytes) -> bytes:
        if self._state is State.RAW:
            return data
        self._before += self._at
        self._buffer, self._at = self._buffer[self._at :] + data, 0
        out: list[bytes] = []
        step = STEPS[self._state]
        while step(self, out):
            step = STEPS[self._state]
        return out[0] if len(out) == 1 else b"".join(out)

    def finish(self) -> bytes:
        """Say that the body is over; returns the bytes that still waited."""
        out: list[bytes] = []
        state = self._state
        if state is State.DATA and self._first is not None and not self._first_size_line.endswith(b"\r\n"):
            # A size line that ends with LF, and less data than it says: text that begins with a number.
            self._take_as_decoded(out)
        elif state is State.DATA:
            self._believe(out)
            self._note("http-chunk-truncated", missing=self._missing)
        elif state is State.SIZE and self._first is not None and self._rest().strip():
            self._take_as_decoded(out)
        elif state is State.SIZE or state is State.AFTER_DATA:
            self._believe(out)
            self._finish_between_chunks(out)
        elif state is State.TRAILER:
            self._trailer += self._rest()
            self._note("http-chunk-trailer-unterminated")
        self._at = len(self._buffer)
        return b"".join(out)

    def _finish_between_chunks(self, out: list[bytes]) -> None:
        rest = self._rest().strip()
        if rest and set(rest) <= {ord("0")}:
            self._note("http-chunk-trailer-unterminated")  # the last chunk, cut inside its line
            return
        self._note("http-chunk-last-missing")
        if rest and not re.fullmatch(rb"[0-9A-Fa-f]+(?:[ \t]*;.*)?", rest):
            self._note("http-chunk-size-invalid", line=excerpt(rest))
            out.append(self._rest())

    # One method per state: each takes what it can from the buffer and says whether to go on.

    def _read_size(self, out: list[bytes]) -> bool:
        end = self._buffer.find(b"\n", self._at, self._at + MAX_SIZE_LINE)
        if end < 0 and len(self._buffer) - self._at < MAX_SIZE_LINE:
            if self._first is not None and not MAY_BECOME_SIZE.match(self._buffer, self._at):
                self._take_as_decoded(out)  # no need to wait for the end of a line
            return False
        line = self._buffer[self._at : end + 1]
        if self._first is None and line and not line.strip(b"\r\n"):
            self._note("http-chunk-empty-line")
            self._at = end + 1
            return True
        match = SIZE_LINE.fullmatch(line)
        zeros_only = match is not None and not match[2] and b"0" in line.partition(b";")[0]
        if match is None or not (match[2] or zeros_only) or len(match[2]) > MAX_SIZE_DIGITS:
            self._give_up(out, line or self._rest(), absurd=match is not None)
            return False
        if match[1] or match[3]:
            self._note("http-chunk-size-padded")
        if not line.endswith(b"\r\n"):
            self._note("http-chunk-line-end-lf")
        self._missing = int(match[2] or b"0", 16)
        if self._first is not None:
            self._first_size_line = line
            self._first += line
        self._at = end + 1
        self._state = State.DATA if self._missing else State.TRAILER
        if not self._missing:
            self._believe(out)
        return True

    def _read_data(self, out: list[bytes]) -> bool:
        data = self._buffer[self._at : self._at + self._missing]
        if not data:
            return False
        self._missing -= len(data)
        self._at += len(data)
        if self._first is None:
            out.append(data)
        else:
            self._first += data
            if len(self._first) > MAX_HELD:
                self._believe(out)
        if self._missing == 0:
            self._state = State.AFTER_DATA
        return True

    def _read_after_data(self, out: list[bytes]) -> bool:
        start = self._buffer[self._at : self._at + 2]
        if start == b"\r\n" or start[:1] == b"\n":
            self._believe(out)
            if start != b"\r\n":
                self._note("http-chunk-line-end-lf")
            self._at += 2 if start == b"\r\n" else 1
        elif start in (b"", b"\r"):
            return False
        elif self._first is not None:
            self._take_as_decoded(out)
            return False
        else:
            self._note("http-chunk-end-missing")
        self._state = State.SIZE
        return True

    def _read_trailer(self, _out: list[bytes]) -> bool:
        end = self._buffer.find(b"\n", self._at)
        if end < 0 and len(self._buffer) - self._at + len(self._trailer) <= MAX_TRAILER:
            return False
        line = self._buffer[self._at : end + 1] if end >= 0 else self._rest()
        if not line.strip(b"\r\n"):
            self._state = State.DONE
        elif len(self._trailer) + len(line) > MAX_TRAILER:
            self._note("http-chunk-trailer-too-large")
            self._state = State.DONE
        else:
            self._trailer += line
        self._at += len(line)
        return True

    def _read_after_end(self, _out: list[bytes]) -> bool:
        if self._at < len(self._buffer):
            self._note("http-chunk-data-after")
            self.data_after += len(self._buffer) - self._at
            self._at = len(self._buffer)
        return False

    def _read_raw(self, _out: list[bytes]) -> bool:
        return False

    def _believe(self, out: list[bytes]) -> None:
        """The first chunk is one: pass on what was held of it."""
        if self._first is not None:
            held = bytes(self._first[len(self._first_size_line) :])
            self._first = None
            if held:
                out.append(held)

    def _take_as_decoded(self, out: list[bytes]) -> None:
        self.already_decoded = True
        self._findings = Findings()  # what was noted about lines that were none
        self._findings.note("http-chunked-already-decoded")
        out.append(bytes(self._first or b"") + self._rest())
        self._go_raw()

    def _give_up(self, out: list[bytes], line: bytes, *, absurd: bool) -> None:
        if self._first is not None:
            self._take_as_decoded(out)
            return
        self._note("http-chunk-size-too-large" if absurd else "http-chunk-size-invalid", line=excerpt(line))
        out.append(self._rest())
        self._go_raw()

    def _go_raw(self) -> None:
        self._first = None
        self._at = len(self._buffer)
        self._state = State.RAW

    def _rest(self) -> bytes:
        return self._buffer[self._at :]

    def _note(self, code: str, **facts: object) -> None:
        self._findings.note(code, self._before + self._at, **facts)


STEPS = {
    State.SIZE: Dechunker._read_size,
    State.DATA: Dechunker._read_data,
    State.AFTER_DATA: Dechunker._read_after_data,
    State.TRAILER: Dechunker._read_trailer,
    State.DONE: Dechunker._read_after_end,
    State.RAW: Dechunker._read_raw,
}
