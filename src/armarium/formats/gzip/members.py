"""Members one after the other, each inflated in steps, with its checks and its place in the file."""

import struct
from collections.abc import Callable, Sequence

from isal import igzip_lib, isal_zlib

from armarium.formats.gzip.damage import DAMAGE
from armarium.formats.gzip.header import DEFLATE, FIXED, MAGIC, Header, parse_header
from armarium.formats.gzip.mending import InflateError, inflate_before
from armarium.formats.problem import Problem
from armarium.formats.source import Source

PLAIN_START = b"\x1f\x8b\x08\x00"  # no optional header fields: nearly every member in the wild
CHUNK = 128 * 1024  # the most that one step may inflate to; larger pieces cost page faults
FIRST_STEP = 32 * 1024
SMALLEST_STEP = 1024
LARGEST_STEP = 128 * 1024
PROBE = 4096  # input that must show what a member found by search holds
PATIENCE = 256 * 1024 * 1024  # bytes searched twice in all: damage made on purpose must not cost hours
NEAR_END = 64 * 1024  # how far before a cut a member swallowed by the cut one is looked for

_crc32 = isal_zlib.crc32
_Inflate = igzip_lib.IgzipDecompressor
_RAW = igzip_lib.DECOMP_DEFLATE
_TRAILER = struct.Struct("<II")


class Member:
    """One gzip member. `end` and the trailer's values are known once `read` has returned b""."""

    plain = False  # a position in the decoded bytes is no position in the file
    # Values that most members keep are set here once: a file has millions of members.
    size = 0  # inflated so far
    computed_crc32 = 0
    trailer: tuple[int, int] | None = None  # CRC-32, and the size modulo 2^32, as the member itself says
    end = 0  # offset after the trailer; 0 while unknown
    broken = False  # its data do not inflate to their end: cut or damaged
    last = b""  # what the last step inflated, where there were problems
    problems: Sequence[Problem] = ()

    def __init__(self, source: Source, offset: int, raw_header: bytes, step: int) -> None:
        self.offset = offset
        self.raw_header = raw_header
        self._source = source
        self._step = step
        self.inflate: igzip_lib.IgzipDecompressor | None = _Inflate(_RAW)

    @property
    def header(self) -> Header:
        header = parse_header(self.raw_header)
        assert header is not None, "a member is only made of a whole header"
        return header

    @property
    def length(self) -> int:
        """Bytes in the file, header and trailer included; 0 while unknown."""
        return self.end - self.offset if self.end else 0

    def read(self) -> bytes:
        """The next inflated bytes; b"" at the end of the member, or where it is damaged or cut."""
        inflate, source = self.inflate, self._source
        if inflate is None:
            return b""
        while True:
            fed: bytes | memoryview = b""
            if inflate.needs_input:
                if source.position >= len(source.data) and not source.more():
                    return self._stop("gzip-truncated")
                at = source.position
                fed = memoryview(source.data)[at : at + self._step]
                source.position = at + len(fed)
            try:
                piece = inflate.decompress(fed, CHUNK)
            except InflateError as error:
                source.position -= len(fed)
                return self._mend(str(error))
            self.size += len(piece)
            self.computed_crc32 = _crc32(piece, self.computed_crc32)
            if inflate.eof:
                source.give_back(len(inflate.unused_data))
                self.inflate = None
                self.finish(piece)
                return piece
            self._step = LARGEST_STEP  # a member above the average: no need to feed it in small steps
            if piece:
                self.last = piece
                return piece

    def finish(self, piece: bytes) -> None:
        source = self._source
        at = source.position
        if len(source.data) - at < 8:
            if not source.has(8):
                self.last = piece
                source.position = len(source.data)
                self._stop("gzip-truncated")
                return
            at = source.position
        self.trailer = crc32, isize = _TRAILER.unpack_from(source.data, at)
        source.position = at + 8
        self.end = end = source.base + at + 8
        # RFC 1952 section 2.3.1: CRC32 and ISIZE (modulo 2^32) of the uncompressed data.
        if crc32 == self.computed_crc32 and isize == self.size & 0xFFFFFFFF:
            self.last = b""
            return
        self.last = piece
        if crc32 != self.computed_crc32:
            self._note("gzip-crc32-mismatch", end - 8, stored=crc32, computed=self.computed_crc32)
        if isize != self.size & 0xFFFFFFFF:
            self._note("gzip-isize-mismatch", end - 4, stored=isize, computed=self.size)

    def _stop(self, code: str, **facts: object) -> bytes:
        self.inflate = None
        self.broken = True
        self.end = self._source.offset
        self._note(code, self.end, **facts)
        return b""

    def _mend(self, reason: str) -> bytes:
        """The failed step gave nothing: find what inflates before the fault."""
        source, failed = self._source, self._source.offset
        piece = inflate_before(source, self.offset + len(self.raw_header), failed, self.size)
        source.go_to(max(failed, source.offset))
        self._stop("gzip-deflate-invalid", reason=reason.strip().lower().rstrip("."))
        self.last = piece
        self.size += len(piece)
        return piece

    def _note(self, code: str, offset: int, **facts: object) -> None:
        self.problems = [*self.problems, DAMAGE.problem(code, offset, member=self.offset, **facts)]


