"""Jobs by the names that people know: of harvests, domains, files, in SQL."""

import re
from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection

from armarium.core.errors import Refused
from armarium.planning.domains.rules import domain_of
from armarium.planning.tables.domains import domain
from armarium.planning.tables.harvests import arrival, harvest
from armarium.planning.tables.jobs import job, job_configuration

MOST_HARVESTS = 200  # whose names contain what was asked for
MOST_DOMAINS = 200  # whose names begin with what was asked for
MOST_OF_DOMAIN = 5000  # jobs, the newest

# How the names of its files begin: perhaps a word, the job, the harvest, perhaps the attempt, the time.
FILE_OF_JOB = re.compile(r"(?:.*[-_])?(\d{1,18})[-_]\d{1,18}(?:\.\d{1,9})?-\d{14,17}\b")
NUMBER = re.compile(r"(?:job-)?(\d{1,18})")
BIGINTS = sa.ARRAY(sa.BigInteger)


def among(numbers: Sequence[int]) -> ColumnElement[bool]:
    return job.c.id == sa.any_(sa.literal(list(numbers), BIGINTS))


def named(connection: Connection, text: str) -> ColumnElement[bool]:
    """One box for everything: a job's number, a file, a domain, a part of a harvest's name."""
    if number := NUMBER.fullmatch(text):
        return among([int(number[1]), *jobs_of_harvest_number(connection, text)])
    of_file = jobs_of_file(connection, text.rpartition("/")[2])
    of_harvests = job.c.harvest == sa.any_(sa.literal(harvests_named(connection, text), BIGINTS))
    others = {*of_file, *jobs_of_domain(connection, text)}
    return sa.or_(of_harvests, among(sorted(others))) if others else of_harvests


def jobs_of_harvest_number(connection: Connection, text: str) -> list[int]:
    """A harvest may be called “2026”: those jobs are meant as well."""
    exact = sa.select(harvest.c.id).where(harvest.c.name == text)
    asked = sa.select(job.c.id).where(job.c.harvest == exact.scalar_subquery()).order_by(job.c.id.desc())
    return list(connection.scalars(asked.limit(MOST_OF_DOMAIN)))


def jobs_of_file(connection: Connection, name: str) -> list[int]:
    """By the whole name of a file, or by its beginning; of many that begin so, the last by their names."""
    begins = sa.select(arrival.c.job).where(*begin_with(arrival.c.name, name))
    last = begins.order_by(arrival.c.name.desc()).limit(MOST_OF_DOMAIN)
    found = set(connection.scalars(last)) if name else set()
    of_job = FILE_OF_JOB.match(name)
    return sorted(found or ({int(of_job[1])} if of_job else ()))


def harvests_named(connection: Connection, text: str) -> list[int]:
    if text.isdecimal():
        return [int(text[:18])]
    asked = sa.select(harvest.c.id).where(harvest.c.name.icontains(text, autoescape=True))
    return list(connection.scalars(asked.order_by(harvest.c.id.desc()).limit(MOST_HARVESTS)))


def number_named(connection: Connection, table: sa.Table, name: str) -> int:
    return connection.scalar(sa.select(table.c.id).where(table.c.name == name)) or -1


def jobs_of_domain(connection: Connection, name: str) -> list[int]:
    mine = sa.any_(sa.literal(domains_named(connection, name), BIGINTS))
    asked = sa.select(job_configuration.c.job).where(job_configuration.c.domain == mine)
    newest = asked.order_by(job_configuration.c.job.desc()).limit(MOST_OF_DOMAIN)
    return list(dict.fromkeys(connection.scalars(newest)))


def jobs_of_domains(connection: Connection, names: Sequence[str]) -> dict[str, frozenset[int]]:
    """Of each of these domains the jobs that were to harvest it; domains without any are left out."""
    these = domain.c.name == sa.any_(sa.literal(list(names), sa.ARRAY(sa.Text)))
    own = job_configuration.c
    numbers = sa.func.array_agg(sa.distinct(own.job), type_=BIGINTS)
    asked = sa.select(domain.c.name, numbers).join(job_configuration, own.domain == domain.c.id)
    rows = connection.execute(asked.where(these).group_by(domain.c.name))
    return {name: frozenset(jobs) for name, jobs in rows}


def domains_named(connection: Connection, text: str) -> list[int]:
    """The domain of that name; where there is none, those whose names begin so."""
    exact = connection.scalar(sa.select(domain.c.id).where(domain.c.name == known_domain(text)))
    if exact is not None:
        return [exact]
    begins = sa.select(domain.c.id).where(*begin_with(domain.c.name, text.lower().removeprefix("www.")))
    return list(connection.scalars(begins.order_by(domain.c.name).limit(MOST_DOMAINS)))


def begin_with(column: "sa.Column[str]", text: str) -> tuple[ColumnElement[bool], ...]:
    """For names of ASCII ordered by bytes: whatever plan the database has made, their index answers."""
    return column >= text, column < f"{text}\x7f"


def known_domain(text: str) -> str:
    """The domain that somebody means who wrote an address or the name of a host."""
    try:
        return domain_of(text)
    except Refused:
        return text.strip().lower()
