"""Rows for analysis: one for each capture, as Parquet, a file for each day of storing.

The same captures make the same bytes: rows are sorted by key, time, file and offset, row groups end after a
fixed number of rows, and nothing of the moment of writing goes into the file.
"""

import io
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from armarium.core.late import LateModule
from armarium.formats.cdx import CdxLine, parse_line
from armarium.formats.url import InvalidUrl, parse, public_suffix, registered_domain
from armarium.index.runs import RunPlace
from armarium.index.runs.facts import damaged
from armarium.tasks.context import never
from armarium.tasks.failure import TaskStopped

GROUP = 65_536  # rows
AT_HAND = 8192  # rows of a part that is merged
AT_ONCE, LEAST_AT_ONCE = 65_536, 1024  # rows that are sorted together, of all sources and of each
ORDER = ("surt_key", "time", "filename", "offset")
# 40 MB of memory, for which only the tasks that write and merge rows have a use.
pa, pc, pq = LateModule("pyarrow"), LateModule("pyarrow.compute"), LateModule("pyarrow.parquet")
Table: TypeAlias = Any  # pyarrow.Table: the library has no types
Tables = Iterator[Table]


@cache
def schema() -> Any:
    fields = [
        pa.field("surt_key", pa.string(), nullable=False),
        pa.field("url", pa.string()),
        pa.field("host", pa.string()),
        pa.field("registered_domain", pa.string()),
        pa.field("tld", pa.string()),
        pa.field("scheme", pa.string()),
        pa.field("port", pa.int32()),
        pa.field("path", pa.string()),
        pa.field("query", pa.string()),
        pa.field("time", pa.timestamp("us", tz="UTC")),
        pa.field("status", pa.int32()),
        pa.field("mime", pa.string()),
        pa.field("digest_algorithm", pa.string()),
        pa.field("digest", pa.string()),
        pa.field("length", pa.int64()),
        pa.field("offset", pa.int64()),
        pa.field("filename", pa.string()),
        pa.field("redirect", pa.string()),
        pa.field("is_revisit", pa.bool_(), nullable=False),
        pa.field("job", pa.int64()),
        pa.field("harvest", pa.int64()),
        pa.field("accession", pa.int64()),
    ]
    return pa.schema(fields)


class Provenance(NamedTuple):
    """What the lines of a file do not say themselves."""

    job: int | None
    harvest: int | None
    accession: int | None


def tables_of_lines(lines: Iterable[bytes], provenance: Provenance) -> Tables:
    """The rows of the lines of one file, sorted by bytes, a row group at a time."""
    some: list[tuple[Any, ...]] = []
    before = b""
    for line in lines:
        start = line[: line.find(b" {")]
        # Captures of one address and second are in the order of their JSON, which is not ours.
        if len(some) >= GROUP and start != before:
            yield _table(some)
            some = []
        before = start
        parsed = parse_line(line)
        if isinstance(parsed, CdxLine):
            some.append(_row(parsed, provenance))
    if some:
        yield _table(some)


def tables_of_part(place: RunPlace, name: str) -> Tables:
    """The rows of a part that was published, some at a time."""
    try:
        file = pq.ParquetFile(_Placed(place, name), page_checksum_verification=True)
        for batch in file.iter_batches(batch_size=AT_HAND):
            yield pa.Table.from_batches([batch], schema())
    except (pa.ArrowException, OSError) as error:
        raise damaged(name, str(error)) from error


