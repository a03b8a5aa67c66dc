"""The tables of jobs: their life, their orders, what they brought home; and what is often asked of them."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from armarium.db.schema import count, flag, limit, moment, number, reference, schema, text
from armarium.planning.model import LEASED

channel = sa.Table(
    "channel",
    schema,
    number(),
    text("name", unique=True),
    text("description"),
    sa.Column("priority", sa.Integer, nullable=False, server_default=sa.text("0")),  # higher is served first
    text("default_for"),  # selective, broad, event; or several, with a space between; or none
    flag("active"),
)


def brought(name: str) -> "sa.Column[int]":
    final = sa.Computed(f"CASE WHEN (ended_at IS NOT NULL) THEN {name} ELSE NULL::bigint END", persisted=True)
    return sa.Column(f"brought_{name}", sa.BigInteger, final)


job = sa.Table(
    "job",
    schema,
    number(),
    reference("harvest", "harvest.id"),
    reference("run", "harvest_run.id"),
    text("state"),  # model.JobState
    reference("channel", "channel.id"),
    sa.Column("priority", sa.Integer, nullable=False, server_default=sa.text("0")),
    reference("profile_version", "profile_version.id"),
    sa.Column("attempt", sa.Integer, nullable=False, server_default=sa.text("0")),  # of the last lease
    reference("collector", "collector.id", nullable=True),  # that holds it, or held it last
    moment("lease_until", nullable=True),
    moment("not_before", nullable=True),  # a job that failed waits a while
    moment("created_at"),
    moment("started_at", nullable=True),  # the first lease
    moment("ended_at", nullable=True),
    sa.Column("configurations", sa.Integer, nullable=False, server_default=sa.text("0")),
    count("estimate"),  # objects
    count("smallest"),  # estimate in it
    count("largest"),
    text("split"),  # why it was closed: model.Split
    limit("max_seconds"),
    reference("resubmission_of", "job.id", nullable=True, index=True),
    text("outcome"),  # what the crawler said at the end: "Finished", "Finished - Timelimit hit" …
    text("error"),  # why it failed, for people
    count("objects"),
    count("bytes"),
    # The same of a job that has ended: the list is sorted by them. Were `objects` itself in an index, each
    # heartbeat would have to write every index of the row (see "heap-only tuples" in PostgreSQL's manual).
    brought("objects"),
    brought("bytes"),
    count("files"),
    sa.Column(
        "report", JSONB, nullable=False, server_default=sa.text("'{}'::jsonb")
    ),  # of the last heartbeat
    moment("reported_at", nullable=True),
    moment("watched_at", nullable=True),  # when somebody last had its page open: its news may come faster
    sa.Index(
        "job_waiting_index",
        "channel",
        sa.text("priority DESC"),
        "id",
        postgresql_where=sa.text("state = 'new'"),
    ),
    sa.Index(
        "job_leased_index",
        "id",  # not the end of the lease, for the same reason: those that run are few
        postgresql_where=sa.text("state IN ('submitted', 'started', 'uploading')"),
    ),
    sa.Index("job_state_index", "state", "id"),
    sa.Index("job_harvest_index", "harvest", "id"),
    sa.Index("job_run_index", "run", "id"),
    sa.Index("job_created_at_index", "created_at", "id"),
    # The orders in which the list of jobs can be read, and what it can be narrowed to.
    sa.Index("job_channel_index", "channel", "id"),
    sa.Index("job_collector_index", "collector", "id"),
    # With what the overview sums by day, so that a month is read from the index alone.
    sa.Index(
        "job_ended_at_index",
        "ended_at",
        "id",
        postgresql_include=["state", "brought_objects", "brought_bytes"],
    ),
    sa.Index("job_objects_index", "brought_objects", "id"),
    sa.Index("job_bytes_index", "brought_bytes", "id"),
)

#: What a job may take of the total budget of its run, if that has one. A table of its own, and without a
#: foreign key: who changes shares must not wait for jobs that are locked. An empty column: no limit.
job_share = sa.Table(
    "job_share",
    schema,
    sa.Column("job", sa.BigInteger, primary_key=True, autoincrement=False),
    limit("objects"),
    limit("bytes"),
)

#: The frozen order, in parts: part 0 is the profile with the settings of the harvest, the others add seeds,
#: budgets and traps of domains. zstd-compressed JSON, because a broad harvest has millions of seeds.
job_order = sa.Table(
    "job_order",
    schema,
    reference("job", "job.id"),
    sa.Column("part", sa.Integer, nullable=False),
    sa.Column("document", sa.LargeBinary, nullable=False),
    sa.PrimaryKeyConstraint("job", "part"),
)

#: What each job was to do for a configuration, and what came of it: the history of domains. Without foreign
#: keys: three million rows of a broad harvest are copied in, and nothing they name is ever deleted.
job_configuration = sa.Table(
    "job_configuration",
    schema,
    sa.Column("job", sa.BigInteger, nullable=False),
    sa.Column("configuration", sa.BigInteger, nullable=False),
    sa.Column("domain", sa.BigInteger, nullable=False),
    sa.Column("estimate", sa.BigInteger, nullable=False),
    limit("max_objects"),  # that hold in this job: the smaller of harvest and configuration
    limit("max_bytes"),
    text("limited_by"),  # harvest, configuration: whose limits those are; see model.LimitedBy
    limit("objects"),  # empty: no result yet
    limit("bytes"),
    sa.Column("stop_reason", sa.Text),  # model.StopReason
    # Seeds that are dead, moved, blocked, empty or unreachable: [{url, verdict, status, redirect}]
    sa.Column("seeds", JSONB, nullable=False, server_default=sa.text("'[]'::jsonb")),
    sa.PrimaryKeyConstraint("job", "configuration"),
    sa.Index("job_configuration_domain_index", "domain", "job"),
    sa.Index("job_configuration_configuration_index", "configuration", "job"),
)

#: Domains that a job met and that were not its own: embedded files and the like. The largest ones.
job_by_catch = sa.Table(
    "job_by_catch",
    schema,
    reference("job", "job.id"),
    text("domain"),
    count("objects"),
    count("bytes"),
    sa.PrimaryKeyConstraint("job", "domain"),
)

#: Each lease of a job, for its page, and to tell a late result from a timely one.
job_attempt = sa.Table(
    "job_attempt",
    schema,
    reference("job", "job.id"),
    sa.Column("attempt", sa.Integer, nullable=False),
    reference("collector", "collector.id"),
    flag("resumed", default=False),  # it goes on in the folder of the one before
    moment("leased_at"),
    moment("started_at", nullable=True),
    moment("ended_at", nullable=True),
    count("objects"),  # that the job had when it ended
    text("end"),  # model.AttemptEnd; empty: under way
    text("error"),
    sa.PrimaryKeyConstraint("job", "attempt"),
    sa.Index("job_attempt_collector_index", "collector", "leased_at"),
)

#: The progress of a job over time, for its plot.
job_sample = sa.Table(
    "job_sample",
    schema,
    reference("job", "job.id"),
    moment("at"),
    count("objects"),
    count("bytes"),
    count("queued"),
    sa.Column("objects_per_second", sa.Float, nullable=False, server_default=sa.text("0")),
    sa.Column("bytes_per_second", sa.Float, nullable=False, server_default=sa.text("0")),
    sa.Column("queues", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.PrimaryKeyConstraint("job", "at"),
)

#: What people want of a running job; it travels down with the next heartbeat, its answer up with a later one.
job_command = sa.Table(
    "job_command",
    schema,
    number(),
    reference("job", "job.id"),
    sa.Column("attempt", sa.Integer, nullable=False, server_default=sa.text("0")),  # that it is meant for
    text("verb"),
    sa.Column("arguments", JSONB, nullable=False, server_default=sa.text("'{}'::jsonb")),
    text("by"),
    moment("created_at"),
    moment("sent_at", nullable=True),
    moment("answered_at", nullable=True),
    flag("accepted", default=False),
    sa.Column("answer", JSONB, nullable=False, server_default=sa.text("'{}'::jsonb")),
    sa.Index("job_command_job_index", "job", "id"),
)


# What many ask of jobs --------------------------------------------------------------------------------

Row = Mapping[Any, Any]

#: Time is the database's: all machines of the server see the same.
NOW = sa.func.clock_timestamp()  # not that of the transaction, which may have waited for a lock
MINUTE = sa.text("interval '1 minute'")
LEASED_NOW = job.c.state.in_(sorted(LEASED))
#: The states of jobs that still have something before them.
OPEN = ("planned", "new", "submitted", "started", "uploading")


def counted() -> sa.ColumnElement[bool]:
    """Jobs whose figures belong to the sum of their run.

    What a job has that failed without files, or was done again by another, is not there, or is there twice.
    """
    left_files = sa.and_(job.c.state.in_(("failed", "rejected")), job.c.files > 0)
    return sa.or_(job.c.state.in_(("started", "uploading", "done")), left_files)
