"""What happens to captures between the index and the answer: filters, collapsing, counting, pages."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from armarium.access.captures.lines import ListedCapture
from armarium.access.cdxserver.parameters import WHOLE
from armarium.access.model import OPEN, Seen
from armarium.access.view import Restricted, View
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.formats.cdx import CDX11, CdxLine
from armarium.formats.cdx.line import ABSENT, ENCODING, ERRORS, in_column
from armarium.formats.cdx.query import Collapse, Filter
from armarium.formats.url import surt

LINES_IN_BLOCK = 3000  # by custom: pages are counted in blocks of so many lines
MOST_DIGESTS = 200_000  # that are remembered to count repetitions
Step = Iterator[ListedCapture]


def passing(captures: Iterable[ListedCapture], filters: Sequence[Filter]) -> Step:
    return (told for told in captures if passes(told, filters)) if filters else iter(captures)


def passes(told: ListedCapture, filters: Sequence[Filter]) -> bool:
    return all(
        each.passes(_whole(told.line) if each.field == WHOLE else told.line)  #
        for each in filters
    )


def _whole(line: CdxLine) -> CdxLine:
    return CdxLine("", "", {WHOLE: line.to_cdx(CDX11).decode(ENCODING, ERRORS)})


def with_bare_digests(captures: Iterable[ListedCapture]) -> Step:
    """CDX leaves the name of SHA-1 out of the digest."""
    for told in captures:
        digest = told.line.fields.get("digest")
        if isinstance(digest, str) and ":" in digest:
            yield told.changed({**told.line.fields, "digest": in_column(digest)})
        else:
            yield told


Value = Callable[[ListedCapture], object]


def value_by(collapses: Sequence[Collapse]) -> Value:
    return lambda told: tuple(each.of(told.line) for each in collapses)


def firsts(captures: Iterable[ListedCapture], value: Value, before: ListedCapture | None = None) -> Step:
    """Of captures in a row with the same value the first. `before` is the last of an earlier answer."""
    last = value(before) if before is not None else None
    for told in captures:
        this = value(told)
        if this != last:
            yield told
        last = this


def lasts(captures: Iterable[ListedCapture], value: Value) -> Step:
    kept: ListedCapture | None = None
    for told in captures:
        if kept is not None and value(told) != value(kept):
            yield kept
        kept = told
    if kept is not None:
        yield kept


@dataclass
class Group:
    """A capture that is told, and how many behind it are not."""

    told: ListedCapture
    skipped: int = 0
    last: str = ""  # timestamp of the last that was skipped
    digests: set[str] = field(default_factory=set)

    def skip(self, told: ListedCapture) -> None:
        self.skipped += 1
        self.last = told.timestamp
        self.note(told)

    def note(self, told: ListedCapture) -> None:
        digest = told.line.text("digest")
        if digest is not None and len(self.digests) < MOST_DIGESTS:
            self.digests.add(digest)


def groups(
    captures: Iterable[ListedCapture], filters: Sequence[Filter], value: Value | None
) -> Iterator[Group]:
    """What is left out by filters counts as skipped, too. Each group is read to its end before it is told."""
    current: Group | None = None
    last: object = None
    for told in captures:
        shown = passes(told, filters)
        this = value(told) if shown and value is not None else None
        if shown and (value is None or current is None or this != last):
            if current is not None:
                yield current
            current, last = Group(told), this
            current.note(told)
        elif current is not None:
            current.skip(told)
    if current is not None:
        yield current


class Repetitions:
    """How many captures of the same digest came before."""

    def __init__(self) -> None:
        self._times: dict[str, int] = {}

    def of(self, told: ListedCapture) -> int:
        digest = told.line.text("digest")
        if digest is None:
            return 0
        times = self._times.get(digest, -1) + 1
        if not times and len(self._times) >= MOST_DIGESTS:
            raise Refused(message("There are too many captures to count repetitions. Narrow the address."))
        self._times[digest] = times
        return times


def without_self_redirects(captures: Iterable[ListedCapture]) -> Step:
    """A redirect to another spelling of the same address leads a reader in a circle."""
    for told in captures:
        target = told.line.redirect
        status = told.line.status or 0
        if not (target and 300 <= status < 400 and surt(target) == told.key):
            yield told


def with_originals(view: View, captures: Iterable[ListedCapture]) -> Step:
    """Each line tells where the content of a revisit lies, as CDX with 14 columns does, and its type."""
    for told in captures:
        line = told.line
        original = _original(view, told) if line.is_revisit and not told.restricted else None
        places = {
            f"orig.{name}": (original.text(name) if original else None) or ABSENT
            for name in ("length", "offset", "filename")
        }
        kind = {"mime": original.mime} if original is not None and original.mime else {}
        yield told.changed({**line.fields, **kind, **places})


def _original(view: View, told: ListedCapture) -> CdxLine | None:
    try:
        seen = view.original(Seen(told.line, OPEN))
    except (NotFound, Restricted):  # what may not be seen is not told of here either
        return None
    return seen.line if seen is not None else None


def page_of(captures: Iterable[ListedCapture], page: int, blocks: int) -> Step:
    """One page of the captures before anything is filtered: so pages do not overlap, whatever is asked."""
    lines = blocks * LINES_IN_BLOCK
    return islice(iter(captures), page * lines, (page + 1) * lines)


def blocks_of(captures: Iterable[ListedCapture]) -> int:
    return -(-sum(1 for _ in captures) // LINES_IN_BLOCK)
