"""Handing missing addresses to a next harvest."""

from collections.abc import Sequence
from dataclasses import dataclass

from armarium.access.viewings import queries
from armarium.access.viewings.missing_notes import tell
from armarium.access.viewings.model import Missing, MissingFilter, Person, Viewing
from armarium.access.viewings.protocols import Fate, Handed, NextHarvest, Plan
from armarium.access.viewings.service import Viewings, subject
from armarium.audit.service import record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import Refused
from armarium.core.message import message


@dataclass(frozen=True)
class Order:
    """To which harvest, and how. Either the number of one that there is, or the name of a new one."""

    harvest: int | None
    name: str
    plan: Plan
    activate: bool = True  # a new one


class Handover:
    def __init__(self, viewings: Viewings, harvests: NextHarvest) -> None:
        self._viewings = viewings
        self.harvests = harvests

    def hand_over(
        self, actor: Actor, who: Person, number: int, order: Order, chosen: Sequence[int] | MissingFilter
    ) -> Handed:
        """Chosen by their numbers, or all that fit. What the harvest has already is handed over, too."""
        viewing = self._viewings.get(who, number)
        found = self._found(who, number, chosen)
        if not found:
            raise Refused(message("Choose at least one address."), field="missing")
        # First the harvest, then our note of it: if this process is killed in between, the addresses are
        # handed over once more, and the harvest says that it has them.
        handed = self._handed(actor, order, [one.url for one in found])
        self._note(actor, viewing, handed, found)
        return handed

    def _found(self, who: Person, number: int, chosen: Sequence[int] | MissingFilter) -> list[Missing]:
        if isinstance(chosen, MissingFilter):
            return self._viewings.missing(who, number, chosen)[0]
        return self._viewings.chosen(who, number, chosen)

    def _handed(self, actor: Actor, order: Order, urls: Sequence[str]) -> Handed:
        if order.harvest is not None:
            return self.harvests.add(actor, order.harvest, urls, order.plan)
        name = order.name.strip()
        if not name:
            raise Refused(message("Name the new harvest, or choose an existing one."), field="name")
        return self.harvests.create(actor, name, urls, order.plan, activate=order.activate)

    def _note(self, actor: Actor, viewing: Viewing, handed: Handed, found: Sequence[Missing]) -> None:
        accepted = {line.url for line in handed.lines if line.fate is not Fate.REFUSED}
        numbers = [one.id for one in found if one.url in accepted]
        if not numbers:
            return
        now = clock.now()
        with self._viewings.database.transaction() as connection:
            queries.mark_handed(connection, numbers, handed.harvest, actor.name, now)
            after = {"harvest": handed.name, "missing": len(numbers)}
            record(connection, actor, "viewing.handed_over", subject(viewing), after=after)
            tell(connection, viewing.id)
