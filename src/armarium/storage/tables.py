"""The tables of storage: replicas, the register of files, and all that was ever done with their copies."""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from armarium.db.schema import count, edition, moment, number, reference, schema, text


def _document(name: str) -> "sa.Column[object]":
    return sa.Column(name, JSONB, nullable=False, server_default=sa.text("'{}'::jsonb"))


#: Which archive this is. Every replica carries the same word, so that a foreign disk is noticed.
archive = sa.Table(
    "archive",
    schema,
    sa.Column("one", sa.Boolean, primary_key=True, server_default=sa.text("true")),  # one row and no other
    sa.Column("id", sa.Text, nullable=False, server_default=sa.text("(gen_random_uuid())::text")),
    sa.CheckConstraint("one", name="one"),
)

replica = sa.Table(
    "replica",
    schema,
    number(),
    text("name", unique=True),
    text("kind"),  # folder, s3, checksum
    text("role"),  # primary, copy, witness
    text("state"),  # active, read-only, retired
    text("location"),
    _document("options"),
    sa.Column("secrets", sa.LargeBinary),  # locked in the vault
    count("rate_bytes"),
    sa.Column("audit_days", sa.Integer, nullable=False, server_default=sa.text("90")),  # 0: only by hand
    count("audit_rate_bytes"),  # of audits, a second; 0: as fast as it goes
    edition(),
    moment("created_at"),
    text("created_by"),
    moment("away_since", nullable=True),
    text("trouble"),  # why it is away
    moment("asked_at", nullable=True),  # when it last answered, or did not
    count("free_bytes"),  # of a folder
    count("filled_to"),  # files up to this number have a row for their copy here …
    count("fill_to"),  # … and those up to this one still have to get theirs
    moment("returned_at", nullable=True),  # when it was last taken back into use
)

#: Files that came from outside, together: a job that no collector of ours has run.
accession = sa.Table(
    "accession",
    schema,
    number(),
    text("name", unique=True),
    text("source"),  # where they came from
    text("note"),
    moment("created_at"),
    text("created_by"),
)

#: The register: every file that the archive ever took.
stored_file = sa.Table(
    "stored_file",
    schema,
    number(),
    sa.Column("name", sa.Text(collation="C"), nullable=False),
    text("kind"),  # data, metadata
    sa.Column("size", sa.BigInteger, nullable=False),
    text("sha256"),
    text("blake3"),
    text("state"),  # storing, stored, lost, withdrawn
    text("origin"),  # collector, import, rebuild
    sa.Column("job", sa.BigInteger),
    sa.Column("harvest", sa.BigInteger),
    reference("accession", "accession.id", nullable=True),
    text("original_job"),  # of a file from outside: what it says itself
    moment("registered_at"),
    moment("stored_at", nullable=True),
    moment("withdrawn_at", nullable=True),
    text("withdrawn_reason"),
    text("source"),
    text("companion"),
    text("companion_sha256"),  # empty where nobody has said it
    moment("taken_over_at", nullable=True),  # the index needs source and companion no more
    text("trouble"),  # why it is not stored yet
    sa.UniqueConstraint("name", name="stored_file_name_key"),
    sa.Index("stored_file_job_index", "job", "id"),
    sa.Index("stored_file_harvest_index", "harvest", "id"),
    sa.Index("stored_file_accession_index", "accession", "id"),
    # With what the overview sums by day, so that a month is read from the index alone.
    sa.Index("stored_file_stored_at_index", "stored_at", "id", postgresql_include=["size"]),
    sa.Index("stored_file_storing_index", "id", postgresql_where=sa.text("state = 'storing'")),
    sa.Index("stored_file_withdrawn_index", "id", postgresql_where=sa.text("state = 'withdrawn'")),
    sa.Index(
        "stored_file_source_index",
        "id",
        postgresql_where=sa.text(
            "(source <> '' OR companion <> '') AND stored_at IS NOT NULL AND taken_over_at IS NOT NULL"
        ),
    ),
)

#: What an import met: one line for each path, also for those that were not taken.
accession_line = sa.Table(
    "accession_line",
    schema,
    number(),
    reference("accession", "accession.id"),
    text("path"),
    text("name"),  # under which it is in the archive
    text("outcome"),  # taken, waiting, known, refused, foreign, unreadable
    text("remark"),  # why it was not taken, or what is wrong with it
    count("size"),
    count("changed_ns"),  # the later of its two moments of change: so the same file is not read again
    reference("file", "stored_file.id", nullable=True),
    moment("at"),
    # A path may be longer than an index can hold.
    sa.Index("accession_line_path_key", sa.text("md5(path)"), "accession", unique=True),
    sa.Index("accession_line_outcome_index", "accession", "outcome", "id"),
    sa.Index("accession_line_waiting_index", "id", postgresql_where=sa.text("outcome = 'waiting'")),
)

#: A file in a replica. Rows are made with the file, and for all files when a replica is added.
file_copy = sa.Table(
    "file_copy",
    schema,
    sa.Column("file", sa.BigInteger, sa.ForeignKey("stored_file.id"), primary_key=True),
    sa.Column("replica", sa.BigInteger, sa.ForeignKey("replica.id"), primary_key=True),
    text("state"),
    sa.Column("attempts", sa.Integer, nullable=False, server_default=sa.text("0")),
    text("error"),
    moment("changed_at"),
    moment("seen_at", nullable=True),  # when an audit last found it, or its bytes were read
    moment("checked_at", nullable=True),  # when every byte was last read
    text("outcome"),  # of the last check
    text("found_sha256"),  # by it
    sa.Index("file_copy_oldest_index", "replica", sa.text("checked_at NULLS FIRST"), "file"),
    sa.Index(
        "file_copy_troubled_index",
        "replica",
        "state",
        "file",
        postgresql_where=sa.text("state <> 'accepted'"),
    ),
)

