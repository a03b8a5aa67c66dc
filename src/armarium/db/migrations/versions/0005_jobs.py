"""Tables of jobs, of collectors, and of the files that arrive from them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

TABLES = (
    "job_sample",
    "job_order",
    "job_command",
    "job_by_catch",
    "job_attempt",
    "arrival",
    "job",
    "job_configuration",
    "collector_request",
    "collector_enrolment",
    "collector",
)  # those that name others first


def _collector() -> None:
    op.create_table(
        "collector",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(collation="C"), nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column(
            "channels", postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'::text[]"), nullable=False
        ),
        sa.Column("slots", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column(
            "failed_jobs",
            postgresql.ARRAY(sa.BigInteger()),
            server_default=sa.text("'{}'::bigint[]"),
            nullable=False,
        ),
        sa.Column("signing_key", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("sealing_key", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("enrolled_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("enrolled_by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("address", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column(
            "facts",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("id", name="collector_pkey"),
        sa.UniqueConstraint("name", name="collector_name_key"),
    )


def _collector_enrolment() -> None:
    op.create_table(
        "collector_enrolment",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("code_digest", sa.LargeBinary(), nullable=False),
        sa.Column(
            "channels", postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'::text[]"), nullable=False
        ),
        sa.Column("by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="collector_enrolment_pkey"),
        sa.UniqueConstraint("code_digest", name="collector_enrolment_code_digest_key"),
    )


def _collector_request() -> None:
    op.create_table(
        "collector_request",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="collector_request_pkey"),
    )
    op.create_index("collector_request_expires_at_index", "collector_request", ["expires_at"], unique=False)


def _job_configuration() -> None:
    op.create_table(
        "job_configuration",
        sa.Column("job", sa.BigInteger(), nullable=False),
        sa.Column("configuration", sa.BigInteger(), nullable=False),
        sa.Column("domain", sa.BigInteger(), nullable=False),
        sa.Column("estimate", sa.BigInteger(), nullable=False),
        sa.Column("max_objects", sa.BigInteger(), nullable=True),
        sa.Column("max_bytes", sa.BigInteger(), nullable=True),
        sa.Column("limited_by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("objects", sa.BigInteger(), nullable=True),
        sa.Column("bytes", sa.BigInteger(), nullable=True),
        sa.Column("stop_reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("job", "configuration", name="job_configuration_pkey"),
    )
    op.create_index(
        "job_configuration_configuration_index", "job_configuration", ["configuration", "job"], unique=False
    )
    op.create_index("job_configuration_domain_index", "job_configuration", ["domain", "job"], unique=False)


def _brought(name: str) -> "sa.Column[int]":
    final = sa.Computed(f"CASE WHEN (ended_at IS NOT NULL) THEN {name} ELSE NULL::bigint END", persisted=True)
    return sa.Column(f"brought_{name}", sa.BigInteger(), final)


def _job() -> None:
    op.create_table(
        "job",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("harvest", sa.BigInteger(), nullable=False),
        sa.Column("run", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("channel", sa.BigInteger(), nullable=False),
        sa.Column("priority", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("profile_version", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("collector", sa.BigInteger(), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("configurations", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("estimate", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("smallest", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("largest", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("split", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("max_seconds", sa.BigInteger(), nullable=True),
        sa.Column("resubmission_of", sa.BigInteger(), nullable=True),
        sa.Column("outcome", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("error", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("objects", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        _brought("objects"),
        _brought("bytes"),
        sa.Column("files", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column(
            "report",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("reported_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("watched_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["channel"], ["channel.id"], name="job_channel_fkey"),
        sa.ForeignKeyConstraint(["collector"], ["collector.id"], name="job_collector_fkey"),
        sa.ForeignKeyConstraint(["harvest"], ["harvest.id"], name="job_harvest_fkey"),
        sa.ForeignKeyConstraint(["profile_version"], ["profile_version.id"], name="job_profile_version_fkey"),
        sa.ForeignKeyConstraint(["resubmission_of"], ["job.id"], name="job_resubmission_of_fkey"),
        sa.ForeignKeyConstraint(["run"], ["harvest_run.id"], name="job_run_fkey"),
        sa.PrimaryKeyConstraint("id", name="job_pkey"),
    )
    _job_indexes()


def _job_indexes() -> None:
    op.create_index("job_bytes_index", "job", ["brought_bytes", "id"], unique=False)
    op.create_index("job_channel_index", "job", ["channel", "id"], unique=False)
    op.create_index("job_collector_index", "job", ["collector", "id"], unique=False)
    op.create_index("job_created_at_index", "job", ["created_at", "id"], unique=False)
    op.create_index("job_ended_at_index", "job", ["ended_at", "id"], unique=False)
    op.create_index("job_harvest_index", "job", ["harvest", "id"], unique=False)
    op.create_index(
        "job_leased_index",
        "job",
        ["id"],
        unique=False,
        postgresql_where=sa.text("state IN ('submitted', 'started', 'uploading')"),
    )
    op.create_index("job_objects_index", "job", ["brought_objects", "id"], unique=False)
    op.create_index(("job_resubmission_of_index"), "job", ["resubmission_of"], unique=False)
    op.create_index("job_run_index", "job", ["run", "id"], unique=False)
    op.create_index("job_state_index", "job", ["state", "id"], unique=False)
    op.create_index(
        "job_waiting_index",
        "job",
        ["channel", sa.literal_column("priority DESC"), "id"],
        unique=False,
        postgresql_where=sa.text("state = 'new'"),
    )


def _arrival() -> None:
    op.create_table(
        "arrival",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("job", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("collector", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("received", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("state", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("stored_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["collector"], ["collector.id"], name="arrival_collector_fkey"),
        sa.ForeignKeyConstraint(["job"], ["job.id"], name="arrival_job_fkey"),
        sa.PrimaryKeyConstraint("id", name="arrival_pkey"),
        sa.UniqueConstraint("job", "name", name="arrival_job_name_key"),
    )
    op.create_index("arrival_job_index", "arrival", ["job", "id"], unique=False)
    op.create_index("arrival_name_index", "arrival", ["name"], unique=False)
    op.create_index(
        "arrival_receiving_index",
        "arrival",
        ["job"],
        unique=False,
        postgresql_where=sa.text("state = 'receiving'"),
    )


def _job_attempt() -> None:
    op.create_table(
        "job_attempt",
        sa.Column("job", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("collector", sa.BigInteger(), nullable=False),
        sa.Column("resumed", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("leased_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("objects", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("end", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("error", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.ForeignKeyConstraint(["collector"], ["collector.id"], name="job_attempt_collector_fkey"),
        sa.ForeignKeyConstraint(["job"], ["job.id"], name="job_attempt_job_fkey"),
        sa.PrimaryKeyConstraint("job", "attempt", name="job_attempt_pkey"),
    )
    op.create_index("job_attempt_collector_index", "job_attempt", ["collector", "leased_at"], unique=False)


def _job_by_catch() -> None:
    op.create_table(
        "job_by_catch",
        sa.Column("job", sa.BigInteger(), nullable=False),
        sa.Column("domain", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("objects", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(["job"], ["job.id"], name="job_by_catch_job_fkey"),
        sa.PrimaryKeyConstraint("job", "domain", name="job_by_catch_pkey"),
    )


def _job_command() -> None:
    op.create_table(
        "job_command",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("job", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("verb", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column(
            "arguments",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("accepted", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column(
            "answer",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(["job"], ["job.id"], name="job_command_job_fkey"),
        sa.PrimaryKeyConstraint("id", name="job_command_pkey"),
    )
    op.create_index("job_command_job_index", "job_command", ["job", "id"], unique=False)


def _job_order() -> None:
    op.create_table(
        "job_order",
        sa.Column("job", sa.BigInteger(), nullable=False),
        sa.Column("part", sa.Integer(), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["job"], ["job.id"], name="job_order_job_fkey"),
        sa.PrimaryKeyConstraint("job", "part", name="job_order_pkey"),
    )


def _job_sample() -> None:
    op.create_table(
        "job_sample",
        sa.Column("job", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("objects", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("queued", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("objects_per_second", sa.Float(), server_default=sa.text("0"), nullable=False),
        sa.Column("bytes_per_second", sa.Float(), server_default=sa.text("0"), nullable=False),
        sa.Column("queues", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(["job"], ["job.id"], name="job_sample_job_fkey"),
        sa.PrimaryKeyConstraint("job", "at", name="job_sample_pkey"),
    )


def upgrade() -> None:
    _collector()
    _collector_enrolment()
    _collector_request()
    _job_configuration()
    _job()
    _arrival()
    _job_attempt()
    _job_by_catch()
    _job_command()
    _job_order()
    _job_sample()


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
