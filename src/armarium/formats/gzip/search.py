"""The next member after damage: by its first bytes, its header, and what it holds."""

from collections.abc import Callable

from armarium.formats.gzip.damage import DAMAGE
from armarium.formats.gzip.header import DEFLATE, Header, parse_header
from armarium.formats.gzip.member import Member, new_inflater
from armarium.formats.gzip.mending import InflateError
from armarium.formats.problem import Problem
from armarium.formats.source import Source

START = b"\x1f\x8b\x08"  # of any member
PROBE = 4096  # input that must show what a member holds
PATIENCE = 256 * 1024 * 1024  # bytes searched twice in all: damage made on purpose must not cost hours
NEAR_END = 64 * 1024  # how far before a cut a member swallowed by the cut one is looked for


class Search:
    """Finds members where reading lost its way, and says what lies between."""

    def __init__(self, source: Source, plausible: Callable[[bytes], bool]) -> None:
        self._source = source
        self._plausible = plausible
        self._patience = PATIENCE
        self.problems: list[Problem] = []

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
        if last is None or not last.broken:  # otherwise the member's own problem says where reading ended
            self._report_rest(lost)
        return None

    def _go_back(self, last: Member | None) -> None:
        """A damaged member may have run over the beginning of others."""
        source = self._source
        if last is None or not last.problems:
            return
        here = source.offset
        cut = any(problem.code == "gzip-truncated" for problem in last.problems)
        back = max(last.offset + 1, here - NEAR_END) if cut else last.offset + 1
        self._patience -= here - back
        if self._patience > 0:
            source.go_to(back)

    def _probe(self, last: Member | None) -> Header | None:
        source = self._source
        if last is not None and source.peek(48) in last.last:
            return None  # a gzip file captured inside the damaged member, not a member of this file
        header = whole_header(source)
        if header is None or header.method != DEFLATE:
            return None
        size = len(header.raw)
        try:
            piece = new_inflater().decompress(source.peek(size + PROBE)[size:], PROBE)
        except InflateError:
            return None
        return header if self._plausible(piece) else None

    def _report_rest(self, lost: int) -> None:
        end = self._source.offset
        zeros = self._source.go_to(lost) and _only_zeros(self._source)
        self._source.go_to(end)
        if end > lost:
            self.report("gzip-trailing-zeros" if zeros else "gzip-trailing-data", lost, count=end - lost)

    def report(self, code: str, begin: int, **facts: object) -> None:
        """Note what stands between members."""
        self.problems.append(DAMAGE.problem(code, begin, begin=begin, **facts))


def whole_header(source: Source) -> Header | None:
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
