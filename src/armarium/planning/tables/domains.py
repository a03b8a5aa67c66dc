"""The tables of domains and profiles: what there is to harvest, how much of it, and how."""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from armarium.db.schema import count, edition, flag, limit, moment, number, reference, schema, text

NO_TEXTS = sa.text("'{}'::text[]")
NO_NUMBERS = sa.text("'{}'::bigint[]")
NO_FACTS = sa.text("'{}'::jsonb")

#: The parts of three characters of a text, by which GIN finds what contains another text: `pg_trgm` is not in
#: every PostgreSQL. The migration makes the function.


def trigrams(column: "sa.ColumnElement[str]") -> "sa.ColumnElement[list[str]]":
    return sa.func.text_trigrams(column, type_=ARRAY(sa.Text))


#: A mark among the parts of a name, longer than any of them, while nothing was ever had of the domain.
#: An index of those domains alone would make imports half as long again.
NEVER_CAPTURED = "never captured"


def name_parts() -> "sa.ColumnElement[list[str]]":
    """What the name of a domain is found by: its parts of three characters, and the mark."""
    return sa.func.domain_parts(domain.c.name, domain.c.captured_at, type_=ARRAY(sa.Text))


def top_level(name: "sa.ColumnElement[str]") -> "sa.ColumnElement[str]":
    """What stands behind the last dot of a name."""
    return sa.func.split_part(name, sa.text("'.'"), sa.text("-1"), type_=sa.Text)


#: A registered domain (or a host that is none of any). `default_configuration` has no foreign key, because
#: domain and configuration are copied in by the million, in either order, in one transaction.
domain = sa.Table(
    "domain",
    schema,
    number(),
    # Lower case, ASCII (xn--…). Ordered by bytes, so that its one index finds beginnings as well.
    sa.Column("name", sa.Text(collation="C"), nullable=False, unique=True),
    flag("active"),
    flag("broad"),  # broad harvests take it; selective ones that name it do in any case
    text("comments"),
    sa.Column("traps", ARRAY(sa.Text), nullable=False, server_default=NO_TEXTS),
    sa.Column("default_configuration", sa.BigInteger),
    reference("alias_of", "domain.id", nullable=True),
    moment("alias_since", nullable=True),  # set anew when the alias is renewed
    sa.Column("fields", JSONB, nullable=False, server_default=NO_FACTS),  # extended fields, by their number
    text("origin"),  # where it came from: a file, a person, selection
    moment("created_at"),
    moment("captured_at", nullable=True),  # when a job last had anything of it; empty: never
    edition(),
    sa.Index("domain_alias_of_index", "alias_of", postgresql_where=sa.text("alias_of IS NOT NULL")),
    sa.Index("domain_inactive_index", "name", postgresql_where=sa.text("NOT active")),
    sa.Index("domain_not_broad_index", "name", postgresql_where=sa.text("NOT broad")),
    sa.Index("domain_never_captured_index", "name", postgresql_where=sa.text("captured_at IS NULL")),
    sa.Index("domain_with_traps_index", "name", postgresql_where=sa.text("traps <> '{}'::text[]")),
)
sa.Index("domain_top_level_index", top_level(domain.c.name), domain.c.name)
sa.Index("domain_trigrams_index", name_parts(), postgresql_using="gin")
sa.Index(
    "domain_never_captured_top_level_index",
    top_level(domain.c.name),
    domain.c.name,
    postgresql_where=sa.text("captured_at IS NULL"),
)
sa.Index(
    "domain_comments_index",
    trigrams(sa.func.lower(domain.c.comments)),
    postgresql_using="gin",
    postgresql_where=sa.text("comments <> ''"),
)

seed_list = sa.Table(
    "seed_list",
    schema,
    number(),
    reference("domain", "domain.id"),
    text("name"),
    text("seeds"),  # one a line; empty lines and those after # do not count
    text("comments"),
    edition(),
    sa.UniqueConstraint("domain", "name"),
)

