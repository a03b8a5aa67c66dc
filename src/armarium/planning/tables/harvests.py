"""The tables of channels, collectors, schedules, harvest definitions, their runs, and their plans."""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from armarium.db.schema import count, edition, flag, limit, moment, number, reference, schema, text
from armarium.planning.model import ArrivalState

#: A machine that crawls. It proves who it is by its own key, of which only the public half is here.
collector = sa.Table(
    "collector",
    schema,
    number(),
    text("name", unique=True),
    flag("active"),  # may be given work
    sa.Column("channels", ARRAY(sa.Text), nullable=False, server_default=sa.text("'{}'::text[]")),
    sa.Column("slots", sa.Integer, nullable=False, server_default=sa.text("1")),  # jobs at a time, at most
    #: That it failed one after the other, since it finished one or a person let it work again.
    sa.Column("failed_jobs", ARRAY(sa.BigInteger), nullable=False, server_default=sa.text("'{}'::bigint[]")),
    sa.Column("signing_key", JSONB, nullable=False),  # public, as a JSON web key (Ed25519)
    sa.Column("sealing_key", JSONB, nullable=False),  # public, as a JSON web key (X25519)
    moment("enrolled_at"),
    text("enrolled_by"),
    moment("revoked_at", nullable=True),
    moment("seen_at", nullable=True),
    text("address"),
    sa.Column("facts", JSONB, nullable=False, server_default=sa.text("'{}'::jsonb")),  # version, disk, jobs …
)

