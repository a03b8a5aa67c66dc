"""`armarium warc`: look into W/ARC files, check them, index them. No server and no database is needed."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from os.path import relpath
from pathlib import Path
from typing import Annotated, Any

import typer

from armarium.cli.archive_files import STANDARD_INPUT, ArchiveFiles
from armarium.cli.archive_output import JsonList, Output, sorted_lines, written_to
from armarium.cli.warc_cat import cat
from armarium.cli.warc_validate import validate_files
from armarium.formats.cdx.capture import Capture, Dialect
from armarium.formats.cdx.columns import CDX9, CDX11
from armarium.formats.cdx.index import index
from armarium.formats.cdx.line import CdxLine
from armarium.formats.url import InvalidUrl, parse
from armarium.formats.warc.reader import ArchiveReader
from armarium.languages.speech import byte_size
from armarium.terminal.groups import group
from armarium.terminal.output import say, show_facts, show_json, show_table
from armarium.terminal.session import Json

# --- What is in W/ARC files, in figures.


_MOST_KINDS = 200_000  # of one thing counted apart; further ones are lumped together
OTHERS = "others"


@dataclass
class Statistics:
    files: list[str] = field(default_factory=list)
    records: int = 0
    bytes: int = 0  # in the files, compressed as they are
    types: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    mimes: Counter[str] = field(default_factory=Counter)
    hosts: Counter[str] = field(default_factory=Counter)
    first: datetime | None = None
    last: datetime | None = None

    def add(self, capture: Capture) -> None:
        """Count a record. Statuses, types of content and hosts are those of captures, requests aside."""
        record = capture.record
        kind = record.record_type
        self.records += 1
        self.bytes += record.length
        _count(self.types, kind or "unknown")
        self._add_date(record.date)
        if kind not in ("response", "revisit", "resource", "conversion"):
            return
        if capture.status is not None:
            _count(self.statuses, capture.status)
        if capture.mime:
            _count(self.mimes, capture.mime.lower())
        host = _host(capture.url)
        if host:
            _count(self.hosts, host)

    def _add_date(self, date: datetime | None) -> None:
        if date is not None:
            self.first = min(self.first or date, date)
            self.last = max(self.last or date, date)

    def as_json(self) -> dict[str, Any]:
        return {
            "files": self.files,
            "records": self.records,
            "bytes": self.bytes,
            "first": self.first and self.first.isoformat(),
            "last": self.last and self.last.isoformat(),
            **{
                name: dict(getattr(self, name).most_common())
                for name in ("types", "statuses", "mimes", "hosts")
            },
        }


def _count(counter: Counter[str], kind: str) -> None:
    counter[kind if kind in counter or len(counter) < _MOST_KINDS else OTHERS] += 1


def _host(url: str | None) -> str | None:
    if not url or "://" not in url:
        return None
    try:
        return parse(url).host or None
    except InvalidUrl:
        return None


# --- `armarium warc`: look into W/ARC files, check them, index them. No server and no database is needed.


warc_commands = group("WARC and ARC files: list, check, extract, index, count.")

Files = Annotated[
    list[Path],
    typer.Argument(
        allow_dash=True, help="WARC or ARC files, compressed or not, or WACZ; - is standard input."
    ),
]


class RecordType(StrEnum):
    WARCINFO = "warcinfo"
    RESPONSE = "response"
    RESOURCE = "resource"
    REQUEST = "request"
    METADATA = "metadata"
    REVISIT = "revisit"
    CONVERSION = "conversion"
    CONTINUATION = "continuation"


class IndexFormat(StrEnum):
    CDXJ = "cdxj"
    CDX9 = "cdx9"
    CDX11 = "cdx11"


@warc_commands.command("ls")
def list_records(
    files: Files,
    types: Annotated[
        list[RecordType] | None, typer.Option("--type", help="Only records of this type. Can be repeated.")
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="Only records of this address; * stands for anything.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the records of files, one line each, in the order they have there.

    Columns: offset in the file, record type, date, HTTP status, type of content, length in the file, address.

    \b
    Examples:
      armarium warc ls crawl.warc.gz
      armarium warc ls --type response --url 'http://example.org/*' *.warc.gz
      zcat crawl.warc.gz | armarium warc ls -
    """
    archives, output = ArchiveFiles(files), Output()
    wanted = _filter(types or [], url)
    listed = JsonList(output) if as_json else None
    for name, reader in archives.readers():
        if listed is None and (len(files) > 1 or name not in archives.names):
            output.line(f"{name}:")
        for capture in _captures(archives, name, reader):
            if wanted(capture) and listed is not None:
                listed.add({"file": name, **_facts(capture)})
            elif wanted(capture):
                output.line(_row(capture))
        output.flush()
    if listed is not None:
        listed.end()
    archives.end()


def _captures(archives: ArchiveFiles, name: str, reader: ArchiveReader) -> Iterator[Capture]:
    return (Capture(record, Dialect.WAYBACK, digests=False) for record in archives.records(name, reader))


def _filter(types: list[RecordType], url: str | None) -> Callable[[Capture], bool]:
    kinds = {str(kind) for kind in types}

    def wanted(capture: Capture) -> bool:
        if kinds and capture.record.record_type not in kinds:
            return False
        return url is None or _fits(capture.url or "", url)

    return wanted


