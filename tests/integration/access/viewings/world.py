"""A house with jobs that have brought files, for the tests of viewings."""

import io
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cached_property

import sqlalchemy as sa

from armarium.access.viewings.handover import Handover
from armarium.access.viewings.model import OPERATOR, Chosen, MissingFilter, Person, Standing, Viewing
from armarium.access.viewings.protocols import JobFiles
from armarium.access.viewings.service import Viewings
from armarium.accounts.model import Permission, Profile, Role
from armarium.accounts.rules import permissions_of
from armarium.core.actor import SYSTEM, Actor, Via
from armarium.core.collecting import TaskOrder
from armarium.core.services import Services
from armarium.formats.warc.new_record import NewRecord, resource, warcinfo
from armarium.formats.warc.writer import WarcWriter, safe
from armarium.planning.arrivals.service import Arrivals
from armarium.planning.tables.domains import seed_list
from armarium.storage.files.service import Files
from tests.integration.access.world import Page
from tests.integration.access.world import write_warc as write_captures
from tests.integration.index.chain.archive import write_warc
from tests.integration.planning.collectors.world import Crawler, World, called, offer, piece


class ViewerWorld(World):
    """Its files go to the real archive, and are indexed."""

    @cached_property
    def services(self) -> Services:
        return self.house.services()

    @cached_property
    def arrivals(self) -> Arrivals:
        return self.services.get(Arrivals)

    @cached_property
    def machine(self) -> Crawler:
        return self.crawler()

    @cached_property
    def viewings(self) -> Viewings:
        return self.services.get(Viewings)

    @property
    def brought(self) -> JobFiles:
        return self.viewings.job_files

    @property
    def handing(self) -> Handover:
        return self.services.get(Handover)

    @property
    def everybody(self) -> Person:
        return OPERATOR

    def harvested(self, domain: str, pages: Sequence[str] = (), *, captures: Sequence[Page] = ()) -> int:
        """A job that is done: a file with these pages or captures, and one about the crawl."""
        return self.done(self.job(domain), domain, pages, captures=captures)

    def done(
        self, number: int, domain: str = "", pages: Sequence[str] = (), *, captures: Sequence[Page] = ()
    ) -> int:
        """The same, for one that waits."""
        task = self.machine.take()
        assert task.job == number
        name = called(number, "captures")
        path = self.home / name
        write_captures(path, captures) if captures else write_warc(path, list(pages))
        about = f"{safe(f'job-{number}')}-metadata-1.warc.gz"
        self.machine.give(task, name, path.read_bytes())
        self._describe(task, about, metadata_file(domain))
        path.unlink()
        for file in (name, about):
            stored = self.services.get(Files).named(file)
            self.house.storage.files.store(stored.id)
            self.house.storage.chain.index(stored.id)
        self.machine.end(task, objects=len(pages), files=(name, about))
        return number

    def _describe(self, task: TaskOrder, name: str, content: bytes) -> None:
        offered = offer(task, name, content).model_copy(update={"kind": "metadata"})
        self.arrivals.offer(self.machine.collector, task.job, offered)
        self.arrivals.receive(self.machine.collector, task.job, piece(task, name, 0, content))

    def person(self, name: str, *roles: Role) -> tuple[Person, Actor]:
        account = self.house.accounts.create(SYSTEM, Profile(name, name.title(), "", "", frozenset(roles)))
        everything = Permission.ACCESS_EVERYTHING in permissions_of(account.roles)
        return Person(account.id, everything), Actor(name, Via.PAGE, account=account.id)

    def begin(self, who: tuple[Person, Actor], *jobs: int) -> Viewing:
        person, actor = who
        assert person.account is not None
        return self.viewings.create(actor, person.account, Chosen(tuple(jobs)))

    def miss(self, viewing: Viewing, *urls: str, referrer: str = "") -> None:
        """Somebody asks for these in vain."""
        for url in urls:
            self.viewings.note_missing(viewing.id, url, f"key of {url}", referrer)
        self.viewings.notes.flush()

    def missing(self, viewing: Viewing, standing: Standing = Standing.ALL) -> dict[str, int]:
        """The addresses that are noted, with how often."""
        found, _ = self.viewings.missing(Person(None, True), viewing.id, MissingFilter(standing))
        return {one.url: one.times for one in found}

    def seeds(self) -> list[str]:
        """Of all seed lists that belong to harvests."""
        texts = self.rows(sa.select(seed_list.c.seeds).where(seed_list.c.name.contains("(harvest ")))
        return sorted(line for (text,) in texts for line in text.splitlines())

    def close(self) -> None:
        self.house.close()


def metadata_file(domain: str) -> bytes:
    """As the crawler packs it: order, log, and a report."""
    parts = {
        "setup/order.json": b'{"name": "job"}',
        "logs/crawl.log": f"2026-11-15T12:00:00.000Z 200 12 http://{domain}/\n".encode(),
        "reports/hosts-report.txt": f"1 12 {domain}\n".encode(),
    }
    written = io.BytesIO()
    moment = datetime(2026, 11, 15, 12, tzinfo=UTC)
    records: list[NewRecord] = [warcinfo(moment, [("software", "Armarium")], filename="metadata.warc.gz")]
    for path, content in parts.items():
        records.append(resource(f"metadata://armarium/crawl/{path}?crawl=1", moment, content, "text/plain"))
    writer = WarcWriter(written)
    for record in records:
        writer.write(record)
    return written.getvalue()
