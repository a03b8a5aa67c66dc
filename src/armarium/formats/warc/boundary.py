"""The end of a record: what should follow its block, and where the next record is if something else does."""

import re

from armarium.formats.warc.cursor import KEPT, Cursor, Segment
from armarium.formats.warc.damage import DAMAGE
from armarium.formats.warc.grammar import ARC, Grammar, grammar_of
from armarium.formats.warc.records import Record

_LINE_ENDS = re.compile(rb"[\r\n]*")
SHOWN = 40  # bytes of a wrong separator that a message shows
# A length that is one too large eats the first letter of the next URL, and "ttp:" reads like a scheme.
_SCHEMES = (
    b"http:",
    b"https:",
    b"ftp:",
    b"dns:",
    b"filedesc:",
    b"metadata:",
    b"file:",
    b"urn:",
    b"warcinfo:",
)


PATIENCE = 256 * 1024 * 1024  # bytes run over more than once: damage made on purpose must not cost hours
# An ARC version block: a line for the version, one for the fields, and perhaps metadata in one XML element.
_VERSION_BLOCK = re.compile(
    rb"[^\n]*+\n[^\n]*+\s*+(?:(?:<\?xml[^>]*\?>\s*+)?<([\w:.-]{1,100}+)[\s>].*</\1\s*+>)?\s*+", re.DOTALL
)
_FEW = 16  # bytes by which writers miscount a version block: line ends, a line end as two bytes


class Boundary:
    """Settles where records end. Holds how much may still be read again in search of lost records."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._patience = PATIENCE
        self._furthest: tuple[Segment | None, int] = (None, 0)  # how far blocks ran over records, and where

    def settle(self, record: Record, grammar: Grammar) -> bool:
        """Pass over what is left of the record; whether it was whole, its separator included."""
        cursor, block = self._cursor, record.block
        left = block.length - block.position
        if left:
            if left <= len(cursor.buffer) - cursor.position:
                cursor.position += left
            else:
                left = cursor.pass_over(left)
            block.position += left
        if block.position < block.length:
            self._short(record, grammar)
            return False
        separator = grammar.separator
        if cursor.buffer.startswith(separator, cursor.position):
            cursor.position += len(separator)
            if cursor.position == len(cursor.buffer) and not cursor.fill():
                return True
            if grammar.start.match(cursor.buffer, cursor.position):
                return True
            cursor.position -= len(separator)
        return self._unusual(record, grammar)

    def _short(self, record: Record, grammar: Grammar) -> None:
        """The block ended before its length: the file is cut, or the length is too large."""
        cursor, block = self._cursor, record.block
        record.complete = False
        if self._look_back(record, grammar):
            return
        segment = cursor.segment
        cut = bool(segment and (segment.problems or segment.plain))
        code = "record-truncated" if cut else "record-length-too-large"
        self._length_wrong(record, code, block.position)

    def _unusual(self, record: Record, grammar: Grammar) -> bool:
        cursor = self._cursor
        found = cursor.near(SHOWN)
        found = found[: self.pass_line_ends()]
        at_end = not cursor.near(1)
        if not found and not at_end and self._ran_over(record, grammar):
            return False
        cursor.near(grammar.longest_start)
        here = None if at_end else grammar_of(cursor.buffer, cursor.position)
        if at_end or here is not None or len(found) >= len(grammar.separator):
            if found != grammar.separator and (
                found or not at_end or record.block.length or grammar is not ARC
            ):
                code = "arc-separator-wrong" if grammar is ARC else "record-separator-wrong"
                self._note(record, code, found=found, expected=grammar.separator)
            return len(found) >= len(grammar.separator)
        if not self._look_back(record, grammar):
            extra = len(found) + self.search(grammar)
            self._length_wrong(record, "record-length-too-small", record.block.length + extra, extra=extra)
        return False

    def pass_line_ends(self) -> int:
        """Pass over CR and LF as far as they go; how many there were."""
        cursor, count = self._cursor, 0
        while cursor.near(1):
            match = _LINE_ENDS.match(cursor.buffer, cursor.position)
            assert match is not None, "the pattern matches nothing too"
            count += match.end() - cursor.position
            cursor.position = match.end()
            if cursor.position < len(cursor.buffer):
                break
        return count

    def _ran_over(self, record: Record, grammar: Grammar) -> bool:
        """Whether the block's end lies inside the line that begins the next record."""
        cursor = self._cursor
        if grammar is ARC and cursor.buffer.startswith(_SCHEMES, cursor.position):
            return False
        return grammar is ARC and self._look_back(record, grammar)

    def _look_back(self, record: Record, grammar: Grammar) -> bool:
        """Find a record that begins inside this one's block, and stand there."""
        cursor, block = self._cursor, record.block
        here = cursor.base + cursor.position
        first = here - block.position
        segment, furthest = self._furthest
        if segment is not cursor.segment:
            furthest = 0
        if self._patience <= 0 and first < furthest:
            return False
        # All of the block is searched, or what is at hand of it. One byte more: a record is found behind a
        # line end.
        if not cursor.go_to(max(first - 1, 0)) and not cursor.go_to(max(first, here - KEPT, 0)):
            return False
        if not self._find_before(here, grammar):
            cursor.go_to(here)
            return False
        record.complete = False
        found = cursor.base + cursor.position
        # Searching goes forward only, and so costs no more than the file is long. What follows the record
        # found will be read once more; if its length is wrong again, again: that is to be paid for.
        self._patience -= max(min(here, furthest) - found, 0)
        self._furthest = (cursor.segment, max(here, furthest))
        self._length_wrong(record, "record-length-too-large", found - first)
        return True

    def _find_before(self, limit: int, grammar: Grammar) -> bool:
        cursor = self._cursor
        while cursor.base + cursor.position < limit:
            match = grammar.search.search(cursor.buffer, cursor.position)
            if match:
                cursor.position = match.start()
                return cursor.base + cursor.position < limit
            size = len(cursor.buffer)
            cursor.position = max(cursor.position, size - grammar.longest_start)
            if cursor.base + size >= limit + grammar.longest_start or not cursor.fill():
                return False
        return False

    def search(self, grammar: Grammar) -> int:
        """Go forward to the next record of this segment, or to its end; the bytes passed over."""
        cursor = self._cursor
        begin = cursor.base + cursor.position
        while True:
            match = grammar.search.search(cursor.buffer, cursor.position)
            if match:
                cursor.position = match.start()
                break
            cursor.position = max(cursor.position, len(cursor.buffer) - grammar.longest_start)
            if not cursor.fill():
                cursor.position = len(cursor.buffer)
                break
        return cursor.base + cursor.position - begin

    def _length_wrong(self, record: Record, code: str, actual: int, **facts: object) -> None:
        if record.record_type == "filedesc" and self._only_miscounted(record, actual):
            code = "arc-version-block-length"
            record.complete = True
        self._note(record, code, expected=record.block.length, actual=actual, **facts)

    def _only_miscounted(self, record: Record, actual: int) -> bool:
        """Whether a version block has a wrong length but nothing in it that does not belong there."""
        if abs(actual - record.block.length) <= _FEW:
            return True
        if actual < record.block.length:
            return False
        used = self._cursor.used(actual)
        return len(used) == actual and _VERSION_BLOCK.fullmatch(used) is not None

    def _note(self, record: Record, code: str, **facts: object) -> None:
        place, _ = self._cursor.place
        record.problems.append(DAMAGE.problem(code, place, record.number, **facts))
