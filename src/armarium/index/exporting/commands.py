"""`armarium index export`, `dedup`, `import`: the index as files, out and in."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.services import Services
from armarium.db.database import Database
from armarium.formats.cdx.query import Match, Query
from armarium.index.captures.commands import CollectionOption, From, MatchOption, To
from armarium.index.captures.parsing import address_of, digits_of
from armarium.index.chain.model import MAIN
from armarium.index.chain.service import Chain
from armarium.index.exchange import Form, export_text, export_zipnum
from armarium.index.exporting.packages import check, copy, export_rows, export_wacz, fresh, written
from armarium.index.imports import Imports
from armarium.index.lookup import digest_lines
from armarium.index.upkeep import queries
from armarium.terminal.output import complain, say, show_json
from armarium.terminal.progress import Told, counted, progress
from armarium.terminal.session import Json, operator, session

exchange_commands = typer.Typer()


class Format(StrEnum):
    CDXJ = "cdxj"
    CDX11 = "cdx11"
    CDX9 = "cdx9"
    ZIPNUM = "zipnum"
    PATH = "path"
    PARQUET = "parquet"
    WACZ = "wacz"


TEXTS = {Format.CDXJ: Form.CDXJ, Format.CDX11: Form.CDX11, Format.CDX9: Form.CDX9}
Output = Annotated[Path | None, typer.Option("-o", "--output", help="The file to write.")]


@exchange_commands.command("export")
def export(
    context: typer.Context,
    form: Annotated[Format, typer.Option("--format", help="What to write.")] = Format.CDXJ,
    collection: CollectionOption = MAIN,
    url: Annotated[str, typer.Option(help="Only captures of this address.")] = "",
    match: MatchOption = Match.EXACT,
    from_: From = "",
    to: To = "",
    job: Annotated[
        list[int] | None, typer.Option(help="Only what this job brought. Can be repeated.")
    ] = None,
    harvest: Annotated[int | None, typer.Option(help="Only what this harvest brought.")] = None,
    output: Output = None,
    as_json: Json = False,
) -> None:
    """Write the index, or a part of it, as other tools read it.

    CDXJ, CDX with 11 or 9 columns: a sorted text, to standard output if no file is named. ZipNum:
    NAME.cdx.gz, NAME.idx and NAME.loc for -o FOLDER/NAME. PATH: where each file lies. Parquet: a row for each
    capture. WACZ: the captures themselves, for players; of a job, harvest or collection the whole files, of
    addresses or dates only their records. Originals of unchanged captures come with them.
    """
    with session(context).services() as services:
        chain = services.get(Chain)
        wanted = _Wanted(collection, _query(url, match, from_, to), tuple(job or ()), harvest)
        if form in (Format.PATH, Format.PARQUET) and wanted != _Wanted():
            raise Refused(message("PATH and Parquet are written of everything: leave the rest out."))
        with progress("Exporting", quiet=as_json or output is None) as told:
            count = _exported(services, chain, form, replace(wanted, told=told), output)
    if as_json and output is not None:
        show_json({"lines": count, "output": str(output)})
    elif output is not None:
        say(f"Lines that were written: {count}.")


EVERYTHING = Query(match=Match.RANGE)


@dataclass(frozen=True)
class _Wanted:
    """Of which captures an export is."""

    collection: str = MAIN
    query: Query = EVERYTHING
    jobs: tuple[int, ...] = ()
    harvest: int | None = None
    told: Told | None = None

    @property
    def title(self) -> str:
        parts = [f"Job {number}" for number in self.jobs]
        parts += [f"Harvest {self.harvest}"] if self.harvest is not None else []
        return ", ".join([*parts, *filter(None, (self.query.url,))]) or self.collection

    def files(self, chain: Chain) -> set[str]:
        """Names of the files of jobs, harvest and collection."""
        known = chain.collections.named(self.collection)
        with chain.database.transaction() as connection:
            names = queries.names_of_collection(connection, known)
            if self.jobs:
                names &= queries.names_of_jobs(connection, self.jobs)
            if self.harvest is not None:
                names &= queries.names_of_harvest(connection, self.harvest)
        return names

    def lines(self, chain: Chain) -> Iterator[bytes]:
        chain.collections.named(self.collection)
        only = self.files(chain) if self.jobs or self.harvest is not None else None
        lines = chain.lookup(self.collection, only=only).raw(self.query)
        return counted(lines, self.told) if self.told else lines


def _query(url: str, match: Match, from_: str, to: str) -> Query:
    address, how_much = address_of(url, match) if url else ("", Match.RANGE)
    return Query(address, match=how_much, from_=digits_of(from_), to=digits_of(to))


def _exported(services: Services, chain: Chain, form: Format, wanted: _Wanted, output: Path | None) -> int:
    if form is Format.PATH:
        count = chain.write_paths()
        copy(chain.path_index, output)
        return count
    if form in TEXTS:
        with written(output) as file:
            return export_text(wanted.lines(chain), TEXTS[form], file)
    if form is Format.WACZ:
        whole = wanted.files(chain) if wanted.query == EVERYTHING else ()
        with written(output) as file:
            return export_wacz(
                wanted.lines(chain),
                file,
                archive=chain.lookup(),
                open_file=chain.open,
                whole=whole,
                title=wanted.title,
            )
    if output is None:
        raise Refused(message("Name the file to write with -o."))
    if form is Format.PARQUET:
        with fresh(output) as path:
            return export_rows(services, path)
    for end in (".cdx.gz", ".idx", ".loc"):
        check(output.with_name(output.name + end))
    return export_zipnum(wanted.lines(chain), output.parent, output.name).lines


@exchange_commands.command("dedup")
def dedup(
    context: typer.Context,
    domain: Annotated[
        list[str] | None, typer.Option(help="A domain, with all that is below it; repeatable.")
    ] = None,
    job: Annotated[
        list[int] | None, typer.Option(help="A job of which to take captures; repeatable.")
    ] = None,
    output: Output = None,
    as_json: Json = False,
) -> None:
    """Write the digests by which a crawl knows what the archive has: sorted CDXJ, of each address and digest
    the newest capture. Of domains, of jobs, or of what jobs brought of domains."""
    if not domain and not job:
        raise Refused(message("Name domains or jobs."))
    with session(context).services() as services:
        names: set[str] | None = None
        if job:
            with services.get(Database).transaction() as connection:
                names = queries.names_of_jobs(connection, job)
        believed = None if names is None else (lambda _domain: names)
        count = 0
        with written(output) as file:
            for line in digest_lines(services.get(Chain).lookup(), domain or None, files=believed):
                file.write(line + b"\n")
                count += 1
    if as_json and output is not None:
        show_json({"lines": count, "output": str(output)})
    elif output is not None:
        say(f"Lines that were written: {count}.")


@exchange_commands.command("import")
def import_files(
    context: typer.Context,
    file: Annotated[
        list[Path], typer.Argument(help="CDX, CDXJ, packed or not, or the .idx of a ZipNum cluster.")
    ],
    name: Annotated[str, typer.Option(help="The collection is called import-NAME.")],
    title: Annotated[str, typer.Option(help="What it is, for people.")] = "",
    rekey: Annotated[
        bool, typer.Option(help="Compute every key anew; else only those that are no SURT keys.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Import an index of others into a collection of its own, instead of what that had before.

    Nobody compares its lines with the files, so they never mix with what the archive made itself. For files
    that are to be taken into the archive together with their index: `armarium store import`.
    """
    with session(context).services() as services:
        collection, report = Imports.of(services).take(operator(), file, name, title=title, rekey=rekey)
    facts: dict[str, Any] = {
        "collection": collection.name,
        "read": report.read,
        "taken": report.taken,
        "rekeyed": report.rekeyed,
        "bad": dict(report.bad),
        "complaints": [vars(one) for one in report.complaints],
    }
    if as_json:
        return show_json(facts)
    say(f"{collection.name}: {report.taken} of {report.read} lines, {report.rekeyed} of them with a new key.")
    for one in report.complaints:
        complain(f"{one.file}:{one.line}: {one.message}")
    if left_out := report.bad.total():
        say(f"Lines that were left out: {left_out}.")
    return None