class Members:
    """The members of a file, from where the source stands.

    `plausible` says of a member's first bytes whether they are what the file should hold: after damage, the
    search for the next member goes by it.
    """

    def __init__(self, source: Source, plausible: Callable[[bytes], bool] = bool) -> None:
        self._source = source
        self._plausible = plausible
        self._step = FIRST_STEP
        self._last: Member | None = None
        self._count = 0
        self._mark = source.offset  # where the step was last adapted
        self._patience = PATIENCE
        self.problems: list[Problem] = []  # of what stands between members

    def next(self) -> Member | None:
        """The next member; None at the end. The one before must have been read to its end."""
        source, last = self._source, self._last
        if last is not None and last.broken:
            return self._search(last)
        if len(source.data) - source.position < FIXED and not source.has(FIXED):
            return self._leftover()
        at, data = source.position, source.data
        if not data.startswith(PLAIN_START, at):
            return self._unusual()
        self._last = member = Member(source, source.base + at, data[at : at + FIXED], self._step)
        source.position = at + FIXED
        return member

    def enter(self) -> tuple[Member, bytes] | None:
        """The next member that holds anything, with its first bytes."""
        source, last = self._source, self._last
        at, data = source.position, source.data
        if (
            (last is not None and last.broken)
            or len(data) - at < FIXED
            or not data.startswith(PLAIN_START, at)
        ):
            return self._enter_unusual()
        self._count += 1
        if not self._count % 64:
            self._adapt(source.base + at)
        # What follows is Member.read and its end for the usual case, without the calls.
        self._last = member = Member(source, source.base + at, data[at : at + FIXED], self._step)
        fed = memoryview(data)[at + FIXED : at + FIXED + self._step]
        source.position = at = at + FIXED + len(fed)
        inflate = member.inflate
        assert inflate is not None, "a new member inflates"
        try:
            piece = inflate.decompress(fed, CHUNK)
        except InflateError:
            source.position = at - len(fed)
            return member, member.read()
        member.size = len(piece)
        member.computed_crc32 = _crc32(piece)
        if inflate.eof:
            source.position = at - len(inflate.unused_data)
            member.inflate = None
            member.finish(piece)
        else:
            member.last = piece
        return (member, piece) if piece else self._enter_unusual()

    def _enter_unusual(self) -> tuple[Member, bytes] | None:
        member = self._last if self._last is not None and not self._last.end else self.next()
        while member is not None:
            piece = member.read()
            if piece:
                return member, piece
            self.problems.extend(member.problems)
            member = self.next()
        return None

    def _adapt(self, offset: int) -> None:
        """Members of one file are alike: a step of about twice their size spares copying what is
        behind them.
        """
        self._step = min(max((offset - self._mark) // 32, SMALLEST_STEP), FIRST_STEP)
        self._mark = offset

    def _unusual(self) -> Member | None:
        offset = self._source.offset
        header = _whole_header(self._source)
        # RFC 1952 section 2.3.1.2: a reserved flag must be zero. Such a member still inflates, so it is read.
        if header is None or header.method != DEFLATE:
            return self._search(self._last)
        self._source.position += len(header.raw)
        self._last = Member(self._source, offset, header.raw, self._step)
        return self._last

    def _leftover(self) -> Member | None:
        rest = self._source.data[self._source.position :]
        if not rest:
            return None
        if rest.startswith(MAGIC):
            self._report("gzip-truncated", self._source.offset, member=self._source.offset)
            return None
        return self._search(self._last)

    def _search(self, last: Member | None) -> Member | None:
        """What follows is no member, or the last one ended in damage: find the next that makes sense."""
        source = self._source
        begin = source.offset
        if last is not None and last.problems:
            cut = any(problem.code == "gzip-truncated" for problem in last.problems)
            back = max(last.offset + 1, begin - NEAR_END) if cut else last.offset + 1
            self._patience -= begin - back
            if self._patience > 0 and source.go_to(back):
                begin = back
        lost = last.end if last is not None and last.broken else begin
        for offset in source.find_all(PLAIN_START[:3]):
            member = self._probe(offset, last)
            if member is not None:
                if offset > lost:
                    self._report("gzip-lost-range", lost, count=offset - lost, end=offset)
                self._last = member
                return member
        self._last = None
        if last is None or not last.broken:  # otherwise the member's own problem says where reading ended
            self._report_rest(lost)
        return None

    def _report_rest(self, lost: int) -> None:
        end = self._source.offset
        zeros = self._source.go_to(lost) and _only_zeros(self._source)
        self._source.go_to(end)
        if end > lost:
            self._report("gzip-trailing-zeros" if zeros else "gzip-trailing-data", lost, count=end - lost)

    def _probe(self, offset: int, last: Member | None) -> Member | None:
        source = self._source
        if last is not None and source.peek(48) in last.last:
            return None  # a gzip file captured inside the damaged member, not a member of this file
        header = _whole_header(source)
        if header is None or header.method != DEFLATE:
            return None
        size = len(header.raw)
        try:
            piece = _Inflate(_RAW).decompress(source.peek(size + PROBE)[size:], PROBE)
        except InflateError:
            return None
        if not self._plausible(piece):
            return None
        source.position += size
        return Member(source, offset, header.raw, self._step)

    def _report(self, code: str, begin: int, **facts: object) -> None:
        self.problems.append(DAMAGE.problem(code, begin, begin=begin, **facts))


def _whole_header(source: Source) -> Header | None:
    """The header where the source stands; None where there is none."""
    count = 512
    try:
        while (header := parse_header(source.peek(count))) is None:
            if not source.has(count):
                return None
            count *= 4
    except ValueError:
        return None
    return header


def _only_zeros(source: Source) -> bool:
    while source.has(1):
        if source.data.count(0, source.position) != len(source.data) - source.position:
            return False
        source.position = len(source.data)
    return True
