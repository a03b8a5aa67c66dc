"""Import and export of records, measured: a file of 30,000 as CSV and as Excel, tried, imported and exported.

    python -m bench.selection.exchange [--records 30000]

A PostgreSQL of its own is made in a temporary folder and removed at the end. CPU is that of this process and
of its child, the reader of workbooks; that of PostgreSQL stands beside it. On a quiet machine the wall's
seconds are the sum of the two, for one waits for the other.
"""

import argparse
import io
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import xlsxwriter

from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.db.embedded import running
from armarium.selection.collections.model import Choices
from armarium.selection.collections.service import Collections
from armarium.selection.exchange.columns import COLUMNS
from armarium.selection.exchange.csv_files import Exports, Format, csv_line
from armarium.selection.exchange.model import Import, Mode
from armarium.selection.exchange.service import Imports, pieces_of
from armarium.selection.permissions import ITSELF
from armarium.selection.settings import SelectionSettings
from armarium.server.assembly import TASK_KINDS, prepare_database
from armarium.tasks.service import Tasks

HEADER = (
    "address",
    "title",
    "theme",
    "budget",
    "frequency",
    "depth",
    "language",
    "keywords",
    "content_notes",
    "technical_notes",
    "active",
    "further_addresses",
)
FOLDER = "armarium-bench-exchange"
BUDGETS, FREQUENCIES, DEPTHS = (
    ("small", "medium"),
    ("weekly", "monthly", "annual"),
    ("host", "path", "page+1"),
)


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


def rows(records: int, title: str) -> Iterator[tuple[str, ...]]:
    yield HEADER
    for n in range(records):
        host = f"https://www.site-{n % 9000}.example.fr"
        yield (
            f"{host}/section/{n}/",
            f"{title} {n}: revue d’une société savante",
            ("Presse", "Sciences", "Arts")[n % 3],
            BUDGETS[n % 2],
            FREQUENCIES[n % 3],
            DEPTHS[n % 3],
            "fr",
            "revue; société savante; histoire locale",
            "Dépouillée depuis 2019; à comparer avec le catalogue.",
            "Le plan du site est complet." if n % 4 else "",
            "yes" if n % 20 else "no",
            f"{host}/sitemap/{n}.xml plan du site" if n % 5 == 0 else "",
        )


def csv_file(records: int, title: str) -> bytes:
    return "".join(csv_line(row) for row in rows(records, title)).encode("utf-8-sig")


def xlsx_file(records: int, title: str) -> bytes:
    made = io.BytesIO()
    with xlsxwriter.Workbook(made, {"constant_memory": True}) as book:
        sheet = book.add_worksheet()
        for place, row in enumerate(rows(records, title)):
            for column, text in enumerate(row):
                sheet.write_string(place, column, text)
    return made.getvalue()


def measured(what: str, do: Callable[[], Any]) -> Any:
    wall, cpu, served = time.perf_counter(), sum(os.times()[:4]), of_postgresql()
    done = do()
    served = of_postgresql() - served
    wall, cpu = time.perf_counter() - wall, sum(os.times()[:4]) - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    say(f"| {what} | {wall:.1f} | {cpu:.1f} | {served:.1f} | {peak} |")
    return done


def of_postgresql() -> float:
    """Seconds of CPU of the server's processes that are alive, ours among them."""
    spent = 0.0
    for process in psutil.process_iter(["name", "cmdline"]):
        if process.info["name"] == "postgres" and FOLDER in " ".join(process.info["cmdline"] or ()):
            for child in process.children(recursive=True):
                with suppress(psutil.Error):
                    spent += sum(child.cpu_times()[:2])
    return spent


def ran(imports: Imports, name: str, content: bytes, mode: Mode) -> Import:
    kept = imports.keep(ITSELF, name, pieces_of(io.BytesIO(content)), mode, 1)
    done = imports.run(kept.id)
    assert not done.error, done.error
    assert done.counts.refused == 0, done.counts
    return done


def measure(database: Database, records: int) -> None:
    imports = Imports(database, Tasks(database, TASK_KINDS), SelectionSettings())
    exports = Exports(database)
    files = {"CSV": csv_file(records, "Titre"), "xlsx": xlsx_file(records, "Titre")}
    changed = {"CSV": csv_file(records, "Autre titre"), "xlsx": xlsx_file(records, "Encore un")}
    say(f"{records:,} records; CSV {len(files['CSV']):,} bytes, xlsx {len(files['xlsx']):,}")
    say("| what | wall s | CPU s | PostgreSQL CPU s | peak MB |\n|---|---|---|---|---|")
    for kind, content in files.items():
        measured(f"trial, new records, {kind}", lambda c=content, k=kind: ran(imports, k, c, Mode.TRIAL))
    measured("import, new records, CSV", lambda: ran(imports, "a.csv", files["CSV"], Mode.ALL))
    for kind, content in files.items():
        measured(f"import, nothing new, {kind}", lambda c=content, k=kind: ran(imports, k, c, Mode.ALL))
    for kind, content in changed.items():
        measured(
            f"import, every title changes, {kind}", lambda c=content, k=kind: ran(imports, k, c, Mode.ALL)
        )
    numbers = list(range(1, records + 1))
    for chosen in Format:
        pieces = exports.pieces(numbers, chosen, COLUMNS)
        size = measured(f"export, all columns, {chosen}", lambda p=pieces: sum(len(piece) for piece in p))
        assert size > records * 20


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--records", type=int, default=30_000)
    records: int = asked.parse_args().records
    with tempfile.TemporaryDirectory(prefix=FOLDER) as folder, running(Path(folder)) as url:
        database = Database(url, application="bench")
        prepare_database(database)
        Collections(database).create(SYSTEM, Choices("Sites"), themes=["Presse", "Sciences", "Arts"])
        measure(database, records)
        database.close()


if __name__ == "__main__":
    main()
