"""The next member after damage: by its first bytes, its header, and what it holds."""

from collections.abc import Callable

from armarium.formats.gzip.header import DEFLATE, FIXED, MAX_TEXT, RESERVED, Header, parse_header
from armarium.formats.gzip.member import DAMAGE, InflateError, Member, new_inflater
from armarium.formats.problem import Problem
from armarium.formats.source import Source

START = b"\x1f\x8b\x08"  # of any member
PROBE = 4096  # input that must show what a member holds
LONGEST_HEADER = 4096  # with its optional fields, while searching: a name without end is none
# RFC 1952 section 2.3.1, of deflate: nothing, best, fastest; systems 0 to 13, and unknown.
EXTRA_FLAGS, SYSTEMS = frozenset({0, 2, 4}), frozenset({*range(14), 255})
NO_BLOCK = 6  # RFC 1951 section 3.2.3: the bits of a block type that there is not
# Bytes in all: damage made on purpose must not cost hours.
PATIENCE = 256 * 1024 * 1024  # inflated a second time and more often
PROBED = 256 * 1024 * 1024  # looked at in vain, where something began like a member
PASSES = 4  # a damaged member is inflated once, and three times more to find the fault
NEAR_END = 64 * 1024  # how far before a cut a member swallowed by the cut one is looked for


class Search:
    """Finds members where reading lost its way, and says what lies between."""

    def __init__(self, source: Source, plausible: Callable[[bytes], bool], problems: list[Problem]) -> None:
        self._source = source
        self._plausible = plausible
        self._patience = PATIENCE
        self._probed = PROBED
        self._furthest = 0  # how far damaged members were read
        self.problems = problems

    def after(self, last: Member | None, step: int) -> Member | None:
        """What follows is no member, or the last one ended in damage: find the next that makes sense."""
        source = self._source
        begin = source.offset
        lost = last.end if last is not None and last.broken else begin
        self._go_back(last)
        for offset in source.find_all(START):
            header = self._probe(last)
            if header is not None:
                if offset > lost:
                    self.report("gzip-lost-range", lost, count=offset - lost, end=offset)
                return Member.begun(source, header.raw, step)
            if self._probed <= 0:
                self.report("gzip-search-ended", offset)
                self._to_the_end()
                return None
        if last is None or not last.broken:  # otherwise the member's own problem says where reading ended
            self._report_rest(lost)
        return None

    def _go_back(self, last: Member | None) -> None:
        """A damaged member may have run over the beginning of others.

        Going back once costs no more than the file is long. But members may be made so that each runs over
        all that follow: those that begin where others were read before are paid for, in bytes inflated.
        """
        source = self._source
        if last is None or not last.problems:
            return
        here = source.offset
        if last.offset < self._furthest:
            self._patience -= PASSES * last.size + here - last.offset
        self._furthest = max(self._furthest, here)
        cut = any(problem.code == "gzip-truncated" for problem in last.problems)
        back = max(last.offset + 1, here - NEAR_END) if cut else last.offset + 1
        if self._patience > 0:
            source.go_to(back)

    def _probe(self, last: Member | None) -> Header | None:
        source = self._source
        header = _likely_header(source)
        if header is None:
            return None
        size = len(header.raw)
        deflated = source.peek(size + PROBE)[size:]
        if deflated and deflated[0] & NO_BLOCK == NO_BLOCK:
            return None
        if not self._plausible(_inflated(deflated)):
            self._probed -= PROBE
            return None
        if last is not None and source.peek(48) in last.last:
            self._probed -= PROBE + len(last.last)
            return None  # a gzip file captured inside the damaged member, not a member of this file
        return header

    def _to_the_end(self) -> None:
        source = self._source
        source.position = len(source.data)
        while source.more():
            source.position = len(source.data)

    def _report_rest(self, lost: int) -> None:
        end = self._source.offset
        zeros = self._source.go_to(lost) and _only_zeros(self._source)
        self._source.go_to(end)
        if end > lost:
            self.report("gzip-trailing-zeros" if zeros else "gzip-trailing-data", lost, count=end - lost)

    def report(self, code: str, begin: int, **facts: object) -> None:
        """Note what stands between members."""
        self.problems.append(DAMAGE.problem(code, begin, begin=begin, **facts))


def _likely_header(source: Source) -> Header | None:
    """The header where the source stands, if it is one that writers write; None otherwise.

    In a search, bytes that are no header are the rule: they must not cost more than a look.
    """
    fixed = source.peek(FIXED)
    if len(fixed) < FIXED or fixed[2] != DEFLATE or fixed[3] & RESERVED:
        return None
    if fixed[8] not in EXTRA_FLAGS or fixed[9] not in SYSTEMS:
        return None
    return whole_header(source, LONGEST_HEADER if fixed[3] else FIXED)


def whole_header(source: Source, longest: int = 4 * MAX_TEXT) -> Header | None:
    """The header where the source stands; None where there is none, or a longer one."""
    count = min(512, longest)
    try:
        while (header := parse_header(source.peek(count))) is None:
            if count >= longest or not source.has(count):
                return None
            count = min(count * 4, longest)
    except ValueError:
        return None
    return header


def first_inflated(data: bytes) -> bytes:
    """The first bytes of the member that begins here, as far as they inflate; b"" where none does."""
    try:
        header = parse_header(data)
    except ValueError:
        return b""
    return _inflated(data[len(header.raw) :]) if header is not None and header.method == DEFLATE else b""


def _inflated(deflated: bytes) -> bytes:
    try:
        return new_inflater().decompress(deflated, PROBE)
    except InflateError:
        return b""


def _only_zeros(source: Source) -> bool:
    while source.has(1):
        if source.data.count(0, source.position) != len(source.data) - source.position:
            return False
        source.position = len(source.data)
    return True
