"""One content coding undone while the bytes stream by: find out what they are, decode, survive damage.

    STREAM ──end of stream──▶ BETWEEN ──signature of another──▶ STREAM
       │                         └──anything else──▶ OVER
       ├──damage──▶ OVER
       └──not this format──▶ STREAM with the next candidate, or PLAIN: passed on as it is

Two things need bytes that have already gone past. A body may not be what its label says, which shows only
after a while; and a decompressor that meets damage throws away the output of its last piece. So the first
four megabytes of input are held: a wrong candidate is replaced by the next one, and a failed piece is fed
again, byte by byte. In longer streams the output of one piece (4 KiB of input) before the damage is lost.
"""

import enum
import re
from collections.abc import Iterable, Iterator

from armarium.formats.http.engines import FORMATS, RAW_DEFLATE, DecodingError, Format, candidates
from armarium.formats.http.problems import Findings

MAX_HELD = 1 << 22
LONGEST_MAGIC = 4
CONVINCING = 1024  # bytes of output after which a candidate is believed
CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")  # never in text; ESC is, in ISO-2022
NULS = re.compile(rb"\0+")


class State(enum.Enum):
    STREAM = enum.auto()
    BETWEEN = enum.auto()
    PLAIN = enum.auto()
    OVER = enum.auto()


