"""The verbs of viewings."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from sqlalchemy import Connection

from armarium.access.model import Collection, Reader
from armarium.access.viewings import queries
from armarium.access.viewings.missing_notes import MissingNotes, tell
from armarium.access.viewings.model import (
    ANY,
    LONGEST_NOTE,
    LONGEST_TEXT,
    MOST_JOBS,
    Chosen,
    Missing,
    MissingFilter,
    MissingKind,
    Person,
    Standing,
    Viewing,
    ViewingFilter,
)
from armarium.access.viewings.protocols import Job, JobFiles
from armarium.access.viewings.rules import too_many_jobs
from armarium.accounts import keys
from armarium.accounts.model import Permission
from armarium.accounts.queries import account_by_id
from armarium.accounts.rules import permissions_of
from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import NotFound, Refused
from armarium.core.lately import Lately
from armarium.core.message import message
from armarium.db.database import Database
from armarium.db.stretches import Beginning

FRESH = 3.0  # seconds for which readers may see a viewing as it was before a change
MOST_DOMAINS = 200  # to choose from above the list


def subject(viewing: Viewing) -> Subject:
    return Subject("viewing", viewing.id, viewing.title)


class Viewings:
    """Made in the process of the staff site and in that of the readers' site."""

    def __init__(self, database: Database, job_files: JobFiles) -> None:
        self.database = database
        self.job_files = job_files
        self.notes = MissingNotes(database)
        self._standing: Lately[int, Viewing | None] = Lately(FRESH)
        self._proxied: Lately[tuple[int, bytes], Reader | None] = Lately(FRESH)

    def close(self) -> None:
        self.notes.close()

    # For the readers' site and the proxy ------------------------------------------------------------

    def collection(self, number: int, reader: Reader) -> Collection:
        """What it is called there; raises `NotFound` unless it is this reader's, or has ended."""
        found = self._kept(number)
        if found is None or found.ended_at is not None or not _may_browse(reader, found):
            raise not_found(number)
        return Collection(found.name, found.title, viewing=found.id)

    def jobs(self, number: int) -> tuple[int, ...]:
        """Whose files make up the viewing."""
        found = self._kept(number)
        return found.jobs if found is not None else ()

    def note_missing(self, number: int, url: str, key: str, referrer: str) -> None:
        self.notes.note(number, url, key, referrer)

    def by_proxy_word(self, number: int, word: str) -> Reader | None:
        """Whoever was shown the word, as the rules see them; None: it is not the word of this viewing."""
        digest = keys.digest(word)
        return self._proxied.get((number, digest), lambda: self._reader_by_word(number, digest))

    def _kept(self, number: int) -> Viewing | None:
        def ask() -> Viewing | None:
            with self.database.transaction() as connection:
                return queries.one(connection, number)

        return self._standing.get(number, ask)

    def _reader_by_word(self, number: int, digest: bytes) -> Reader | None:
        with self.database.transaction() as connection:
            owner = queries.proxied(connection, number, digest)
            account = account_by_id(connection, owner) if owner is not None else None
        if account is None or not account.active:
            return None
        allowed = permissions_of(account.roles)
        if Permission.VIEWER_USE not in allowed:
            return None
        everything = Permission.ACCESS_EVERYTHING in allowed
        visit = f"viewing-{number}"
        return Reader(account.id, account.roles, sees_everything=everything, visit=visit)

    # Looking ----------------------------------------------------------------------------------------

    def get(self, who: Person, number: int) -> Viewing:
        with self._asked(who, number) as (_, viewing):
            return viewing

    def page(
        self,
        who: Person,
        sought: ViewingFilter = ANY,
        *,
        mine: bool = False,
        job: int | None = None,
        limit: int,
        offset: Beginning = 0,
    ) -> tuple[list[Viewing], int]:
        """Those that this person may see; `mine`: only their own."""
        owner = who.account if mine or not who.everything else None
        with self.database.transaction() as connection:
            return queries.page(connection, owner, job, sought, limit, offset)

    def missing(
        self,
        who: Person,
        number: int,
        sought: MissingFilter,
        *,
        limit: int | None = None,
        offset: Beginning = 0,
    ) -> tuple[list[Missing], int]:
        with self._asked(who, number) as (connection, _):
            return queries.missing_page(connection, number, sought, limit, offset)

    def chosen(self, who: Person, number: int, numbers: Sequence[int]) -> list[Missing]:
        with self._asked(who, number) as (connection, _):
            return queries.chosen_missing(connection, number, numbers)

    def gaps(
        self, who: Person, number: int, standing: Standing
    ) -> tuple[list[tuple[str, int]], Mapping[MissingKind, int]]:
        """Of which domains, and of which kinds, how many addresses are missing."""
        with self._asked(who, number) as (connection, _):
            domains = queries.domains(connection, number, standing, MOST_DOMAINS)
            return domains, queries.kinds(connection, number, standing)

    # Changing ---------------------------------------------------------------------------------------

    def create(self, actor: Actor, owner: int, chosen: Chosen) -> Viewing:
        """Begin to look at what some jobs brought. It records what is missing from the start."""
        chosen = self._checked(chosen)
        with self.database.transaction() as connection:
            if account_by_id(connection, owner) is None:
                raise NotFound(message("There is no account with the number %(number)s.", number=owner))
            values = {"account": owner, "title": chosen.title, "jobs": list(chosen.jobs)}
            number = queries.insert(connection, **values, note=chosen.note, created_at=clock.now())
            made = _existing(connection, number)
            record(connection, actor, "viewing.created", subject(made), after=made.described())
            tell(connection, number)
        return made

    def change(self, actor: Actor, who: Person, number: int, chosen: Chosen) -> Viewing:
        chosen = self._checked(chosen)
        with self._changing(who, number) as (connection, before):
            queries.update(connection, number, title=chosen.title, jobs=list(chosen.jobs), note=chosen.note)
            after = _existing(connection, number)
            if after.described() != before.described():
                described = {"before": before.described(), "after": after.described()}
                record(connection, actor, "viewing.changed", subject(after), **described)
        self._forget()
        return after

    def set_recording(self, actor: Actor, who: Person, number: int, on: bool) -> Viewing:
        """Begin, or cease, to note what is missing."""
        with self._changing(who, number) as (connection, before):
            if before.recording == on:
                return before
            queries.update(connection, number, recording=on)
            action = "viewing.recording" if on else "viewing.not_recording"
            record(connection, actor, action, subject(before))
        return replace(before, recording=on)

    def clear(self, actor: Actor, who: Person, number: int, numbers: Sequence[int] | None = None) -> int:
        """Forget missing addresses: these, or all of them."""
        with self._changing(who, number) as (connection, viewing):
            cleared = queries.delete_missing(connection, number, numbers)
            if numbers is None:
                queries.update(connection, number, passed_over=0)
            if cleared:
                record(connection, actor, "viewing.cleared", subject(viewing), before={"missing": cleared})
        return cleared

    def make_proxy_word(self, actor: Actor, who: Person, number: int) -> str:
        """A word by which a browser's proxy chooses the viewing; the one before is good no more."""
        word = keys.new_key()
        with self._changing(who, number) as (connection, viewing):
            if who.account != viewing.account:
                raise Refused(message("Only the owner of a viewing can have a proxy password for it."))
            queries.update(connection, number, proxy_digest=keys.digest(word))
            record(connection, actor, "viewing.proxy_word", subject(viewing))
        self._forget()
        return word

    def end(self, actor: Actor, who: Person, number: int) -> Viewing:
        """It can be browsed no more; what was missing stays, as what was handed over."""
        return self._ended(actor, who, number, True)

    def reopen(self, actor: Actor, who: Person, number: int) -> Viewing:
        return self._ended(actor, who, number, False)

    def _ended(self, actor: Actor, who: Person, number: int, ended: bool) -> Viewing:
        with self._changing(who, number) as (connection, before):
            if (before.ended_at is not None) == ended:
                return before
            values = {"ended_at": clock.now(), "proxy_digest": None} if ended else {"ended_at": None}
            queries.update(connection, number, **values)
            action = "viewing.ended" if ended else "viewing.reopened"
            record(connection, actor, action, subject(before))
            after = _existing(connection, number)
        self._forget()
        return after

    @contextmanager
    def _asked(self, who: Person, number: int, *, lock: bool = False) -> Iterator[tuple[Connection, Viewing]]:
        """A transaction about a viewing; raises `NotFound` unless this person may see it."""
        with self.database.transaction() as connection:
            found = _existing(connection, number, lock=lock)
            if not who.everything and who.account != found.account:
                raise not_found(number)
            yield connection, found

    @contextmanager
    def _changing(self, who: Person, number: int) -> Iterator[tuple[Connection, Viewing]]:
        """The same for a change: nobody else's until the end, of which open pages are told."""
        with self._asked(who, number, lock=True) as (connection, found):
            yield connection, found
            tell(connection, number)

    def _checked(self, chosen: Chosen) -> Chosen:
        jobs = tuple(sorted(set(chosen.jobs)))
        if not jobs:
            raise Refused(message("Choose at least one job."), field="jobs")
        if len(jobs) > MOST_JOBS:
            raise too_many_jobs()
        found = self.job_files.jobs(jobs)
        known = {one.number for one in found}
        if unknown := [number for number in jobs if number not in known]:
            told = message("There is no job with the number %(number)s.", number=unknown[0])
            raise Refused(told, field="jobs")
        title = chosen.title.strip() or _title(found)
        if len(title) > LONGEST_TEXT or not title.isprintable():
            raise Refused(message("The title is too long, or not plain text."), field="title")
        if len(chosen.note) > LONGEST_NOTE:
            raise Refused(message("The note is too long."), field="note")
        return Chosen(jobs, title, chosen.note.strip())

    def _forget(self) -> None:
        self._standing.forget()
        self._proxied.forget()


def _title(jobs: Sequence[Job]) -> str:
    """What nobody named is named by its harvest and its jobs."""
    named = ", ".join(str(one.number) for one in jobs[:5])
    title = f"{jobs[0].harvest_name[:100]}: {named}" + (", …" if len(jobs) > 5 else "")
    return "".join(sign if sign.isprintable() else " " for sign in title)


def _may_browse(reader: Reader, viewing: Viewing) -> bool:
    if reader.sees_everything:
        return True
    return reader.account == viewing.account and Permission.VIEWER_USE in permissions_of(reader.roles)


def _existing(connection: Connection, number: int, *, lock: bool = False) -> Viewing:
    found = queries.one(connection, number, lock=lock)
    if found is None:
        raise not_found(number)
    return found


def not_found(number: int) -> NotFound:
    """The same for what is not there and for what is somebody else's."""
    return NotFound(message("There is no viewing with the number %(number)s.", number=number))
