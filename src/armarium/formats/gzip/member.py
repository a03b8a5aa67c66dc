"""One member, inflated in steps, with its checks and its place in the file; and what can be wrong with it."""

import struct
from collections.abc import Sequence

from isal import igzip_lib, isal_zlib

from armarium.formats.gzip.header import Header, parse_header
from armarium.formats.problem import Catalogue, Kind, Problem, Severity
from armarium.formats.source import Source

# --- What can be wrong with gzip members, as problems with stable codes.


_COPY = "Restore the file from another copy."
_CHANGED = "The data changed after they were written. Restore the file from another copy."

DAMAGE = Catalogue(
    {
        "gzip-truncated": Kind(
            Severity.ERROR,
            "The file ends inside the gzip member that begins at byte {member}.",
            "RFC 1952 section 2.3",
            "Writing or transfer was cut. Fetch the file again, or cut it at the end of the "
            "last whole record.",
        ),
        "gzip-deflate-invalid": Kind(
            Severity.ERROR,
            "The deflated data of the gzip member at byte {member} are damaged: {reason}.",
            "RFC 1951",
            _COPY,
        ),
        "gzip-crc32-mismatch": Kind(
            Severity.ERROR,
            "The gzip member at byte {member} says CRC-32 {stored:08x}; its data have {computed:08x}.",
            "RFC 1952 section 2.3.1",
            _CHANGED,
        ),
        "gzip-isize-mismatch": Kind(
            Severity.ERROR,
            "The gzip member at byte {member} says that it holds {stored} bytes modulo 2^32; it "
            "holds {computed}.",
            "RFC 1952 section 2.3.1",
            _CHANGED,
        ),
        "gzip-trailing-data": Kind(
            Severity.ERROR,
            "{count} bytes behind the last gzip member are no gzip member.",
            "RFC 1952 section 2.2",
            "Compare with another copy; if the bytes mean nothing, cut them off.",
        ),
        "gzip-trailing-zeros": Kind(
            Severity.WARNING,
            "{count} zero bytes stand behind the last gzip member.",
            "RFC 1952 section 2.2",
            "Some tapes and tools pad files. Cut the zeros off.",
        ),
        "gzip-lost-range": Kind(
            Severity.ERROR,
            "{count} bytes could not be read: from byte {begin} to the next gzip member at byte {end}.",
            "RFC 1952 section 2.2",
            _COPY,
        ),
        "gzip-search-ended": Kind(
            Severity.ERROR,
            "The search for the next gzip member ended at byte {begin}: too much before it only looked like "
            "one. What follows was not read.",
            "RFC 1952 section 2.2",
            "The file was made to waste time, or is no archive from here on. Compare with another copy.",
        ),
        "gzip-member-empty": Kind(
            Severity.WARNING,
            "The gzip member at byte {begin} holds nothing.",
            "WARC 1.1 annex D.2",
            "Readers pass over it. Compress the file again, one member for each record.",
        ),
    }
)


# --- What can still be inflated of a damaged member.
#
# The inflater gives nothing of a step in which it meets a fault. So the member is inflated again in ever
# smaller
# steps, at last byte by byte, up to the fault.


InflateError: type[Exception] = igzip_lib.IsalError  # type: ignore[assignment]  # the stub says: an instance
LARGE_STEP = 128 * 1024
SMALL_STEPS = (1024, 32, 1)
MOST = 1024 * 1024  # given at a time; what one step can hide is less


def inflate_before(source: Source, begin: int, fault: int, skip: int) -> bytes:
    """The bytes that inflate before the fault, without the first `skip`.

    `begin` is where the deflated data begin, `fault` the beginning of the step that failed. The source stands
    behind the last step that did not fail then.
    """
    found = b""
    for step in SMALL_STEPS:
        found, fault = _inflate_until(source, begin, fault, skip, step)
    return found


def _inflate_until(source: Source, begin: int, fault: int, skip: int, step: int) -> tuple[bytes, int]:
    if not source.go_to(begin):
        return b"", fault
    inflate = igzip_lib.IgzipDecompressor(igzip_lib.DECOMP_DEFLATE)
    pieces: list[bytes] = []
    done = 0
    try:
        while not inflate.eof and done < skip + MOST:
            fed = b""
            if inflate.needs_input:
                ahead = fault - source.offset
                fed = source.peek(min(ahead, LARGE_STEP) if ahead > 0 else step)
                if not fed:
                    break
            piece = inflate.decompress(fed, LARGE_STEP)
            source.position += len(fed)
            done += len(piece)
            if done > skip:
                pieces.append(piece[max(skip - done, -len(piece)) :])
    except InflateError:
        pass  # this is where the fault is
    return b"".join(pieces), source.offset


# --- One member, inflated in steps, with its checks and its place in the file.


CHUNK = 128 * 1024  # the most that one step may inflate to; larger pieces cost page faults
LARGEST_STEP = 128 * 1024

TRAILER = struct.Struct("<II")
crc32 = isal_zlib.crc32


def new_inflater() -> igzip_lib.IgzipDecompressor:
    """One for deflated data without header and trailer: those are ours to read."""
    return igzip_lib.IgzipDecompressor(igzip_lib.DECOMP_DEFLATE)


class Member:
    """One gzip member. `end` and the trailer's values are known once `read` has returned b""."""

    plain = False  # a position in the decoded bytes is no position in the file
    # Values that most members keep are set here once: a file has millions of members.
    size = 0  # inflated so far
    computed_crc32 = 0
    inflater: igzip_lib.IgzipDecompressor | None = None  # None once it has done its work
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

    @classmethod
    def begun(cls, source: Source, header: bytes, step: int) -> "Member":
        """The member whose header stands where the source stands, which then stands behind the header."""
        member = cls(source, source.offset, header, step)
        member.inflater = new_inflater()
        source.position += len(header)
        return member

    @classmethod
    def finished(
        cls, source: Source, offset: int, header: bytes, trailer: tuple[int, int], end: int
    ) -> "Member":
        """A member that was inflated at a stroke, and found right."""
        member = cls(source, offset, header, 0)
        member.trailer, member.end = trailer, end
        member.computed_crc32, member.size = trailer
        return member

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
        inflate, source = self.inflater, self._source
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
            self.computed_crc32 = crc32(piece, self.computed_crc32)
            if inflate.eof:
                source.give_back(len(inflate.unused_data))
                self.inflater = None
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
        self.trailer = stored, isize = TRAILER.unpack_from(source.data, at)
        source.position = at + 8
        self.end = end = source.base + at + 8
        # RFC 1952 section 2.3.1: CRC32 and ISIZE (modulo 2^32) of the uncompressed data.
        if stored == self.computed_crc32 and isize == self.size & 0xFFFFFFFF:
            self.last = b""
            return
        self.last = piece
        if stored != self.computed_crc32:
            self._note("gzip-crc32-mismatch", end - 8, stored=stored, computed=self.computed_crc32)
        if isize != self.size & 0xFFFFFFFF:
            self._note("gzip-isize-mismatch", end - 4, stored=isize, computed=self.size)

    def _stop(self, code: str, **facts: object) -> bytes:
        self.inflater = None
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
