"""Tables of storage: replicas, the register of files, checks, repairs, batches."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

TABLES = (
    "accession_line",
    "withdrawal_note",
    "storage_figure",
    "watched_folder",
    "repair_approval",
    "storage_event",
    "repair",
    "file_copy",
    "file_check",
    "batch_result",
    "stored_file",
    "audit_run",
    "replica",
    "batch",
    "archive",
    "accession",
)  # those that name others first

#: Tables whose rows are history: the database refuses to change them.
FINAL = ("file_check", "storage_event")


def _accession() -> None:
    op.create_table(
        "accession",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("note", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="accession_pkey"),
        sa.UniqueConstraint("name", name="accession_name_key"),
    )


def _archive() -> None:
    op.create_table(
        "archive",
        sa.Column("one", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("id", sa.Text(), server_default=sa.text("(gen_random_uuid())::text"), nullable=False),
        sa.CheckConstraint("one", name="archive_one_check"),
        sa.PrimaryKeyConstraint("one", name="archive_pkey"),
    )


def _batch() -> None:
    op.create_table(
        "batch",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("function", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column(
            "arguments",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column(
            "selection",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("state", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("files_total", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("files", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("failures", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("error", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="batch_pkey"),
    )


def _replica() -> None:
    op.create_table(
        "replica",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("role", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("state", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("location", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column(
            "options",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("secrets", sa.LargeBinary(), nullable=True),
        sa.Column("rate_bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("audit_days", sa.Integer(), server_default=sa.text("90"), nullable=False),
        sa.Column("audit_rate_bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("edition", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("away_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("trouble", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("free_bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("filled_to", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("fill_to", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("returned_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="replica_pkey"),
        sa.UniqueConstraint("name", name="replica_name_key"),
    )


def _audit_run() -> None:
    op.create_table(
        "audit_run",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("replica", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("state", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("asked_by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("heard_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cursor", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("older_than", sa.DateTime(timezone=True), nullable=True),
        sa.Column("files_total", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("bytes_total", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("files", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("ok", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("missing", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("corrupt", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("strange", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("error", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.ForeignKeyConstraint(["replica"], ["replica.id"], name="audit_run_replica_fkey"),
        sa.PrimaryKeyConstraint("id", name="audit_run_pkey"),
    )
    op.create_index("audit_run_replica_index", "audit_run", ["replica", "id"], unique=False)


def _stored_file() -> None:
    op.create_table(
        "stored_file",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(collation="C"), nullable=False),
        sa.Column("kind", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("blake3", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("state", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("origin", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("job", sa.BigInteger(), nullable=True),
        sa.Column("harvest", sa.BigInteger(), nullable=True),
        sa.Column("accession", sa.BigInteger(), nullable=True),
        sa.Column("original_job", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("registered_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("stored_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("withdrawn_reason", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("source", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("companion", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("taken_over_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("trouble", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.ForeignKeyConstraint(["accession"], ["accession.id"], name="stored_file_accession_fkey"),
        sa.PrimaryKeyConstraint("id", name="stored_file_pkey"),
        sa.UniqueConstraint("name", name="stored_file_name_key"),
    )
    op.create_index("stored_file_accession_index", "stored_file", ["accession", "id"], unique=False)
    op.create_index("stored_file_harvest_index", "stored_file", ["harvest", "id"], unique=False)
    op.create_index("stored_file_job_index", "stored_file", ["job", "id"], unique=False)
    op.create_index(
        "stored_file_source_index",
        "stored_file",
        ["id"],
        unique=False,
        postgresql_where=sa.text(
            "(source <> '' OR companion <> '') AND stored_at IS NOT NULL AND taken_over_at IS NOT NULL"
        ),
    )
    op.create_index(
        "stored_file_withdrawn_index",
        "stored_file",
        ["id"],
        unique=False,
        postgresql_where=sa.text("state = 'withdrawn'"),
    )
    op.create_index("stored_file_stored_at_index", "stored_file", ["stored_at", "id"], unique=False)
    op.create_index(
        "stored_file_storing_index",
        "stored_file",
        ["id"],
        unique=False,
        postgresql_where=sa.text("state = 'storing'"),
    )


def _accession_line() -> None:
    op.create_table(
        "accession_line",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("accession", sa.BigInteger(), nullable=False),
        sa.Column("path", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("name", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("outcome", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("remark", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("size", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("changed_ns", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("file", sa.BigInteger(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["accession"], ["accession.id"], name="accession_line_accession_fkey"),
        sa.ForeignKeyConstraint(["file"], ["stored_file.id"], name="accession_line_file_fkey"),
        sa.PrimaryKeyConstraint("id", name="accession_line_pkey"),
    )
    op.create_index(
        "accession_line_path_key",
        "accession_line",
        [sa.literal_column("md5(path)"), "accession"],
        unique=True,
    )
    op.create_index(
        "accession_line_outcome_index", "accession_line", ["accession", "outcome", "id"], unique=False
    )


def _batch_result() -> None:
    op.create_table(
        "batch_result",
        sa.Column("batch", sa.BigInteger(), nullable=False),
        sa.Column("file", sa.BigInteger(), nullable=False),
        sa.Column("part", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("state", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("result", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("error", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("seconds", sa.Float(), server_default=sa.text("0"), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["batch"], ["batch.id"], name="batch_result_batch_fkey"),
        sa.ForeignKeyConstraint(["file"], ["stored_file.id"], name="batch_result_file_fkey"),
        sa.PrimaryKeyConstraint("batch", "file", name="batch_result_pkey"),
    )
    op.create_index("batch_result_state_index", "batch_result", ["batch", "state", "file"], unique=False)
    op.create_index(
        "batch_result_part_index",
        "batch_result",
        ["batch", "part", "file"],
        unique=False,
        postgresql_where=sa.text("state = 'waiting'"),
    )


def _file_check() -> None:
    op.create_table(
        "file_check",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("file", sa.BigInteger(), nullable=False),
        sa.Column("replica", sa.BigInteger(), nullable=False),
        sa.Column("audit", sa.BigInteger(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("outcome", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("algorithm", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("found", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("size", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(["file"], ["stored_file.id"], name="file_check_file_fkey"),
        sa.ForeignKeyConstraint(["replica"], ["replica.id"], name="file_check_replica_fkey"),
        sa.PrimaryKeyConstraint("id", name="file_check_pkey"),
    )
    op.create_index("file_check_audit_index", "file_check", ["audit", "id"], unique=False)
    op.create_index("file_check_file_index", "file_check", ["file", "id"], unique=False)


def _file_copy() -> None:
    op.create_table(
        "file_copy",
        sa.Column("file", sa.BigInteger(), nullable=False),
        sa.Column("replica", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("error", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("checked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("outcome", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("found_sha256", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.ForeignKeyConstraint(["file"], ["stored_file.id"], name="file_copy_file_fkey"),
        sa.ForeignKeyConstraint(["replica"], ["replica.id"], name="file_copy_replica_fkey"),
        sa.PrimaryKeyConstraint("file", "replica", name="file_copy_pkey"),
    )
    op.create_index(
        "file_copy_oldest_index",
        "file_copy",
        ["replica", sa.literal_column("checked_at NULLS FIRST"), "file"],
        unique=False,
    )
    op.create_index(
        "file_copy_troubled_index",
        "file_copy",
        ["replica", "state", "file"],
        unique=False,
        postgresql_where=sa.text("state <> 'accepted'"),
    )


def _repair() -> None:
    op.create_table(
        "repair",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("file", sa.BigInteger(), nullable=False),
        sa.Column("replica", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("reason", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column(
            "votes",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("good_sha256", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("bad_sha256", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("aside", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("proposed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decided_by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("error", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.ForeignKeyConstraint(["file"], ["stored_file.id"], name="repair_file_fkey"),
        sa.ForeignKeyConstraint(["replica"], ["replica.id"], name="repair_replica_fkey"),
        sa.PrimaryKeyConstraint("id", name="repair_pkey"),
    )
    op.create_index("repair_file_index", "repair", ["file", "id"], unique=False)
    op.create_index(
        "repair_open_key",
        "repair",
        ["file", "replica"],
        unique=True,
        postgresql_where=sa.text("state IN ('proposed', 'approved', 'running', 'undecided', 'failed')"),
    )
    op.create_index("repair_state_index", "repair", ["state", "id"], unique=False)


def _storage_event() -> None:
    op.create_table(
        "storage_event",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("file", sa.BigInteger(), nullable=True),
        sa.Column("replica", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("actor", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column(
            "details",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(["file"], ["stored_file.id"], name="storage_event_file_fkey"),
        sa.ForeignKeyConstraint(["replica"], ["replica.id"], name="storage_event_replica_fkey"),
        sa.PrimaryKeyConstraint("id", name="storage_event_pkey"),
    )
    op.create_index("storage_event_file_index", "storage_event", ["file", "id"], unique=False)
    op.create_index("storage_event_replica_index", "storage_event", ["replica", "id"], unique=False)


def _repair_approval() -> None:
    op.create_table(
        "repair_approval",
        sa.Column("repair", sa.BigInteger(), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name="repair_approval_account_fkey"),
        sa.ForeignKeyConstraint(["repair"], ["repair.id"], name="repair_approval_repair_fkey"),
        sa.PrimaryKeyConstraint("repair", "account", name="repair_approval_pkey"),
    )


def _notes() -> None:
    op.create_table(
        "withdrawal_note",
        sa.Column("file", sa.BigInteger(), nullable=False),
        sa.Column("replica", sa.BigInteger(), nullable=False),
        sa.Column("times", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(["file"], ["stored_file.id"], name="withdrawal_note_file_fkey"),
        sa.ForeignKeyConstraint(["replica"], ["replica.id"], name="withdrawal_note_replica_fkey"),
        sa.PrimaryKeyConstraint("file", "replica", name="withdrawal_note_pkey"),
    )
    op.create_table(
        "storage_figure",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column(
            "content",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("name", name="storage_figure_pkey"),
    )
    op.create_table(
        "watched_folder",
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("looked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("taken", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("restless", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("trouble", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.PrimaryKeyConstraint("path", name="watched_folder_pkey"),
    )


def _arrival() -> None:
    """Files that came before this version wait to be taken by the archive."""
    op.add_column("arrival", sa.Column("taken_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("arrival", sa.Column("refusal", sa.Text(), server_default=sa.text("''"), nullable=False))
    op.create_index(
        "arrival_untaken_index",
        "arrival",
        ["id"],
        postgresql_where=sa.text(
            "kind <> 'index' AND refusal = ''"
            " AND (state = 'landed' OR state IN ('stored', 'spare') AND taken_at IS NULL)"
        ),
    )


def _final() -> None:
    op.execute(
        """
        CREATE FUNCTION history_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'The history of files is never changed.' USING ERRCODE = 'insufficient_privilege';
        END $$
        """
    )
    for table in FINAL:
        op.execute(
            f"CREATE TRIGGER {table}_is_final BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION history_is_final()"
        )


def upgrade() -> None:
    _accession()
    _archive()
    _batch()
    _replica()
    _audit_run()
    _stored_file()
    _accession_line()
    _batch_result()
    _file_check()
    _file_copy()
    _repair()
    _storage_event()
    _repair_approval()
    _notes()
    _arrival()
    _final()
    op.execute("INSERT INTO archive DEFAULT VALUES")


def downgrade() -> None:
    op.drop_index("arrival_untaken_index", "arrival")
    op.drop_column("arrival", "refusal")
    op.drop_column("arrival", "taken_at")
    for table in TABLES:
        op.drop_table(table)
    op.execute("DROP FUNCTION history_is_final()")
