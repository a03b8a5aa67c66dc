"""What the proxy asks of viewings: whose word it is, and what the commands of a viewer proxy do."""

from collections.abc import Iterator, Sequence

from armarium.access.model import Reader
from armarium.access.proxy.commands import Status
from armarium.access.requests.site import Guest
from armarium.access.viewings.model import Chosen, MissingFilter, Person, Standing
from armarium.access.viewings.protocols import JobFile
from armarium.access.viewings.service import Viewings
from armarium.accounts.model import Permission
from armarium.accounts.queries import account_by_id
from armarium.accounts.rules import permissions_of
from armarium.core.actor import Actor, Via
from armarium.core.errors import Forbidden
from armarium.core.message import message

FILES_AT_ONCE = 1000


class ViewingWords:
    """The user's name is the viewing; the word was shown once to whose viewing it is."""

    def __init__(self, viewings: Viewings) -> None:
        self._viewings = viewings

    def guest(self, user: str, word: str, address: str) -> Guest | None:  # noqa: ARG002
        kind, _, number = user.partition("-")
        if kind != "viewing" or not word or not (number.isascii() and number.isdigit()) or len(number) > 18:
            return None
        reader = self._viewings.by_proxy_word(int(number), word)
        return Guest(reader) if reader is not None else None


class Recordings:
    def __init__(self, viewings: Viewings) -> None:
        self._viewings = viewings

    def status(self, reader: Reader, number: int) -> Status:
        found = self._viewings.get(_person(reader), number)
        return Status(found.title, found.jobs, found.recording, found.open + found.handed)

    def record(self, reader: Reader, number: int, *, on: bool) -> None:
        self._viewings.set_recording(self._actor(reader), _person(reader), number, on)

    def clear(self, reader: Reader, number: int) -> None:
        self._viewings.notes.flush()  # what was missing a moment ago is to be cleared, too
        self._viewings.clear(self._actor(reader), _person(reader), number)

    def recorded(self, reader: Reader, number: int) -> Iterator[str]:
        self._viewings.notes.flush()
        found, _ = self._viewings.missing(_person(reader), number, MissingFilter(Standing.ALL))
        return (one.url for one in reversed(found))  # in the order in which they were asked for

    def change(self, reader: Reader, number: int, jobs: Sequence[int], label: str) -> None:
        who = _person(reader)
        before = self._viewings.get(who, number)
        chosen = Chosen(tuple(jobs), label or before.title, before.note)
        self._viewings.change(self._actor(reader), who, number, chosen)

    def file(self, reader: Reader, name: str) -> Iterator[bytes]:
        _check(reader, Permission.STORAGE_READ)
        return self._viewings.job_files.whole(name)[1]

    def metadata(self, reader: Reader, job: int) -> Iterator[bytes]:
        """The files that describe the crawl, one after the other: records of WARC files can be joined so."""
        _check(reader, Permission.VIEWER_USE)
        described = [one for one in self._files(job) if one.metadata and one.readable]
        return (piece for one in described for piece in self._viewings.job_files.whole(one.name)[1])

    def _files(self, job: int) -> list[JobFile]:
        found, _ = self._viewings.job_files.files(job, limit=FILES_AT_ONCE)
        return found

    def _actor(self, reader: Reader) -> Actor:
        with self._viewings.database.transaction() as connection:
            account = account_by_id(connection, reader.account or 0)
        name = account.name if account is not None else "reader"
        return Actor(name, Via.PAGE, account=reader.account)


def _person(reader: Reader) -> Person:
    return Person(reader.account, reader.sees_everything)


def _check(reader: Reader, permission: Permission) -> None:
    if permission not in permissions_of(reader.roles):
        told = message("Your roles do not include the permission “%(name)s”.", name=permission.value)
        raise Forbidden(told)