#: Seed lists, a profile, and limits. What its harvests have shown (`best_*`) is kept with it, so that a
#: generation of jobs over millions of them reads no history: it is the entry with most objects since, and
#: including, the last complete one.
configuration = sa.Table(
    "configuration",
    schema,
    number(),
    reference("domain", "domain.id"),
    text("name"),
    flag("active"),
    reference("profile", "profile.id"),
    sa.Column("seed_lists", ARRAY(sa.BigInteger), nullable=False, server_default=NO_NUMBERS),
    limit("max_objects"),
    limit("max_bytes"),
    sa.Column("overrides", JSONB, nullable=False, server_default=NO_FACTS),  # parts of a crawl order
    text("comments"),
    limit("best_objects"),  # empty: never harvested
    limit("best_bytes"),
    flag("best_complete", default=False),
    edition(),
    sa.UniqueConstraint("domain", "name"),
    sa.Index("configuration_profile_index", "profile"),
)

#: Secrets are encrypted by `accounts.vault`.
credential = sa.Table(
    "domain_credential",
    schema,
    number(),
    reference("domain", "domain.id", index=True),
    text("kind"),  # basic, digest, form
    text("realm"),
    text("user_name"),
    text("login_url"),
    sa.Column("secret", sa.LargeBinary, nullable=False),  # {"password": …, "fields": {…}}
    flag("active"),
    moment("created_at"),
)

#: Fields that administrators add to domains or to harvest definitions.
extended_field = sa.Table(
    "extended_field",
    schema,
    number(),
    text("subject"),  # domain, harvest
    text("name"),
    text("kind"),  # text, note, number, yes-no, date, choice
    sa.Column("choices", ARRAY(sa.Text), nullable=False, server_default=NO_TEXTS),
    text("default_value"),
    text("help"),
    flag("mandatory", default=False),
    flag("active"),
    sa.Column("place", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.UniqueConstraint("subject", "name"),
)

#: Crawler traps for every job that is generated while the list is active.
trap_list = sa.Table(
    "trap_list",
    schema,
    number(),
    text("name", unique=True),
    text("description"),
    flag("active"),
    sa.Column("expressions", ARRAY(sa.Text), nullable=False, server_default=NO_TEXTS),
    edition(),
)

#: One import of a file of domains, for its page and its report. `lines` is how far the file was read.
domain_import = sa.Table(
    "domain_import",
    schema,
    number(),
    text("name"),
    text("state"),  # reading, running, done, failed
    moment("begun_at"),
    moment("ended_at", nullable=True),
    # At its end, every line of the file is one of the five below.
    count("lines"),
    count("created"),
    count("known"),
    count("repeated"),  # its domain stood in the file before
    count("refused"),
    count("skipped"),  # empty, a comment, or the heading
    sa.Column("faults", JSONB, nullable=False, server_default=sa.text("'[]'::jsonb")),  # the first ones
    text("by"),
    text("error"),
    text("origin"),  # of the domains that it makes
    sa.Column("actor", JSONB, nullable=False, server_default=NO_FACTS),  # who asked, for the audit log
)

#: Lines of imports that are under way. Whatever is still here is what is still to be made.
domain_import_line = sa.Table(
    "domain_import_line",
    schema,
    sa.Column("import", sa.BigInteger, sa.ForeignKey("domain_import.id"), nullable=False),
    sa.Column("line", sa.BigInteger, nullable=False),
    sa.Column("name", sa.Text(collation="C"), nullable=False),
    sa.Column("seed", sa.Text),  # empty: the usual two
    text("comments"),
    sa.Index("domain_import_line_name_index", "import", "name"),
)


profile = sa.Table(
    "profile",
    schema,
    number(),
    text("name", unique=True),
    text("description"),
    flag("active"),
    flag("shipped", default=False),  # came with Armarium
    sa.Column("version", sa.Integer, nullable=False),  # the newest
)

#: Never altered: a job cites the version that it was made with.
profile_version = sa.Table(
    "profile_version",
    schema,
    number(),
    reference("profile", "profile.id"),
    sa.Column("version", sa.Integer, nullable=False),  # 1, 2, …
    sa.Column("document", JSONB, nullable=False),  # what differs from the defaults of a crawl order
    text("reason"),
    text("by"),
    moment("created_at"),
    sa.UniqueConstraint("profile", "version"),
)
