"""All rows for analysis in one Parquet file: those of days that were merged, and those of fresh files."""

from pathlib import Path

from armarium.core.services import Services
from armarium.db.database import Database
from armarium.index.chain import file_queries
from armarium.index.chain.model import Kind, RunRow
from armarium.index.chain.rows import Provenance, Tables, tables_of_lines, tables_of_part, write_rows
from armarium.index.chain.service import Chain
from armarium.index.runs import Run


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