#: A one-time code by which a new machine may enrol; only its digest is kept.
enrolment = sa.Table(
    "collector_enrolment",
    schema,
    number(),
    sa.Column("code_digest", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("channels", ARRAY(sa.Text), nullable=False, server_default=sa.text("'{}'::text[]")),
    text("by"),
    moment("created_at"),
    moment("expires_at"),
    moment("used_at", nullable=True),
)

#: Requests that were answered lately: a copy of one is refused.
answered_request = sa.Table(
    "collector_request",
    schema,
    sa.Column("id", sa.Text, primary_key=True),
    moment("expires_at"),
    sa.Index("collector_request_expires_at_index", "expires_at"),
)

#: Files that the archive was not given, or of which it has said neither that they are stored nor that it does
#: not take them.
UNTAKEN = sa.text(
    "kind <> 'index' AND refusal = ''"
    " AND (state = 'landed' OR state IN ('stored', 'spare') AND taken_at IS NULL)"
)

#: A sealed file on its way from a collector, or arrived.
arrival = sa.Table(
    "arrival",
    schema,
    number(),
    reference("job", "job.id"),
    sa.Column("attempt", sa.Integer, nullable=False),
    reference("collector", "collector.id"),
    # Its job's own: nobody takes a name away from another job. By bytes, so that beginnings are found too.
    sa.Column("name", sa.Text(collation="C"), nullable=False),
    text("kind"),  # data, metadata, index
    sa.Column("size", sa.BigInteger, nullable=False),
    text("sha256"),
    count("received"),
    text("state"),  # receiving, landed, stored, spare, abandoned
    moment("begun_at"),
    moment("taken_at", nullable=True),  # the archive was given it
    moment("stored_at", nullable=True),  # every replica has it
    text("refusal"),  # why the archive does not take a file that came before it
    sa.UniqueConstraint("job", "name", name="arrival_job_name_key"),
    sa.Index("arrival_job_index", "job", "id"),
    sa.Index("arrival_name_index", "name"),
    sa.Index("arrival_receiving_index", "job", postgresql_where=sa.text("state = 'receiving'")),
    sa.Index("arrival_untaken_index", "id", postgresql_where=UNTAKEN),
    sa.Index("arrival_refused_index", "id", postgresql_where=sa.text("refusal <> ''")),
)


#: Kinds of files.
DATA = "data"
INDEX = "index"  # of a file, sent before it
#: What has come so far stays: a later attempt need not send it again.
LANDED = (ArrivalState.LANDED, ArrivalState.STORED)


harvest = sa.Table(
    "harvest",
    schema,
    number(),
    text("name", unique=True),
    text("kind"),  # selective, broad, event
    text("comments"),
    text("audience"),
    flag("active", default=False),
    reference("channel", "channel.id", nullable=True),  # empty: the default channel of its kind
    reference("schedule", "schedule.id", nullable=True),
    moment("next_at", nullable=True),
    flag("next_by_hand", default=False),  # somebody set the next date: another rhythm leaves it alone
    # The first date of the present rhythm: what hour and day are wanted, where the schedule leaves that open.
    moment("rhythm_from", nullable=True),
    sa.Column("runs", sa.Integer, nullable=False, server_default=sa.text("0")),  # the number of the last
    # Those that the schedule began: what its `max_runs` counts, and whether "once" has been.
    sa.Column("scheduled_runs", sa.Integer, nullable=False, server_default=sa.text("0")),
    text("missed"),  # skip, catch-up: what becomes of runs that fell due while nothing could run
    sa.Column("traps", ARRAY(sa.Text), nullable=False, server_default=sa.text("'{}'::text[]")),
    limit("max_objects"),  # of each domain
    limit("max_bytes"),
    limit("max_seconds"),  # of each job
    limit("total_objects"),  # of each run: all its jobs together
    limit("total_bytes"),
    reference("previous", "harvest.id", nullable=True),  # broad: only what that one left unfinished
    sa.Column("fields", JSONB, nullable=False, server_default=sa.text("'{}'::jsonb")),
    text("trouble"),  # why it was deactivated by Armarium itself
    moment("created_at"),
    edition(),
    sa.Index("harvest_next_at_index", "next_at", postgresql_where=sa.text("active")),
)

harvest_configuration = sa.Table(
    "harvest_configuration",
    schema,
    reference("harvest", "harvest.id"),
    reference("configuration", "configuration.id", index=True),
    sa.PrimaryKeyConstraint("harvest", "configuration"),
)

#: One generation of jobs. `cursor` is where an interrupted one goes on.
harvest_run = sa.Table(
    "harvest_run",
    schema,
    number(),
    reference("harvest", "harvest.id"),
    sa.Column("number", sa.Integer),  # 1, 2, …; empty: skipped, so that it never ran
    text("state"),  # generating, generated, failed, skipped
    moment("due_at"),
    moment("begun_at", nullable=True),
    moment("generated_at", nullable=True),
    sa.Column("cursor", JSONB, nullable=False, server_default=sa.text("'{}'::jsonb")),
    count("jobs"),
    count("configurations"),
    sa.Column("left_out", JSONB, nullable=False, server_default=sa.text("'{}'::jsonb")),  # reason: how many
    text("error"),
    limit("total_objects"),  # the budget of all its jobs together: that of the harvest, or a larger one
    limit("total_bytes"),
    sa.UniqueConstraint("harvest", "number"),
    sa.Index("harvest_run_due_at_index", "due_at"),
    sa.Index("harvest_run_generating_index", "id", postgresql_where=sa.text("state = 'generating'")),
)


#: The last plan of a harvest, made in the background. One at a time: a new one takes the place of the old.
harvest_plan = sa.Table(
    "harvest_plan",
    schema,
    sa.Column("harvest", sa.BigInteger, sa.ForeignKey("harvest.id"), primary_key=True, autoincrement=False),
    text("state"),  # previews.PlanState
    moment("asked_at"),
    count("done"),  # domains looked at
    count("of"),
    sa.Column("document", JSONB, nullable=False, server_default=sa.text("'{}'::jsonb")),  # plan.Plan
    text("error"),
)


schedule = sa.Table(
    "schedule",
    schema,
    number(),
    text("name", unique=True),
    text("comments"),
    flag("active"),
    text("unit"),  # minute, hour, day, week, month, once
    sa.Column("every", sa.Integer, nullable=False, server_default=sa.text("1")),
    flag("anytime", default=False),  # exactly so long after the last run, not at a fixed moment
    sa.Column("minute", sa.Integer),
    sa.Column("hour", sa.Integer),
    sa.Column("weekday", sa.Integer),  # 1 Monday … 7 Sunday
    sa.Column("day", sa.Integer),  # of the month; beyond its end: the last one
    text("zone"),  # of hour and minute: Europe/Paris; empty: UTC
    moment("starts_at", nullable=True),
    moment("ends_at", nullable=True),
    sa.Column("max_runs", sa.Integer),
    edition(),
)
