"""The tables of the index: what has been indexed, and which runs hold it.

The runs themselves are files. These tables can be made again from the register and the W/ARC files.
"""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from armarium.db.schema import count, edition, flag, moment, number, reference, schema, text

#: A set of files with an index of its own. The one named `main` has all of them.
index_collection = sa.Table(
    "index_collection",
    schema,
    number(),
    text("name", unique=True),  # a plain word: part of the names of its runs
    text("title"),
    flag("everything", default=False),
    sa.Column("harvests", ARRAY(sa.BigInteger), nullable=False, server_default=sa.text("'{}'::bigint[]")),
    sa.Column("accessions", ARRAY(sa.BigInteger), nullable=False, server_default=sa.text("'{}'::bigint[]")),
    flag("active"),
    edition(),
    moment("created_at"),
    text("created_by"),
)

index_file = sa.Table(
    "index_file",
    schema,
    sa.Column("file", sa.BigInteger, sa.ForeignKey("stored_file.id"), primary_key=True),
    sa.Column("name", sa.Text(collation="C"), nullable=False, unique=True),
    sa.Column("day", sa.Date, nullable=False),  # of its storing, in UTC: decides the run it goes into
    sa.Column("harvest", sa.BigInteger),
    sa.Column("accession", sa.BigInteger),
    sa.Column("job", sa.BigInteger),
    text("sha256"),  # of the content that was indexed
    text("state"),  # waiting, again, indexed, failed, withdrawn: see chain/model.py
    text("made_from"),  # companion, file
    text("error"),
    sa.Column("problems", JSONB, nullable=False, server_default=sa.text("'[]'::jsonb")),  # the first ones
    count("lines"),
    count("bytes"),
    moment("asked_at"),
    moment("indexed_at", nullable=True),
    sa.Index("index_file_state_index", "state", "file"),
    sa.Index("index_file_job_index", "job", "file"),
    sa.Index("index_file_harvest_index", "harvest", "file"),
)

#: An immutable piece of the index, or of the rows for analysis.
index_run = sa.Table(
    "index_run",
    schema,
    number(),
    reference("collection", "index_collection.id"),
    text("kind"),  # cdx, rows
    text("level"),  # file, day, big
    sa.Column("day", sa.Date),
    text("name", unique=True),  # of the object in the place of runs
    count("lines"),
    count("bytes"),
    text("sha256"),
    text("first"),
    text("last"),
    text("state"),  # making, live, retired
    moment("made_at"),
    moment("retired_at", nullable=True),
    sa.Index(
        "index_run_live_index",
        "collection",
        "kind",
        "level",
        "day",
        postgresql_where=sa.text("state = 'live'"),
    ),
)

#: Which live run of a collection holds the lines of a file: exactly one of each kind.
index_membership = sa.Table(
    "index_membership",
    schema,
    sa.Column("collection", sa.BigInteger, sa.ForeignKey("index_collection.id"), primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("file", sa.BigInteger, sa.ForeignKey("index_file.file"), primary_key=True),
    sa.Column("run", sa.BigInteger, sa.ForeignKey("index_run.id"), nullable=False),
    sa.Index("index_membership_run_index", "run", "file"),
)

#: What the chain did and does: merges, cleaning, rebuilding.
index_step = sa.Table(
    "index_step",
    schema,
    number(),
    text("step"),  # daily, big, clean, paths, rebuild
    text("state"),  # running, finished, failed, stopped
    moment("started_at"),
    moment("heard_at", nullable=True),
    moment("ended_at", nullable=True),
    count("done"),
    count("total"),
    text("about"),  # which collection, which day
    text("error"),
)
