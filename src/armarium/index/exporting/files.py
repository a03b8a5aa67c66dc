"""Exports appear whole or not at all, and never in the place of something else."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.services import Services
from armarium.db.database import Database
from armarium.index.chain import file_queries
from armarium.index.chain.model import Kind, RunRow
from armarium.index.chain.rows import Provenance, Tables, tables_of_lines, tables_of_part, write_rows
from armarium.index.chain.service import Chain
from armarium.index.runs import Run
from armarium.terminal.output import standard_output


@contextmanager
def written(target: Path | None) -> Iterator[BinaryIO]:
    """A file to write to; None: standard output."""
    if target is None:
        with standard_output() as output:
            yield output.buffer
            output.buffer.flush()
        return
    with fresh(target) as path, path.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def fresh(target: Path) -> Iterator[Path]:
    """Where to write what becomes `target` once it is whole."""
    check(target)
    path = target.with_name(f"{target.name}.fresh")
    try:
        yield path
        path.replace(target)
    except OSError as error:
        told = message("%(path)s cannot be written: %(error)s.", path=str(target), error=str(error.strerror))
        raise Refused(told) from error
    finally:
        path.unlink(missing_ok=True)


def check(target: Path) -> None:
    if not target.parent.is_dir():
        raise Refused(message("There is no folder %(path)s. Make it first.", path=str(target.parent)))
    if target.exists():
        raise Refused(message("%(path)s is there already. Choose another name.", path=str(target)))


def copy(source: Path, target: Path | None) -> None:
    with source.open("rb") as read, written(target) as file:
        shutil.copyfileobj(read, file)


# All rows for analysis in one Parquet file: those of days that were merged, and those of fresh files


def export_rows(services: Services, target: Path) -> int:
    """The number of rows. Those of files that were withdrawn are left out."""
    chain, database = services.get(Chain), services.get(Database)
    with database.transaction() as connection:
        hidden = frozenset(file_queries.hidden_names(connection))
    sources = [_tables(chain, database, run) for run in chain.runs(kind=Kind.ROWS)]
    return write_rows(sources, target, without=hidden)


def _tables(chain: Chain, database: Database, run: RunRow) -> Tables:
    return tables_of_part(chain.place, run.name) if run.kind is Kind.ROWS else _of_file(chain, database, run)


def _of_file(chain: Chain, database: Database, run: RunRow) -> Tables:
    with database.transaction() as connection:
        [file] = file_queries.files_in(connection, run.id, run.collection, Kind.ROWS)
    lines = Run(chain.place, run.name).scan()
    return tables_of_lines(lines, Provenance(file.job, file.harvest, file.accession))