def write_rows(
    sources: Sequence[Tables],
    target: Path,
    *,
    without: frozenset[str] = frozenset(),
    stopping: Callable[[], bool] = never,
) -> int:
    """Merge sorted rows into one file; the number of its rows.

    Memory holds some rows of each source, and up to a row group of each that is made of lines.
    """
    waiting: list[Table] = []
    written = 0
    options = {"compression": "zstd", "compression_level": 6, "write_page_checksum": True}
    with pq.ParquetWriter(target, schema(), **options) as writer:
        step = max(AT_ONCE // max(len(sources), 1), LEAST_AT_ONCE)
        for table in _merged([_Source(_slices(source, step)) for source in sources]):
            if stopping():
                raise TaskStopped
            waiting.append(_without(table, without))
            while sum(map(len, waiting)) >= GROUP:
                together = pa.concat_tables(waiting)
                writer.write_table(together.slice(0, GROUP).combine_chunks(), row_group_size=GROUP)
                waiting = [together.slice(GROUP)]
                written += GROUP
        rest = pa.concat_tables(waiting) if waiting else schema().empty_table()
        if len(rest):
            writer.write_table(rest.combine_chunks(), row_group_size=GROUP)
    return written + len(rest)


def _slices(tables: Tables, length: int) -> Tables:
    for table in tables:
        for start in range(0, len(table), length):
            yield table.slice(start, length)


class _Source:
    """Sorted rows, of which a table at a time is at hand."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.table: Table | None = None
        self._places: list[tuple[Any, ...]] = []
        self.advance()

    def advance(self) -> None:
        self.table = next((table for table in self._tables if len(table)), None)
        self._places = _places(self.table) if self.table is not None else []

    @property
    def last(self) -> tuple[Any, ...]:
        return self._places[-1]

    def take(self, last: tuple[Any, ...]) -> Table:
        """The rows up to `last`, which are then behind us."""
        assert self.table is not None
        end = bisect_right(self._places, last)
        taken = self.table.slice(0, end)
        if end == len(self._places):
            self.advance()
        else:
            self.table, self._places = self.table.slice(end), self._places[end:]
        return taken


def _merged(sources: Sequence[_Source]) -> Tables:
    """Take from each source what comes before the smallest of their last rows, and sort that."""
    waiting = [source for source in sources if source.table is not None]
    while waiting:
        bound = min(source.last for source in waiting)
        taken = [source.take(bound) for source in waiting]
        together = pa.concat_tables(taken)
        yield together.sort_by([(name, "ascending") for name in ORDER]) if len(taken) > 1 else together
        waiting = [source for source in waiting if source.table is not None]


def _places(table: Table) -> list[tuple[Any, ...]]:
    """What each row is sorted by, comparable: keys as the bytes that Arrow compares."""
    key, time, name, offset = (table.column(column) for column in ORDER)
    moments = time.cast(pa.int64()).fill_null(2**62).to_pylist()  # Arrow puts what is not there last
    keys = key.cast(pa.binary()).to_pylist()
    names = name.cast(pa.binary()).to_pylist()
    return list(zip(keys, moments, names, offset.to_pylist(), strict=True))


def _without(table: Table, names: frozenset[str]) -> Table:
    if not names:
        return table
    there = [name for name in pc.unique(table.column("filename")).to_pylist() if name in names]
    if not there:
        return table
    return table.filter(pc.invert(pc.is_in(table.column("filename"), value_set=pa.array(there))))


def _table(rows: Sequence[tuple[Any, ...]]) -> Table:
    columns = zip(*rows, strict=True)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema(), strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema()).sort_by([(name, "ascending") for name in ORDER])


def _row(line: CdxLine, provenance: Provenance) -> tuple[Any, ...]:
    digest = line.text("digest") or ""
    algorithm, colon, value = digest.partition(":")
    return (
        _clean(line.key),
        _clean(line.url),
        *_parts(line.url or ""),
        line.date,
        line.status if (line.status or 0) < 1 << 31 else None,
        _clean(line.mime),
        _clean(algorithm) if colon else None,
        _clean(value if colon else algorithm) or None,
        line.length,
        line.offset or 0,
        _clean(line.filename) or "",
        _clean(line.redirect),
        line.is_revisit,
        *provenance,
    )


def _parts(url: str) -> tuple[Any, ...]:
    """Host, registered domain, top-level domain, scheme, port, path and query."""
    try:
        found = parse(url)
    except InvalidUrl:
        return (None,) * 7
    host = found.host or None
    domain = registered_domain(host) if host else None
    top = (public_suffix(host) or "").rpartition(".")[2] if host else None
    return host, domain, top or None, found.scheme, found.port, found.path, found.query


def _clean(text: str | None) -> str | None:
    """As Parquet wants it, UTF-8: bytes that are not, which old addresses have, are shown escaped."""
    if text is None or text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


class _Placed(io.RawIOBase):
    """An object in the place of runs, as a file that can be read anywhere."""

    def __init__(self, place: RunPlace, name: str) -> None:
        super().__init__()
        self._place, self._name = place, name
        self._size, self._at = place.size(name), 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = base + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        length = self._size - self._at if size < 0 else min(size, self._size - self._at)
        piece = self._place.read(self._name, self._at, max(length, 0))
        self._at += len(piece)
        return piece
