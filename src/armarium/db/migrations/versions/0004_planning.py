"""Tables of planning: domains, profiles, schedules, harvests."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

TABLES = (
    "harvest_run",
    "harvest_plan",
    "harvest_configuration",
    "seed_list",
    "profile_version",
    "harvest",
    "domain_credential",
    "configuration",
    "trap_list",
    "schedule",
    "profile",
    "extended_field",
    "domain_import",
    "domain",
    "channel",
)  # those that name others first


def _channel() -> None:
    op.create_table(
        "channel",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("priority", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("default_for", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="channel_pkey"),
        sa.UniqueConstraint("name", name="channel_name_key"),
    )


def _domain() -> None:
    op.create_table(
        "domain",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(collation="C"), nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("broad", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("comments", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column(
            "traps", postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'::text[]"), nullable=False
        ),
        sa.Column("default_configuration", sa.BigInteger(), nullable=True),
        sa.Column("alias_of", sa.BigInteger(), nullable=True),
        sa.Column("alias_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "fields",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("origin", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("captured_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("edition", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.ForeignKeyConstraint(["alias_of"], ["domain.id"], name="domain_alias_of_fkey"),
        sa.PrimaryKeyConstraint("id", name="domain_pkey"),
        sa.UniqueConstraint("name", name="domain_name_key"),
    )
    op.create_index(
        "domain_alias_of_index",
        "domain",
        ["alias_of"],
        unique=False,
        postgresql_where=sa.text("alias_of IS NOT NULL"),
    )
    _domain_search()


def _domain_search() -> None:
    """Indexes that find domains by any part of their names: every filter of the search has its own."""
    op.execute(
        "CREATE FUNCTION text_trigrams(text) RETURNS text[] "
        "LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 20 AS $$ "
        "SELECT array(SELECT substr($1, i, 3) FROM generate_series(1, length($1) - 2) i) $$"
    )
    # It repeats the other: while a database is restored, a function does not find its neighbours.
    op.execute(
        "CREATE FUNCTION domain_parts(text, timestamptz) RETURNS text[] "
        "LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 20 AS $$ "
        "SELECT array(SELECT substr($1, i, 3) FROM generate_series(1, length($1) - 2) i) "
        "|| CASE WHEN $2 IS NULL THEN '{never captured}'::text[] ELSE '{}'::text[] END $$"
    )
    for name, index in (
        ("domain_top_level_index", "(split_part(name, '.', -1), name)"),
        (
            "domain_trigrams_index",
            "USING gin (domain_parts(name, captured_at))",
        ),
        ("domain_comments_index", "USING gin (text_trigrams(lower(comments))) WHERE comments <> ''"),
        ("domain_inactive_index", "(name) WHERE NOT active"),
        ("domain_not_broad_index", "(name) WHERE NOT broad"),
        ("domain_never_captured_index", "(name) WHERE captured_at IS NULL"),
        (
            "domain_never_captured_top_level_index",
            "(split_part(name, '.', -1), name) WHERE captured_at IS NULL",
        ),
        ("domain_with_traps_index", "(name) WHERE traps <> '{}'::text[]"),
    ):
        op.execute(f"CREATE INDEX {name} ON domain {index}")


def _domain_import() -> None:
    op.create_table(
        "domain_import",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("state", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lines", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("created", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("known", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("repeated", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("refused", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("skipped", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column(
            "faults",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
        sa.Column("by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("error", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="domain_import_pkey"),
    )


def _extended_field() -> None:
    op.create_table(
        "extended_field",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("subject", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("name", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("kind", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column(
            "choices", postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'::text[]"), nullable=False
        ),
        sa.Column("default_value", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("help", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("mandatory", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("place", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="extended_field_pkey"),
        sa.UniqueConstraint("subject", "name", name="extended_field_subject_name_key"),
    )


def _profile() -> None:
    op.create_table(
        "profile",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("shipped", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="profile_pkey"),
        sa.UniqueConstraint("name", name="profile_name_key"),
    )


def _schedule() -> None:
    op.create_table(
        "schedule",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("comments", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("unit", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("every", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("anytime", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("minute", sa.Integer(), nullable=True),
        sa.Column("hour", sa.Integer(), nullable=True),
        sa.Column("weekday", sa.Integer(), nullable=True),
        sa.Column("day", sa.Integer(), nullable=True),
        sa.Column("zone", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("starts_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("max_runs", sa.Integer(), nullable=True),
        sa.Column("edition", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="schedule_pkey"),
        sa.UniqueConstraint("name", name="schedule_name_key"),
    )


def _trap_list() -> None:
    op.create_table(
        "trap_list",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column(
            "expressions", postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'::text[]"), nullable=False
        ),
        sa.Column("edition", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="trap_list_pkey"),
        sa.UniqueConstraint("name", name="trap_list_name_key"),
    )


def _configuration() -> None:
    op.create_table(
        "configuration",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("domain", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("profile", sa.BigInteger(), nullable=False),
        sa.Column(
            "seed_lists",
            postgresql.ARRAY(sa.BigInteger()),
            server_default=sa.text("'{}'::bigint[]"),
            nullable=False,
        ),
        sa.Column("max_objects", sa.BigInteger(), nullable=True),
        sa.Column("max_bytes", sa.BigInteger(), nullable=True),
        sa.Column(
            "overrides",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("comments", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("best_objects", sa.BigInteger(), nullable=True),
        sa.Column("best_bytes", sa.BigInteger(), nullable=True),
        sa.Column("best_complete", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("edition", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.ForeignKeyConstraint(["domain"], ["domain.id"], name="configuration_domain_fkey"),
        sa.ForeignKeyConstraint(["profile"], ["profile.id"], name="configuration_profile_fkey"),
        sa.PrimaryKeyConstraint("id", name="configuration_pkey"),
        sa.UniqueConstraint("domain", "name", name="configuration_domain_name_key"),
    )
    op.create_index("configuration_profile_index", "configuration", ["profile"], unique=False)


def _domain_credential() -> None:
    op.create_table(
        "domain_credential",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("domain", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("realm", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("user_name", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("login_url", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["domain"], ["domain.id"], name="domain_credential_domain_fkey"),
        sa.PrimaryKeyConstraint("id", name="domain_credential_pkey"),
    )
    op.create_index(("domain_credential_domain_index"), "domain_credential", ["domain"], unique=False)


def _harvest() -> None:
    op.create_table(
        "harvest",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("comments", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("audience", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("channel", sa.BigInteger(), nullable=True),
        sa.Column("schedule", sa.BigInteger(), nullable=True),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("next_by_hand", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("rhythm_from", sa.DateTime(timezone=True), nullable=True),
        sa.Column("runs", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("scheduled_runs", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("missed", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column(
            "traps", postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'::text[]"), nullable=False
        ),
        sa.Column("max_objects", sa.BigInteger(), nullable=True),
        sa.Column("max_bytes", sa.BigInteger(), nullable=True),
        sa.Column("max_seconds", sa.BigInteger(), nullable=True),
        sa.Column("previous", sa.BigInteger(), nullable=True),
        sa.Column(
            "fields",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("trouble", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("edition", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.ForeignKeyConstraint(["channel"], ["channel.id"], name="harvest_channel_fkey"),
        sa.ForeignKeyConstraint(["previous"], ["harvest.id"], name="harvest_previous_fkey"),
        sa.ForeignKeyConstraint(["schedule"], ["schedule.id"], name="harvest_schedule_fkey"),
        sa.PrimaryKeyConstraint("id", name="harvest_pkey"),
        sa.UniqueConstraint("name", name="harvest_name_key"),
    )
    op.create_index(
        "harvest_next_at_index", "harvest", ["next_at"], unique=False, postgresql_where=sa.text("active")
    )


def _profile_version() -> None:
    op.create_table(
        "profile_version",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("profile", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("document", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("reason", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["profile"], ["profile.id"], name="profile_version_profile_fkey"),
        sa.PrimaryKeyConstraint("id", name="profile_version_pkey"),
        sa.UniqueConstraint("profile", "version", name="profile_version_profile_version_key"),
    )


def _seed_list() -> None:
    op.create_table(
        "seed_list",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("domain", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("seeds", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("comments", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("edition", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.ForeignKeyConstraint(["domain"], ["domain.id"], name="seed_list_domain_fkey"),
        sa.PrimaryKeyConstraint("id", name="seed_list_pkey"),
        sa.UniqueConstraint("domain", "name", name="seed_list_domain_name_key"),
    )


def _harvest_configuration() -> None:
    op.create_table(
        "harvest_configuration",
        sa.Column("harvest", sa.BigInteger(), nullable=False),
        sa.Column("configuration", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["configuration"], ["configuration.id"], name="harvest_configuration_configuration_fkey"
        ),
        sa.ForeignKeyConstraint(["harvest"], ["harvest.id"], name="harvest_configuration_harvest_fkey"),
        sa.PrimaryKeyConstraint("harvest", "configuration", name="harvest_configuration_pkey"),
    )
    op.create_index(
        ("harvest_configuration_configuration_index"),
        "harvest_configuration",
        ["configuration"],
        unique=False,
    )


def _harvest_plan() -> None:
    op.create_table(
        "harvest_plan",
        sa.Column("harvest", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("state", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("done", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("of", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column(
            "document",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("error", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.ForeignKeyConstraint(["harvest"], ["harvest.id"], name="harvest_plan_harvest_fkey"),
        sa.PrimaryKeyConstraint("harvest", name="harvest_plan_pkey"),
    )


def _harvest_run() -> None:
    op.create_table(
        "harvest_run",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("harvest", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("state", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("generated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "cursor",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("jobs", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("configurations", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column(
            "left_out",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("error", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.ForeignKeyConstraint(["harvest"], ["harvest.id"], name="harvest_run_harvest_fkey"),
        sa.PrimaryKeyConstraint("id", name="harvest_run_pkey"),
        sa.UniqueConstraint("harvest", "number", name="harvest_run_harvest_number_key"),
    )
    op.create_index("harvest_run_due_at_index", "harvest_run", ["due_at"], unique=False)
    op.create_index(
        "harvest_run_generating_index",
        "harvest_run",
        ["id"],
        unique=False,
        postgresql_where=sa.text("state = 'generating'"),
    )


def upgrade() -> None:
    _channel()
    _domain()
    _domain_import()
    _extended_field()
    _profile()
    _schedule()
    _trap_list()
    _configuration()
    _domain_credential()
    _harvest()
    _profile_version()
    _seed_list()
    _harvest_configuration()
    _harvest_plan()
    _harvest_run()


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
    op.execute("DROP FUNCTION domain_parts(text, timestamptz)")
    op.execute("DROP FUNCTION text_trigrams(text)")
