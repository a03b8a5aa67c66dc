"""Tables of the transfer from selection to planning, and of findings."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

TABLES = (
    "selection_finding",
    "selection_transfer_line",
    "selection_transfer",
    "selection_link",
    "selection_target",
    "selection_rule",
)  # those that name others first

#: What planning is told unless an administrator says otherwise: budgets set limits, depths choose profiles.
LIMITS = (
    ("small", 5_000, 500_000_000),
    ("medium", 50_000, 5_000_000_000),
    ("large", 500_000, 50_000_000_000),
)
DEPTHS = ("page", "page+1", "page+2", "path", "host", "domain")  # planning ships profiles of these names


def _text(name: str) -> "sa.Column[str]":
    return sa.Column(name, sa.Text(), server_default=sa.text("''"), nullable=False)


def _facts(name: str, empty: str = "{}") -> "sa.Column[object]":
    default = sa.text(f"'{empty}'::jsonb")
    return sa.Column(name, postgresql.JSONB(), server_default=default, nullable=False)


def _count(name: str) -> "sa.Column[int]":
    return sa.Column(name, sa.BigInteger(), server_default=sa.text("0"), nullable=False)


def _number() -> "sa.Column[int]":
    return sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False)


def _selection_rule() -> None:
    made = op.create_table(
        "selection_rule",
        _number(),
        _text("budget"),
        _text("frequency"),
        _text("depth"),
        _text("profile"),
        sa.Column("max_objects", sa.BigInteger(), nullable=True),
        sa.Column("max_bytes", sa.BigInteger(), nullable=True),
        _facts("overrides"),
        _text("pattern"),
        sa.PrimaryKeyConstraint("id", name="selection_rule_pkey"),
        sa.UniqueConstraint("budget", "frequency", "depth", name="selection_rule_budget_frequency_depth_key"),
    )
    op.bulk_insert(
        made, [{"budget": name, "max_objects": most, "max_bytes": size} for name, most, size in LIMITS]
    )
    op.bulk_insert(made, [{"depth": name, "profile": name} for name in DEPTHS])


def _selection_target() -> None:
    op.create_table(
        "selection_target",
        sa.Column("collection", sa.BigInteger(), nullable=False),
        sa.Column("frequency", sa.Text(), nullable=False),
        sa.Column("harvest", sa.BigInteger(), nullable=True),
        _text("name"),
        _text("schedule"),
        sa.Column("automatic", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection"], ["selection_collection.id"], name="selection_target_collection_fkey"
        ),
        sa.PrimaryKeyConstraint("collection", "frequency", name="selection_target_pkey"),
    )
    op.create_index("selection_target_harvest_index", "selection_target", ["harvest"])


def _selection_link() -> None:
    op.create_table(
        "selection_link",
        _number(),
        sa.Column("record", sa.BigInteger(), nullable=False),
        _text("domain"),
        sa.Column("planned_domain", sa.BigInteger(), nullable=False),
        sa.Column("seed_list", sa.BigInteger(), nullable=False),
        sa.Column("configuration", sa.BigInteger(), nullable=False),
        sa.Column("harvest", sa.BigInteger(), nullable=True),
        _facts("asked"),
        _facts("kept"),
        sa.Column("transfer", sa.BigInteger(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["record"], ["selection_record.id"], name="selection_link_record_fkey"),
        sa.PrimaryKeyConstraint("id", name="selection_link_pkey"),
        sa.UniqueConstraint("configuration", name="selection_link_configuration_key"),
        sa.UniqueConstraint("record", "domain", name="selection_link_record_domain_key"),
    )
    op.create_index("selection_link_harvest_index", "selection_link", ["harvest"])


def _selection_transfer() -> None:
    op.create_table(
        "selection_transfer",
        _number(),
        _text("state"),
        _text("by"),
        sa.Column("collection", sa.BigInteger(), nullable=True),
        sa.Column("harvest", sa.BigInteger(), nullable=True),
        sa.Column("run", sa.BigInteger(), nullable=True),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        *(_count(name) for name in ("total", "handled", "after", "made", "changed", "taken_out")),
        *(_count(name) for name in ("conflict", "unable", "failed")),
        _text("error"),
        sa.PrimaryKeyConstraint("id", name="selection_transfer_pkey"),
    )
    op.create_index("selection_transfer_run_index", "selection_transfer", ["run"])


def _selection_transfer_line() -> None:
    op.create_table(
        "selection_transfer_line",
        _number(),
        sa.Column("transfer", sa.BigInteger(), nullable=False),
        _text("kind"),
        sa.Column("record", sa.BigInteger(), nullable=False),
        _text("domain"),
        _facts("changes", "[]"),
        sa.Column("reason", postgresql.JSONB(), nullable=True),
        sa.ForeignKeyConstraint(
            ["record"], ["selection_record.id"], name="selection_transfer_line_record_fkey"
        ),
        sa.ForeignKeyConstraint(
            ["transfer"], ["selection_transfer.id"], name="selection_transfer_line_transfer_fkey"
        ),
        sa.PrimaryKeyConstraint("id", name="selection_transfer_line_pkey"),
    )
    table = "selection_transfer_line"
    op.create_index("selection_transfer_line_transfer_index", table, ["transfer", "kind", "id"])
    op.create_index("selection_transfer_line_record_index", table, ["record", "id"])


def _selection_finding() -> None:
    op.create_table(
        "selection_finding",
        _number(),
        sa.Column("record", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        *(_text(name) for name in ("author", "kind", "text", "proposal", "budget")),
        sa.Column("job", sa.BigInteger(), nullable=True),
        _facts("facts"),
        sa.Column("done", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        _text("closed_by"),
        sa.ForeignKeyConstraint(["record"], ["selection_record.id"], name="selection_finding_record_fkey"),
        sa.PrimaryKeyConstraint("id", name="selection_finding_pkey"),
    )
    table = "selection_finding"
    op.create_index("selection_finding_record_index", table, ["record"])
    op.create_index("selection_finding_open_index", table, ["id"], postgresql_where=sa.text("NOT done"))
    op.create_index(
        "selection_finding_harvest_index",
        table,
        ["record", "kind"],
        unique=True,
        postgresql_where=sa.text("NOT done AND kind <> 'observation'"),
    )


def upgrade() -> None:
    _selection_rule()
    _selection_target()
    _selection_link()
    _selection_transfer()
    _selection_transfer_line()
    _selection_finding()


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
