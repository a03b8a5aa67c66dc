"""Event harvests: paste seeds, and the harvest runs."""

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum

from sqlalchemy import Connection

from armarium.core.actor import Actor
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.formats.url import InvalidUrl, normal
from armarium.planning.domains.rules import domain_of, seeds_in
from armarium.planning.domains.service import Domains
from armarium.planning.harvests import member_queries, queries
from armarium.planning.harvests.checks import existing_harvest
from armarium.planning.harvests.model import Definition, Harvest
from armarium.planning.harvests.service import Harvests, note_domains
from armarium.planning.model import HarvestKind
from armarium.planning.parsing import LONGEST_NAME

MOST_SEEDS = 100_000


class SeedResult(StrEnum):
    TAKEN = "taken"
    DUPLICATE = "duplicate"  # came before in the list, or was in the harvest already
    REFUSED = "refused"


@dataclass(frozen=True)
class Line:
    """What became of one line."""

    number: int
    text: str
    taken: SeedResult
    url: str = ""
    domain: str = ""
    reason: Message | None = None


@dataclass(frozen=True)
class Seeds:
    """Seeds as they were pasted, with how their domains are to be harvested."""

    pasted: str
    profile: int
    max_objects: int | None = None  # of each domain
    max_bytes: int | None = None


@dataclass(frozen=True)
class Pasted:
    harvest: Harvest
    lines: list[Line] = field(default_factory=list)
    domains: int = 0
    created: int = 0  # domains that there were not


class EventHarvests:
    def __init__(self, database: Database, harvests: Harvests, domains: Domains) -> None:
        self._database = database
        self._harvests = harvests
        self._domains = domains

    def create(self, actor: Actor, given: Definition, seeds: Seeds, *, activate: bool = True) -> Pasted:
        """Define an event harvest, make the domains it needs, and activate it: all or nothing."""
        with self._database.transaction() as connection:
            harvest = self._harvests.create_in(connection, actor, given)
            pasted = self._paste(connection, actor, harvest, seeds)
            if activate:
                self._harvests.activate_in(connection, actor, existing_harvest(connection, harvest.id))
            return Pasted(
                existing_harvest(connection, harvest.id), pasted.lines, pasted.domains, pasted.created
            )

    def add(self, actor: Actor, number: int, seeds: Seeds) -> Pasted:
        """Add seeds to an event harvest; its next run takes them along."""
        with self._database.transaction() as connection:
            harvest = existing_harvest(connection, number, lock=True)
            if harvest.kind is not HarvestKind.EVENT:
                raise Refused(message("Seeds are pasted into event harvests only."))
            return self._paste(connection, actor, harvest, seeds)

    def _paste(self, connection: Connection, actor: Actor, harvest: Harvest, seeds: Seeds) -> Pasted:
        if seeds.profile not in {number for number, _, _ in member_queries.profiles(connection)}:
            raise Refused(message("Choose a profile."), field="profile")
        read = read_seeds(seeds.pasted)
        wanted = list(dict.fromkeys(line.domain for line in read if line.taken is SeedResult.TAKEN))
        known = member_queries.domains_named(connection, wanted)
        origin = f"harvest {harvest.name}"
        # Who pastes a page about an event has not said that its whole site belongs to every broad harvest.
        numbers = self._domains.ensure(connection, actor, wanted, origin, broad=False)
        before = member_queries.seeds_in_harvest(connection, harvest.id, list(numbers.values()))
        held = {url for _, text in before.values() for url in seeds_in(text)}
        lines = [_against(line, held) for line in read]
        urls: dict[str, list[str]] = {}
        for line in lines:
            if line.taken is SeedResult.TAKEN:
                urls.setdefault(line.domain, []).append(line.url)
        if not urls:
            raise Refused(nothing_taken(lines), field="seeds")
        chosen = []
        for domain, new in urls.items():
            name, text = before.get(numbers[domain], (configuration_name(harvest), ""))
            both = [*seeds_in(text), *new]
            chosen.append(self._configured(connection, actor, numbers[domain], name, seeds, both))
        member_queries.add_configurations(connection, harvest.id, chosen)
        pasted = [url for found in urls.values() for url in found]
        note_domains(connection, actor, harvest, "harvest.seeds_added", len(chosen), seeds=pasted)
        return Pasted(harvest, lines, len(chosen), len(set(wanted) - set(known)))

    def _configured(
        self, connection: Connection, actor: Actor, domain: int, name: str, seeds: Seeds, urls: list[str]
    ) -> int:
        return self._domains.put_configuration(
            connection,
            actor,
            domain,
            name,
            profile=seeds.profile,
            seeds="\n".join(urls),
            max_objects=seeds.max_objects,
            max_bytes=seeds.max_bytes,
            overrides={},
        )

    #: The profiles to choose from.
    choices = reading(member_queries.profiles)

    def default_schedule(self) -> int | None:
        """The shipped schedule “once”, by which an event harvest begins at once."""
        with self._database.transaction() as connection:
            named = {schedule.name: number for number, schedule in queries.schedules(connection).items()}
        return named.get("once")


def configuration_name(harvest: Harvest) -> str:
    """The name of the seed lists and configurations that belong to the harvest, one for each domain.

    With its number, so that no configuration of the domain's own is called the same and replaced.
    """
    mark = f" (harvest {harvest.id})"
    return f"{harvest.name[: LONGEST_NAME - len(mark)]}{mark}"


def read_seeds(pasted: str) -> list[Line]:
    """Each line with what becomes of it; empty lines and comments are none."""
    lines: list[Line] = []
    seen: set[str] = set()
    for number, raw in enumerate(pasted.splitlines(), 1):
        text = raw.strip()
        if not text or text.startswith("#"):
            continue
        line = _read(number, text)
        if line.url in seen and line.taken is SeedResult.TAKEN:
            line = Line(number, text, SeedResult.DUPLICATE, line.url, line.domain)
        seen.add(line.url)
        lines.append(line)
    if len(lines) > MOST_SEEDS:
        raise Refused(message("These are more than %(most)s seeds.", most=MOST_SEEDS), field="seeds")
    return lines


def _read(number: int, text: str) -> Line:
    address = text if "://" in text else f"http://{text}"
    try:
        domain = domain_of(address)
        url = normal(address)
    except Refused as refusal:
        return Line(number, text, SeedResult.REFUSED, reason=refusal.message)
    except InvalidUrl:
        return Line(number, text, SeedResult.REFUSED, reason=message("This is no address of the web."))
    return Line(number, text, SeedResult.TAKEN, url, domain)


def _against(line: Line, held: Collection[str]) -> Line:
    """The line again, as a duplicate if the harvest has its seed already."""
    if line.taken is SeedResult.TAKEN and line.url in held:
        return Line(line.number, line.text, SeedResult.DUPLICATE, line.url, line.domain)
    return line


def nothing_taken(lines: list[Line]) -> Message:
    refused = next((line for line in lines if line.taken is SeedResult.REFUSED), None)
    if refused is not None:
        return message(
            "No line is a seed. Line %(number)s: %(reason)s",
            number=refused.number,
            reason=str(refused.reason),
        )
    if lines:
        return message("All of these seeds are in the harvest already.")
    return message("Paste at least one seed: one address a line.")
