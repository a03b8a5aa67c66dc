"""The members of a file, one after the other."""

from collections.abc import Callable

from isal import igzip_lib

from armarium.formats.gzip.header import DEFLATE, FIXED, MAGIC
from armarium.formats.gzip.member import (
    CHUNK,
    LARGEST_STEP,
    TRAILER,
    InflateError,
    Member,
    crc32,
    new_inflater,
)
from armarium.formats.gzip.search import Search, whole_header
from armarium.formats.problem import Problem
from armarium.formats.source import Source

PLAIN_START = b"\x1f\x8b\x08\x00"  # no optional header fields: nearly every member in the wild
EXTRA_START = b"\x1f\x8b\x08\x04"  # with an extra field: wget tells the lengths in it
FIRST_STEP = 32 * 1024
SMALL = 1024
MOST_EMPTY = 10_000  # problems above which an empty member is no longer worth another one

# A whole member, inflated at once and found right: source, offset, header, trailer, end. `Member.finished`
# makes a member of it if anybody asks. No class of its own: a file has millions of them.
Stroke = tuple[Source, int, bytes, tuple[int, int], int]


class Members:
    """The members of a file, from where the source stands.

    `plausible` says of a member's first bytes whether they are what the file should hold: after damage, the
    search for the next member goes by it.
    """

    def __init__(
        self, source: Source, plausible: Callable[[bytes], bool] = bool, problems: list[Problem] | None = None
    ) -> None:
        self._source = source
        self.problems: list[Problem] = [] if problems is None else problems  # of what stands between members
        self._search = Search(source, plausible, self.problems)
        self.stops: Callable[[], bool] | None = None  # whether what is no member is somebody else's
        self._steps = [FIRST_STEP] * 4  # see `_learn`
        self._two_before = 0  # bit by bit, whether the last two members were small
        self._last: Member | None = None
        self._ahead: tuple[Member, bytes] | None = None  # a member for which a stroke did not suffice

    def next(self) -> Member | None:
        """The next member; None at the end. The one before must have been read to its end."""
        source, last = self._source, self._last
        if last is not None and last.broken:
            self._last = self._search.after(last, FIRST_STEP)
        elif not source.has(FIXED):
            self._last = self._leftover()
        else:
            header = whole_header(source)
            # RFC 1952 section 2.3.1.2: a reserved flag must be zero. Such a member still inflates.
            if header is None or header.method != DEFLATE:
                self._last = None if self.stops and self.stops() else self._search.after(last, FIRST_STEP)
            else:
                self._last = Member.begun(source, header.raw, FIRST_STEP)
        return self._last

    def stroke(self) -> tuple[bytes, Stroke] | None:
        """The next member's content if it inflates at once and is right; None otherwise.

        What was done in vain is not lost: `enter` goes on with it.
        """
        source, last, step = self._source, self._last, self._steps[self._two_before] + SMALL
        if len(source.data) - source.position < step and not source.ended:
            source.more()  # or else every member that lies across two reads would have to take the long way
        at, data = source.position, source.data
        begin = at + FIXED
        if not data.startswith(PLAIN_START, at):
            if not data.startswith(EXTRA_START, at):
                return None
            begin += 2 + int.from_bytes(data[begin : begin + 2], "little")
        if begin >= len(data) or (last is not None and last.broken):
            return None
        fed = begin + step
        inflater = new_inflater()
        try:
            content = inflater.decompress(memoryview(data)[begin:fed], CHUNK)
            if inflater.needs_input and fed < len(data):
                again, fed = fed, fed + LARGEST_STEP
                content += inflater.decompress(memoryview(data)[again:fed], CHUNK)
        except InflateError:
            return None
        if fed > len(data):
            fed = len(data)
        if not inflater.eof:
            self._go_on_later(data[at:begin], inflater, content, fed - begin)
            return None
        end = fed - len(inflater.unused_data) + TRAILER.size
        if end > len(data) or not content:
            return None
        trailer = TRAILER.unpack_from(data, end - TRAILER.size)
        # RFC 1952 section 2.3.1: CRC32 and ISIZE of the uncompressed data.
        if trailer != (crc32(content), len(content)):
            return None
        source.position = end
        self._last = None
        self._learn(end - at)
        return content, (source, source.base + at, data[at:begin], trailer, source.base + end)

    def enter(self) -> tuple[Member, bytes] | None:
        """The next member that holds anything, with its first bytes."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead[1]:
            return ahead
        member = ahead[0] if ahead is not None else self.next()
        while member is not None:
            piece = member.read()
            if piece:
                return member, piece
            self._pass_empty(member)
            member = self.next()
        return None

    def _pass_empty(self, member: Member) -> None:
        if member.problems:
            self.problems.extend(member.problems)
        elif len(self.problems) < MOST_EMPTY:
            self._search.report("gzip-member-empty", member.offset)

    def _go_on_later(
        self, header: bytes, inflater: igzip_lib.IgzipDecompressor, content: bytes, fed: int
    ) -> None:
        """A stroke did not suffice: keep what it gave for `enter`."""
        source = self._source
        self._last = member = Member.begun(source, header, LARGEST_STEP)
        source.position += fed
        member.inflater = inflater
        member.size = len(content)
        member.computed_crc32 = crc32(content)
        member.last = content
        self._ahead = member, content

    def _learn(self, size: int) -> None:
        """Small and large members take turns (a request, its answer, metadata): what followed the last two
        that were like these tells what to expect. A step of twice the size spares copying what is behind.
        """
        before, steps = self._two_before, self._steps
        steps[before] += (min(2 * size, FIRST_STEP) - steps[before]) // 4
        self._two_before = before << 1 & 2 | (size < SMALL)

    def _leftover(self) -> Member | None:
        """Fewer bytes are left than a header has."""
        source = self._source
        rest = source.data[source.position :]
        if not rest:
            return None
        if rest.startswith(MAGIC):
            self._search.report("gzip-truncated", source.offset, member=source.offset)
            return None
        return self._search.after(self._last, FIRST_STEP)