class Stage:
    """Undoes one coding; `run` gives the bytes in bounded pieces and notes what is wrong. It never raises."""

    def __init__(self, coding: str, findings: Findings) -> None:
        self._coding = coding
        self._findings = findings
        self._input = b""
        self._at = 0  # bytes of `_input` used
        self._before = 0  # bytes of the body before `_input`
        self._held = bytearray()  # the bytes used of this stream
        self._holding = True  # False once they were too many
        self._waiting: list[bytes] = []  # decoded, but the candidate is not yet believed
        self._given = 0  # bytes decoded with this candidate
        self._believed = False
        self._exhausted = False  # no more input will come

    def run(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        source = iter(chunks)
        self._input = _at_least(LONGEST_MAGIC, source)
        if not self._input:
            return  # no body, as in the answer to HEAD: nothing to decode, nothing wrong
        self._candidates = candidates(self._coding, self._input)
        self._state = State.STREAM
        self._next_candidate()
        while self._state is not State.OVER:
            available = len(self._input) - self._at
            if available >= self._needed() or (self._exhausted and available):
                yield from self._step()
            elif self._exhausted:
                yield from self._finish()
            else:
                self._refill(source)

    def _needed(self) -> int:
        """Whole pieces only, whatever the portions that come in: the same bytes must give the same result."""
        if self._state is State.STREAM:
            return self._engine.piece
        return LONGEST_MAGIC if self._state is State.BETWEEN else 1

    def _refill(self, source: Iterator[bytes]) -> None:
        chunk = next(source, None)
        if chunk is None:
            self._exhausted = True
        else:
            self._before += self._at
            self._input, self._at = self._input[self._at :] + chunk, 0

    def _step(self) -> Iterator[bytes]:
        if self._state is State.STREAM:
            yield from self._feed()
        elif self._state is State.BETWEEN:
            yield from self._look_between()
        else:
            at, self._at = self._at, len(self._input)
            yield self._input[at:]

    def _next_candidate(self) -> None:
        if not self._candidates:
            self._state = State.PLAIN
            self._note("http-coding-mislabelled", actual="not compressed")
            return
        self._format: Format = self._candidates.pop(0)
        self._waiting, self._given = [], 0
        self._open()

    def _open(self) -> None:
        self._engine = self._format.engine()
        self._held.clear()
        self._holding = True
        self._state = State.STREAM

    def _feed(self) -> Iterator[bytes]:
        piece = self._input[self._at : self._at + self._engine.piece]
        self._at += len(piece)
        yield from self._hold(piece)
        given = self._given
        try:
            for out in self._engine.feed(piece):
                yield from self._give(out)
        except DecodingError as error:
            yield from self._fail(len(piece), self._given - given, str(error))
            return
        if self._engine.finished:
            self._end_stream(len(self._engine.unused))

    def _hold(self, piece: bytes) -> Iterator[bytes]:
        if self._holding:
            self._held += piece
            if len(self._held) > MAX_HELD:
                yield from self._believe()
                self._holding = False
                self._held.clear()

    def _end_stream(self, unused: int) -> None:
        self._at -= unused
        del self._held[len(self._held) - unused :]
        self._state = State.BETWEEN

    def _give(self, out: bytes) -> Iterator[bytes]:
        self._given += len(out)
        if self._believed:
            yield out
            return
        self._waiting.append(out)
        if self._given >= CONVINCING:
            yield from self._believe()

    def _believe(self) -> Iterator[bytes]:
        """The candidate is right: say so where the label is not, and pass on what waited."""
        if self._believed or self._state is State.PLAIN:
            return
        self._believed = True
        yield from self._waiting
        self._waiting = []
        if self._format is RAW_DEFLATE:
            self._note("http-deflate-raw")
        elif self._format is not FORMATS[self._coding]:
            self._note("http-coding-mislabelled", actual=self._format.name)

    def _fail(self, piece: int, given: int, error: str) -> Iterator[bytes]:
        if self._holding:
            for out in self._replay(len(self._held) - piece, given):
                yield from self._give(out)
        if self._engine.finished:
            return  # brotli alone calls bytes after the end a failure; `_replay` has found the end
        if self._is_wrong_candidate():
            self._try_another()
            return
        yield from self._believe()
        # The checksum of gzip and zlib comes last: everything was decoded before it.
        self._note("http-coding-checksum" if "check" in error else "http-coding-damaged", error=error)
        self._state = State.OVER

    def _replay(self, before: int, given: int) -> Iterator[bytes]:
        """Decode the failed piece once more, byte by byte, with a new engine; skip what was given of it."""
        held = bytes(self._held)
        engine = self._engine = self._format.engine()
        try:
            for at in range(0, before, engine.piece):
                for _ in engine.feed(held[at : min(at + engine.piece, before)]):
                    pass
            for at in range(before, len(held)):
                for out in engine.feed(held[at : at + 1]):
                    if len(out) > given:
                        yield out[given:]
                    given = max(0, given - len(out))
                if engine.finished:
                    self._end_stream(len(held) - at - 1)
                    return
        except DecodingError:
            return

    def _is_wrong_candidate(self) -> bool:
        """Nothing decoded, or next to nothing from what is plainly text: the label lied."""
        if self._believed:
            return False
        return self._given == 0 or is_text(bytes(self._held))

    def _try_another(self) -> None:
        self._input = bytes(self._held) + self._input[self._at :]
        self._at = self._before = 0  # a candidate is given up only while everything is still held
        self._next_candidate()

    def _look_between(self) -> Iterator[bytes]:
        """RFC 1952, 2.2 and RFC 8878, 3.1: members and frames may follow one another; NULs are padding."""
        if padding := NULS.match(self._input, self._at):
            self._at = padding.end()
            return
        rest = self._input[self._at : self._at + LONGEST_MAGIC]
        magic = self._format.magic
        if magic and rest.startswith(magic):
            self._open()
        elif self._is_wrong_candidate() and not magic:
            self._try_another()
        else:
            yield from self._believe()
            self._note("http-coding-data-after")
            self._state = State.OVER

    def _finish(self) -> Iterator[bytes]:
        """The input is over: in the right place, or not."""
        if self._state is State.STREAM and self._is_wrong_candidate() and is_text(bytes(self._held)):
            self._try_another()
            return
        yield from self._believe()
        if self._state is State.STREAM:
            self._note("http-coding-truncated")
        self._state = State.OVER

    def _note(self, code: str, **facts: object) -> None:
        self._findings.note(code, self._before + self._at, coding=self._coding, **facts)


def _at_least(count: int, source: Iterator[bytes]) -> bytes:
    start = b""
    for chunk in source:
        start += chunk
        if len(start) >= count:
            break
    return start


def is_text(sample: bytes) -> bool:
    """Whether bytes are text rather than compressed: no control characters, and UTF-8 or mostly ASCII."""
    sample = sample[:CONVINCING]
    if CONTROLS.search(sample):
        return False
    letters = sum(byte < 0x80 for byte in sample)
    return letters * 4 >= len(sample) * 3 or _is_utf8(sample)


def _is_utf8(sample: bytes) -> bool:
    try:
        sample.decode()
    except UnicodeDecodeError as error:
        return error.start > len(sample) - 4 > 0  # cut inside a character
    return True
