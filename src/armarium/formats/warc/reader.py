"""Reading of WARC and ARC files, whatever their compression and their damage."""

from collections.abc import Iterator
from typing import BinaryIO

from armarium.formats.arc import ArcVersionBlock, read_arc
from armarium.formats.gzip.member import Member
from armarium.formats.problem import DamagedArchive, Problem, Severity
from armarium.formats.source import Source
from armarium.formats.warc.block import Block
from armarium.formats.warc.boundary import Boundary
from armarium.formats.warc.cursor import Cursor, Segment, foreign_compression
from armarium.formats.warc.damage import DAMAGE
from armarium.formats.warc.grammar import ARC, BYTE_ORDER_MARK, WARC, Grammar, grammar_of, starts_record
from armarium.formats.warc.heads import MAX_HEAD, read_warc, read_whole
from armarium.formats.warc.joined import Codings
from armarium.formats.warc.records import Record

USUAL_STARTS = (b"WARC/1.", b"WARC/0.1")
MAX_PROBLEMS = 10_000


class ArchiveReader:
    """The records of a file, one after the other, from an offset onwards.

    Lenient reading notes problems, in the record or here, and goes on where it can; strict reading raises
    `DamagedArchive` at the first error or warning. Reading asks the file for no more memory than one step.
    """

    def __init__(self, source: BinaryIO, *, offset: int = 0, strict: bool = False) -> None:
        self._source = Source(source, offset)
        self._strict = strict
        self._begin = offset
        self._foreign = foreign_compression(self._source.peek(8))
        self._codings = coding = Codings(self._source, starts_record)
        self.compression = coding.compression  # of the beginning: others may follow where files were joined
        self.problems: list[Problem] = coding.problems  # of the file as a whole; those of records are theirs
        self.end = offset  # after the last whole record
        self.records = 0  # read so far
        self.shared = 0  # of those, how many do not begin a compressed member of their own
        self._cursor = Cursor(coding, starts_record)
        self._boundary = Boundary(self._cursor)
        self._grammar: Grammar = WARC
        self._arc_version = ""
        self._open: Record | None = None  # the record that is being read
        self._last_member: Segment | None = None  # in which the record before began
        self._members = coding.members
        self._whole: Block | None = None  # of the record before, if that came at a stroke
        self._at_a_stroke = 0  # members that came so

    @property
    def format(self) -> str:
        """WARC or ARC, by the last record read."""
        return self._grammar.name

    @property
    def members(self) -> int:
        """Compressed members or frames that held anything, so far."""
        return self._cursor.segments + self._at_a_stroke

    @property
    def whole_file(self) -> bool:
        """Whether one single member holds several records, as far as read."""
        return self.members == 1 and 0 < self.shared == self.records - 1

    def __iter__(self) -> Iterator[Record]:
        while True:
            if self._open is not None:
                self._open.finish()
            record = self._whole_record() or self._next_record()
            if record is None:
                break
            if self._strict:
                self._refuse(record.problems)
            yield record
            if self._strict:
                record.finish()
                self._refuse(record.problems)
        self._close()

    def _whole_record(self) -> Record | None:
        """One record, whole, in a member of its own: nearly all records of nearly all files come this way."""
        cursor, members = self._cursor, self._members
        if members is None:
            return None
        if self._whole is not None:
            self._whole.close()
            self._whole = None
        elif not cursor.at_end:
            return None
        stroke = members.stroke()
        if stroke is None:
            return None
        record = read_whole(*stroke)
        if record is None:
            cursor.adopt(Member.finished(*stroke[1]), stroke[0])
            return None
        record.number = self.records
        self.records += 1
        self._at_a_stroke += 1
        self.end = stroke[1][4]
        self._whole = record.block
        return record

    def _next_record(self) -> Record | None:
        cursor = self._cursor
        record = None
        while record is None:
            if cursor.position >= len(cursor.buffer) and not cursor.fill():
                if not cursor.enter_next():
                    return None
                self._members = self._codings.members
            if cursor.buffer.startswith(USUAL_STARTS, cursor.position):
                self._grammar = WARC
                record = read_warc(cursor)
            elif self._find():
                record = self._read_arc() if self._grammar is ARC else read_warc(cursor)
            else:
                continue
            if record is None:
                self._pass_header()
        record.number = self.records
        record._settle = self._settle_record
        if record.inner_offset and record.member is self._last_member:
            record.shares = True
            self.shared += 1
        self.records += 1
        self._last_member = record.member
        self._open = record
        return record

    def _read_arc(self) -> Record | None:
        record = read_arc(self._cursor, self._arc_version)
        if isinstance(record, ArcVersionBlock):
            self._arc_version = record.version
        elif self._begin == 0 and not self.records:
            self._note("arc-version-block-missing", 0)
        return record

    def _pass_header(self) -> None:
        """What began like a record has no header that ends: go on behind it."""
        cursor = self._cursor
        cut = len(cursor.buffer) - cursor.position <= MAX_HEAD
        self._note(
            "record-header-truncated" if cut else "record-header-too-long", cursor.place[0], limit=MAX_HEAD
        )
        cursor.position += 1
        self._boundary.search(self._grammar)

    def _find(self) -> bool:
        """No WARC record begins here: find out what does. Whether the cursor now stands at a record."""
        cursor = self._cursor
        cursor.near(ARC.longest_start)
        if not self.records and cursor.buffer.startswith(BYTE_ORDER_MARK, cursor.position):
            self._note("archive-byte-order-mark", cursor.place[0])
            cursor.position += len(BYTE_ORDER_MARK)
        grammar = grammar_of(cursor.buffer, cursor.position)
        if grammar is not None:
            self._grammar = grammar
            return True
        begin = cursor.place[0]
        blank = self._boundary.pass_line_ends()
        grammar = grammar_of(cursor.near(ARC.longest_start))
        turned = grammar is None and self._codings.turn(cursor)
        if turned and not blank:
            return False
        if blank and (turned or grammar is not None or not cursor.near(1)):
            self._note("archive-blank-lines", begin, count=blank)
            return False
        self._pass_garbage(begin, blank)
        return False

    def _pass_garbage(self, begin: int, already: int) -> None:
        grammar = self._grammar
        if not self.records and self._foreign is None:
            ahead = self._cursor.near(64 * 1024)
            grammar = ARC if ARC.search.search(ahead) and not WARC.search.search(ahead) else WARC
            self._grammar = grammar
        count = already + self._boundary.search(grammar)
        if self._foreign is not None and not self.records:
            self._note("archive-unknown-compression", begin, name=self._foreign)
        else:
            self._note("archive-garbage", begin, count=count)

    def _settle_record(self, record: Record) -> None:
        cursor = self._cursor
        self._open = None
        whole = self._boundary.settle(record, self._grammar)
        record.block.close()
        segment = cursor.segment
        assert segment is not None, "a record stands in a segment"
        if segment.plain:
            record._length = cursor.place[0] - record.offset
            if whole:
                self.end = record.offset + record._length
        elif cursor.position >= len(cursor.buffer) and not cursor.fill():
            record.problems.extend(segment.problems)
            if not record.shares:
                record._length = segment.end - record.offset
            if whole and not segment.broken:
                self.end = segment.end
        if segment is not record.member:
            record.problems.append(
                DAMAGE.problem("record-over-several-members", record.offset, record.number)
            )

    def _close(self) -> None:
        if not self.records:
            self._note("archive-empty", self._begin)
        elif self.shared:
            self._note("archive-not-record-at-a-time", 0, shared=self.shared, records=self.records)
        if self._strict:
            self._refuse(self.problems)

    def _note(self, code: str, offset: int, **facts: object) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(DAMAGE.problem(code, offset, **facts))
        elif len(self.problems) == MAX_PROBLEMS:
            self.problems.append(DAMAGE.problem("problems-too-many", offset))
        if self._strict:
            self._refuse(self.problems)

    def _refuse(self, problems: list[Problem]) -> None:
        for problem in (*problems, *self.problems):
            if problem.severity is not Severity.NOTE:
                raise DamagedArchive(problem)
