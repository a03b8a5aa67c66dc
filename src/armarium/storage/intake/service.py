"""The verbs of intake: take files from outside into the archive, and look at what was taken."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from datetime import timedelta
from itertools import islice
from pathlib import Path

import structlog

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import Refused, existing
from armarium.core.message import message
from armarium.core.text import storable
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.storage.files.service import Files
from armarium.storage.intake import queries
from armarium.storage.intake.importing import FileImport
from armarium.storage.intake.model import (
    Accession,
    AccessionFigures,
    Line,
    Offered,
    Outcome,
    Progress,
    Report,
    silent,
)
from armarium.storage.intake.naming import Rules, archive_name
from armarium.storage.intake.packages import UNPACKED, divide
from armarium.storage.intake.sources import Walk, is_index, offered
from armarium.storage.settings import INTAKE, overlaps, own_folders
from armarium.tasks.context import never
from armarium.tasks.failure import TaskStopped

log = structlog.get_logger(__name__)

TOPIC = "intake"
LONGEST_NAME = 200
LONGEST_NOTE = 10_000
LEFT_BEHIND = timedelta(days=2)
AHEAD = 4  # files for each thread that wait in a row


class Intake:
    def __init__(self, database: Database, files: Files, home: Path) -> None:
        self._database = database
        self._files = files
        self._home = home
        self.own_folders = own_folders(home)  # from which nothing is imported

    # Reading

    page = reading(queries.page)
    lines = reading(queries.lines)
    speed = reading(queries.speed)

    def get(self, number: int) -> AccessionFigures:
        with self._database.transaction() as connection:
            missing = message("There is no import with the number %(number)s.", number=number)
            found = existing(queries.one(connection, number), missing)
            return queries.figures(connection, [found])[0]

    # Taking

    def take(
        self,
        actor: Actor,
        paths: Iterable[Path],
        *,
        accession_name: str = "",
        note: str = "",
        cdx: Path | None = None,
        rules: Rules | None = None,
        most_threads: int = 2,
        progress: Progress = silent,
        stopping: Callable[[], bool] = never,
    ) -> Report:
        """Take all W/ARC files that lie there, told by their content.

        An accession that is named again goes on where it was; files that it has and that have not changed
        since are not read again. Killed anywhere, it can simply be asked once more.
        """
        given = [path.absolute() for path in paths]
        for path in given:
            self._refuse_own(path)
        self._files.refuse_lost()
        found = list(offered(given, Walk(self.own_folders)))
        if not found:
            raise Refused(
                message(
                    "There are no files in %(paths)s. Nothing was imported.", paths=", ".join(map(str, given))
                ),
                field="paths",
            )
        accession = self._accession(actor, accession_name, storable("\n".join(map(str, given))), note)
        report, rules = Report(accession), rules or Rules()
        cdx = cdx and cdx.absolute()
        if cdx is not None and not cdx.is_dir():
            found, report.unused_cdx = self._divided(accession, cdx, found)
        importing = FileImport(self._database, self._files, accession, self._folder(accession), cdx, rules)
        with self._database.transaction() as connection:
            queries.settle(connection)
            before = queries.settled_lines(connection, accession.id)
        fresh = [one for one in found if not _is_same(one, before)]
        for one in found:
            if _is_same(one, before):
                report.add(replace(before[storable(str(one.path))], outcome=Outcome.KNOWN, remark=""))
        for line in self._lines(importing, fresh, set(given), most_threads, stopping):
            report.add(line)
            progress(report, len(found))
        self._end(actor, accession, report, rules)
        return report

    def take_found(
        self,
        actor: Actor,
        found: Iterable[Offered | Line],
        *,
        accession_name: str,
        source: str,
        stopping: Callable[[], bool] = never,
    ) -> Report:
        """Take these files, of which nobody has named a single one."""
        self._files.refuse_lost()
        accession = self._accession(actor, accession_name, source, "")
        report = Report(accession)
        importing = FileImport(self._database, self._files, accession, self._folder(accession))
        for line in self._lines(importing, found, set(), 1, stopping):
            report.add(line)
        self._end(actor, accession, report, importing.rules)
        return report

    def clear(self) -> int:
        """Note what was waiting and is stored meanwhile, and delete parts of divided CDX files that the index
        has taken over, and what came out of packages and is stored."""
        parts = {
            path: archive_name(path.name.removesuffix(path.suffix))
            for path in (self._home / INTAKE).glob("*/*.cdx*")
            if path.is_file()
        }
        with self._database.transaction() as connection:
            if queries.settle(connection):
                announce(connection, TOPIC)
            done = queries.taken_over(connection, set(parts.values()))
            taken_out = list((self._home / INTAKE).glob(f"*/{UNPACKED}-*/*"))
            known = queries.sources(connection, [str(path) for path in taken_out])
        gone = [path for path, name in parts.items() if name in done]
        gone += [path for path in taken_out if known.get(str(path), _is_left_behind(path))]
        for path in gone:
            path.unlink(missing_ok=True)
        return len(gone)

    def _lines(
        self,
        importing: FileImport,
        found: Iterable[Offered | Line],
        named: set[Path],
        most_threads: int,
        stopping: Callable[[], bool],
    ) -> Iterator[Line]:
        with ThreadPoolExecutor(most_threads, "intake") as pool:
            left = iter(found)
            running: set[Future[list[Line]]] = set()
            while True:
                for one in islice(left, most_threads * AHEAD - len(running)):
                    if stopping():
                        raise TaskStopped
                    if isinstance(one, Line):
                        importing.write(one)
                        yield one
                    else:
                        running.add(pool.submit(importing.take, one, named=one.path in named))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield from future.result()

    def _accession(self, actor: Actor, name: str, source: str, note: str) -> Accession:
        name = name.strip() or f"Import {clock.now():%Y-%m-%d %H:%M:%S}"
        if len(name) > LONGEST_NAME or len(note) > LONGEST_NOTE:
            raise Refused(
                message(
                    "A name has at most %(name)s characters, a note %(note)s.",
                    name=LONGEST_NAME,
                    note=LONGEST_NOTE,
                ),
                field="name",
            )
        with self._database.transaction() as connection:
            made = queries.add(connection, storable(name), source, storable(note), actor.name)
            if made is None:
                there = queries.named(connection, storable(name))
                assert there is not None, "a name that is taken belongs to an accession"
                return there
            told = {"name": made.name, "source": source, "note": note}
            record(connection, actor, "accession.begun", Subject("accession", made.id, made.name), after=told)
            announce(connection, TOPIC)
        return made

    def _divided(
        self, accession: Accession, cdx: Path, found: Sequence[Offered | Line]
    ) -> tuple[list[Offered | Line], list[str]]:
        """The files with their part of the CDX."""
        names = {one.path.name for one in found if isinstance(one, Offered) and not is_index(one.path.name)}
        made, foreign = divide(cdx, names, self._folder(accession))
        with_parts = [
            replace(one, companion=made.get(one.path.name, one.companion))
            if isinstance(one, Offered)
            else one
            for one in found
        ]
        return with_parts, foreign

    def _folder(self, accession: Accession) -> Path:
        """For what an import makes, until storage and index have it."""
        return self._home / INTAKE / str(accession.id)

    def _refuse_own(self, path: Path) -> None:
        """Files of our own dock are deleted when they are stored, and files of an import must never be."""
        if overlaps(path, self.own_folders):
            raise Refused(
                message(
                    "%(path)s belongs to the archive itself, or contains a folder that does. Choose a folder "
                    "that contains only the files to import.",
                    path=path,
                ),
                field="paths",
            )

    def _end(self, actor: Actor, accession: Accession, report: Report, rules: Rules) -> None:
        counts = {outcome.value: count for outcome, count in sorted(report.counts.items())}
        with self._database.transaction() as connection:
            subject = Subject("accession", accession.id, accession.name)
            after = {**counts, "bytes": report.bytes, **rules.described()}
            record(connection, actor, "accession.taken", subject, after=after)
            announce(connection, TOPIC)
        log.info("files taken", accession=accession.name, **counts)


def _is_left_behind(path: Path) -> bool:
    """Whether a file is older than any import takes to register it."""
    return path.exists() and clock.now().timestamp() - path.stat().st_mtime > LEFT_BEHIND.total_seconds()


def _is_same(one: Offered | Line, before: Mapping[str, Line]) -> bool:
    """Whether this accession has met the file and the archive has it, and it has not changed since."""
    met = before.get(storable(str(one.path)))
    return met is not None and (met.size, met.changed_ns) == (one.size, one.changed_ns)