#: Replicas that have to be told that a file is withdrawn, or no more: so that a rebuild will know.
withdrawal_note = sa.Table(
    "withdrawal_note",
    schema,
    sa.Column("file", sa.BigInteger, sa.ForeignKey("stored_file.id"), primary_key=True),
    sa.Column("replica", sa.BigInteger, sa.ForeignKey("replica.id"), primary_key=True),
    count("times"),  # that it was asked for: whoever has done it sees whether it was asked for again
)

#: Sums over all files, kept because they take seconds in a large archive; see figures.py.
storage_figure = sa.Table(
    "storage_figure",
    schema,
    sa.Column("name", sa.Text, primary_key=True),
    moment("at"),
    sa.Column("seconds", sa.Float, nullable=False),  # that it took
    _document("content"),
)

#: What was last seen in a watched folder.
watched_folder = sa.Table(
    "watched_folder",
    schema,
    sa.Column("path", sa.Text, primary_key=True),
    moment("looked_at"),
    count("taken"),  # files that were new
    count("restless"),  # that somebody may still write
    text("trouble"),
)

#: Every time that bytes of a copy were read and compared. Never changed.
file_check = sa.Table(
    "file_check",
    schema,
    number(),
    sa.Column("file", sa.BigInteger, sa.ForeignKey("stored_file.id"), nullable=False),
    sa.Column("replica", sa.BigInteger, sa.ForeignKey("replica.id"), nullable=False),
    sa.Column("audit", sa.BigInteger),  # of which audit; none: at storing, at reading, at a repair
    moment("at"),
    text("kind"),  # presence, checksum
    text("outcome"),
    text("algorithm"),
    text("found"),
    count("size"),
    sa.Index("file_check_file_index", "file", "id"),
    sa.Index("file_check_audit_index", "audit", "id"),
)

#: What was done to a file and its copies: stored, refused, repaired, moved aside, withdrawn. Never changed.
storage_event = sa.Table(
    "storage_event",
    schema,
    number(),
    moment("at"),
    reference("file", "stored_file.id", nullable=True),
    reference("replica", "replica.id", nullable=True),
    text("kind"),
    text("actor"),
    _document("details"),
    sa.Index("storage_event_file_index", "file", "id"),
    sa.Index("storage_event_replica_index", "replica", "id"),
)

audit_run = sa.Table(
    "audit_run",
    schema,
    number(),
    reference("replica", "replica.id"),
    text("kind"),  # presence, checksum
    text("state"),  # waiting, running, finished, cancelled, failed
    text("asked_by"),  # empty: by the calendar
    moment("asked_at"),
    moment("started_at", nullable=True),
    moment("ended_at", nullable=True),
    moment("heard_at", nullable=True),  # the last progress
    text("cursor"),  # how far it came
    moment("older_than", nullable=True),  # only copies whose last check is older
    count("files_total"),
    count("bytes_total"),
    count("files"),
    count("bytes"),
    count("ok"),
    count("missing"),
    count("corrupt"),
    count("strange"),  # objects in the replica that the register does not know
    text("error"),
    sa.Index("audit_run_replica_index", "replica", "id"),
)

repair = sa.Table(
    "repair",
    schema,
    number(),
    reference("file", "stored_file.id"),
    reference("replica", "replica.id"),
    text("state"),
    text("reason"),  # missing, corrupt, unreadable
    _document("votes"),  # who said what: {"one": "sha…", "register": "sha…"}
    text("good_sha256"),
    text("bad_sha256"),
    text("aside"),  # where the bad copy is now
    moment("proposed_at"),
    text("decided_by"),  # the person who decided where the votes did not
    moment("ended_at", nullable=True),
    sa.Column("attempts", sa.Integer, nullable=False, server_default=sa.text("0")),
    text("error"),
    sa.Index("repair_file_index", "file", "id"),
    sa.Index("repair_state_index", "state", "id"),
    sa.Index(
        "repair_open_key",
        "file",
        "replica",
        unique=True,
        postgresql_where=sa.text("state IN ('proposed', 'approved', 'running', 'undecided', 'failed')"),
    ),
)

repair_approval = sa.Table(
    "repair_approval",
    schema,
    sa.Column("repair", sa.BigInteger, sa.ForeignKey("repair.id"), primary_key=True),
    sa.Column("account", sa.BigInteger, sa.ForeignKey("account.id"), primary_key=True),
    text("name"),
    moment("at"),
)

batch = sa.Table(
    "batch",
    schema,
    number(),
    text("function"),
    _document("arguments"),
    _document("selection"),
    text("state"),  # waiting, running, finished, cancelled, failed
    text("by"),
    moment("created_at"),
    moment("started_at", nullable=True),
    moment("ended_at", nullable=True),
    count("files_total"),
    count("files"),
    count("failures"),
    text("error"),
)

batch_result = sa.Table(
    "batch_result",
    schema,
    sa.Column("batch", sa.BigInteger, sa.ForeignKey("batch.id"), primary_key=True),
    sa.Column("file", sa.BigInteger, sa.ForeignKey("stored_file.id"), primary_key=True),
    sa.Column("part", sa.Integer, nullable=False, server_default=sa.text("0")),  # that one task goes through
    text("state"),  # waiting, done, failed
    sa.Column("result", JSONB),
    text("error"),
    sa.Column("seconds", sa.Float, nullable=False, server_default=sa.text("0")),
    moment("at", nullable=True),
    sa.Index("batch_result_state_index", "batch", "state", "file"),
    sa.Index(
        "batch_result_part_index", "batch", "part", "file", postgresql_where=sa.text("state = 'waiting'")
    ),
)
