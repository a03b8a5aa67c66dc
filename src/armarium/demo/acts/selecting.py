"""The second act: librarians enter addresses, a curator decides, planning is told, a stranger nominates."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from armarium.core.actor import Actor, Via
from armarium.core.errors import Unavailable
from armarium.core.message import message
from armarium.demo.acts.settling_in import World
from armarium.demo.cast import GATHERINGS, Gathering, sites_of
from armarium.demo.stage import Step, counted
from armarium.demo.web import SITES, Site
from armarium.demo.web.model import TOP
from armarium.selection.collections.service import Collections
from armarium.selection.entry.model import ENDED, ChosenLine, CommonValues, Line, LineState
from armarium.selection.entry.service import Checks
from armarium.selection.model import RecordState
from armarium.selection.nominations.model import Proposal
from armarium.selection.nominations.service import Nominations
from armarium.selection.records.service import Records
from armarium.selection.records.tray import Tray
from armarium.selection.transfer.model import TransferState
from armarium.selection.transfer.service import Transfers

PERMANENTLY = 301
GONE = ("forgotten", "moved-away")  # names that the small web does not know: addresses that died
UNWANTED = f"umbrellas.{TOP}"
#: For whoever tries the curator's inbox: the last of each collection.
LEFT_WAITING = frozenset(
    [site.name for site in sites_of(one) if site.name != UNWANTED][-1] for one in GATHERINGS
)
REFUSAL = (
    "A shop: mostly prices, which are out of date by tomorrow. Propose it again when there is more to read."
)
NOMINATED = f"observatory.{TOP}"  # opens in the second edition: no librarian has it
MOST = 1000


@dataclass(frozen=True)
class Share:
    """Which sites librarians find in one month of so many: all of them in the last of one."""

    month: int = 0
    months: int = 1

    @property
    def is_last(self) -> bool:
        return self.month == self.months - 1

    def of(self, sites: Sequence[Site]) -> list[Site]:
        return [site for at, site in enumerate(sites) if at * self.months // len(sites) == self.month]


ALL = Share()


def enter(world: World, step: Step, share: Share = ALL) -> int:
    """Each librarian pastes a list; every address is looked at; records are created for those that answer."""
    batches = [
        (gathering, _pasted(world, gathering, share))
        for gathering in GATHERINGS
        if share.is_last or share.of(sites_of(gathering))
    ]
    lines: list[Line] = []

    def looked_at() -> bool:
        lines[:] = [line for _, batch in batches for line in world.get(Checks).lines(batch)]
        ended = sum(line.state in ENDED for line in lines)
        step.show(f"{ended} of {counted(len(lines), 'address', 'addresses')}", ended, len(lines))
        return ended == len(lines)

    late = message(
        "It took too long to look at the addresses. The demonstration is unfinished: run it again, which "
        "begins anew. %(log)s says more.",
        log=world.log,
    )
    world.wait(looked_at, late)
    made = sum(_taken(world, gathering, batch) for gathering, batch in batches)
    world.records += made
    states = Counter(line.state for line in lines)
    step.end(
        f"{len(lines)} addresses: {states[LineState.INVALID]} dead, "
        f"{states[LineState.REDIRECTS]} moved; {counted(made, 'record')}"
    )
    return made


def _pasted(world: World, gathering: Gathering, share: Share) -> int:
    known = sites_of(gathering)
    troubled = _troubled(world, gathering, known) if share.is_last else []
    pasted = "\n".join([*(_address(world, site.name) for site in share.of(known)), *troubled])
    collection = world.collections[gathering.name]
    return world.get(Checks).enter(world.editor(gathering.librarian), collection, pasted).id


def _address(world: World, name: str, path: str = "/") -> str:
    return f"http://{name}:{world.ports.web}{path}"


def _troubled(world: World, gathering: Gathering, sites: list[Site]) -> list[str]:
    """What stands in every librarian's notes: an address that has moved, and some that died."""
    moved = [
        (site.name, source)
        for site in sites
        for status, source, target in site.redirects
        if status == PERMANENTLY and target.startswith("/")
    ]
    dead = [f"{word}.{TOP}" for word in GONE] if gathering is GATHERINGS[-1] else []
    return [*(_address(world, *one) for one in moved[:1]), *(_address(world, name) for name in dead)]


def _taken(world: World, gathering: Gathering, batch: int) -> int:
    """One record for each site that answers, theme by theme."""
    checks, known = world.get(Checks), world.get(Collections).get(world.collections[gathering.name])
    themes = {_address(world, site.name): site.theme for site in sites_of(gathering)}
    wanted: dict[str, list[ChosenLine]] = {}
    for line in checks.lines(batch):
        if line.ticked and line.check.address in themes:
            taken = ChosenLine(line.check.id, line.preferred)
            wanted.setdefault(themes[line.check.address], []).append(taken)
    for name, lines in wanted.items():
        theme = known.theme_named(name)
        assert theme is not None
        responsible = world.accounts[gathering.librarian].id
        common = CommonValues(
            theme.id, known.default_budget, gathering.frequency, known.default_depth, responsible
        )
        checks.take(world.editor(gathering.librarian), batch, lines, common)
    return sum(map(len, wanted.values()))


def decide(world: World, step: Step) -> None:
    """Most are validated, one is rejected, a few are left for whoever tries it."""
    curator, records = world.editor("curator"), world.get(Records)
    waiting = [one.record for one in world.get(Tray).proposals(curator, limit=MOST).items]
    unwanted = [record for record in waiting if record.host == UNWANTED]
    wanted = [record for record in waiting if record.host not in {UNWANTED, *LEFT_WAITING}]
    if wanted:
        records.decide(curator, [record.id for record in wanted], RecordState.VALIDATED)
    if unwanted:
        records.decide(curator, [record.id for record in unwanted], RecordState.REFUSED, REFUSAL)
    world.harvested |= {record.host for record in wanted}
    step.end(f"{len(wanted)} validated, {len(unwanted)} rejected, {len(LEFT_WAITING)} wait for you")


def nominate(world: World) -> None:
    """A reader finds a site that was not there when the librarians looked."""
    site = next(site for site in SITES if site.name == NOMINATED)
    gathering = next(one for one in GATHERINGS if site in sites_of(one))
    proposal = Proposal(
        _address(world, site.name),
        site.title,
        "It has just opened, and I was first in the queue. Who knows how long it will last?",
        "A neighbour",
        collection=world.collections[gathering.name],
    )
    stranger = Actor("a reader", Via.PAGE, address="127.0.0.1")
    world.get(Nominations).nominate(stranger, proposal, language="en")


def transfer(world: World, step: Step) -> None:
    """Planning gets domains, seeds and harvests for what was validated."""
    transfers = world.get(Transfers)
    number = transfers.start(world.actor("curator")).id

    def over() -> bool:
        now = transfers.get(number)
        step.show(f"{now.handled} of {now.total}", now.handled, now.total or None)
        return now.over

    late = message(
        "The transfer to planning took too long. The demonstration is unfinished: run it again, which begins "
        "anew. %(log)s says more.",
        log=world.log,
    )
    world.wait(over, late)
    done = transfers.get(number)
    if done.state is TransferState.FAILED:
        raise Unavailable(message("The transfer to planning failed: %(reason)s", reason=done.error))
    step.end(f"{counted(done.handled, 'record')} handed to planning")
