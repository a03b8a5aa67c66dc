"""The tables of collectors, and of the files that arrive from them."""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from armarium.db.schema import count, flag, moment, number, reference, schema, text
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