def _fits(url: str, pattern: str) -> bool:
    """Whether the address is the pattern, where * stands for anything; ? and [ are letters of an address."""
    first, *rest = pattern.split("*")
    if not rest:
        return url == pattern
    last = rest.pop()
    if not url.startswith(first) or not url.endswith(last) or len(url) < len(first) + len(last):
        return False
    middle = url[len(first) : len(url) - len(last)]
    for part in rest:
        found = middle.find(part)
        if found < 0:
            return False
        middle = middle[found + len(part) :]
    return True


def _facts(capture: Capture) -> dict[str, object]:
    record = capture.record
    return {
        "offset": record.offset,
        "length": record.length,
        "type": record.record_type,
        "date": record.date and record.date.isoformat(),
        "status": capture.status and int(capture.status),
        "mime": capture.mime,
        "url": capture.url,
        "id": record.record_id,
    }


def _row(capture: Capture) -> str:
    record = capture.record
    date = f"{record.date:%Y-%m-%d %H:%M:%S}" if record.date else "–"
    kind, status, mime, url = record.record_type, capture.status, capture.mime, capture.url
    return (
        f"{record.offset:>11}  {kind or '–':<8}  {date:<19}  {status or '–':>3}  {mime or '–':<24}"
        f"  {record.length or '–':>9}  {url or '–'}"
    )


@warc_commands.command("index")
def index_files(
    files: Files,
    form: Annotated[IndexFormat, typer.Option("--format", help="The form of the lines.")] = IndexFormat.CDXJ,
    sort: Annotated[
        bool,
        typer.Option(
            "--sort", help="Sort the lines by bytes, as players want them; repeated lines come once."
        ),
    ] = False,
    every_record: Annotated[
        bool, typer.Option("--all", help="Index every record, requests and warcinfo too.")
    ] = False,
    post: Annotated[
        bool,
        typer.Option("--post", help="Put the bodies of POST and PUT requests into the keys, as pywb does."),
    ] = False,
    root: Annotated[
        Path | None,
        typer.Option(
            "--dir-root", help="Write file names relative to this folder. Default: the name without folders."
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Write to this file, which appears when it is whole.")
    ] = None,
) -> None:
    """Write the index of files: where in which file each capture lies.

    Lines of CDXJ are those of cdxj-indexer and pywb; cdx9 and cdx11 are those of the Wayback indexers, below
    their legend.

    \b
    Examples:
      armarium warc index --sort --output index.cdxj *.warc.gz
      armarium warc index --format cdx11 crawl.warc.gz
    """
    archives = ArchiveFiles(files, silent=sort or output is not None)
    layout = {IndexFormat.CDX9: CDX9, IndexFormat.CDX11: CDX11}.get(form)

    def lines() -> Iterator[bytes]:
        for name, reader in archives.readers():
            dialect = Dialect.WAYBACK if layout else Dialect.CDXJ
            found = index(
                reader, _index_name(name, root), dialect=dialect, every_record=every_record, requests=post
            )
            yield from (
                map(CdxLine.to_cdxj, found) if layout is None else (line.to_cdx(layout) for line in found)
            )
            archives.tell(name, found.problems)
            archives.warn(name, found.warnings)

    with written_to(output) as written:
        if layout is not None:
            written.write(layout.legend().encode() + b"\n")
        for line in sorted_lines(lines()) if sort else lines():
            written.write(line + b"\n")
    archives.end()


def _index_name(name: str, root: Path | None) -> str:
    return relpath(name, root) if root is not None and name != STANDARD_INPUT else Path(name).name


@warc_commands.command("stats")
def show_statistics(
    files: Files,
    most: Annotated[
        int, typer.Option("--most", help="How many hosts and types of content to show.", min=1)
    ] = 20,
    as_json: Json = False,
) -> None:
    """Count what is in files: records and bytes, types, HTTP statuses, types of content, hosts, dates.

    \b
    Examples:
      armarium warc stats *.warc.gz
      armarium warc stats --json crawl.warc.gz | jq .hosts
    """
    archives, statistics = ArchiveFiles(files, silent=True), Statistics()
    for name, reader in archives.readers():
        statistics.files.append(name)
        for capture in _captures(archives, name, reader):
            statistics.add(capture)
    if as_json:
        show_json(statistics.as_json())
    else:
        _show(statistics, most)
    archives.end()


def _show(statistics: Statistics, most: int) -> None:
    show_facts(
        {
            "Files": len(statistics.files),
            "Records": statistics.records,
            "Bytes": f"{statistics.bytes} ({byte_size(statistics.bytes)})",
            "First": statistics.first,
            "Last": statistics.last,
        }
    )
    for title in ("types", "statuses", "mimes", "hosts"):
        counter = getattr(statistics, title)
        if counter:
            say("")
            show_table((title.capitalize(), "Records"), counter.most_common(most))
        if len(counter) > most:
            say(f"… and {len(counter) - most} more")


warc_commands.command("cat")(cat)
warc_commands.command("validate")(validate_files)
