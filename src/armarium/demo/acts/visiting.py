"""Readers come, more of them each month and fewer at weekends; the figures of use say how many, never who."""

from datetime import timedelta
from random import Random

from armarium.access.model import EVERYTHING, Reader
from armarium.access.statistics.counting import LiveUses
from armarium.core import clock
from armarium.db.database import Database
from armarium.demo.acts.settling_in import World
from armarium.demo.cast import GATHERINGS, sites_of

ZONE = "UTC"
VISITS = 4, 22  # of a day, in the first month and in the last
WEEKEND = 5
PAGES = 6  # of a visit, at most
MISSING = 0.08  # of what is asked for


def visit(world: World, since: timedelta, until: timedelta, growth: float) -> None:
    """All days between two moments, both so long ago. `growth`: 0 in the first month, 1 in the last."""
    back = since
    while back > until:
        with world.calendar.alone(back):
            _day(world, growth)
        back -= timedelta(days=1)


def _day(world: World, growth: float) -> None:
    today = clock.now()
    dice = Random(today.toordinal())  # noqa: S311  (the same readers each time)
    fewest, most = VISITS
    visits = round((fewest + (most - fewest) * growth) * dice.uniform(0.6, 1.4))
    visits = visits // 2 if today.weekday() >= WEEKEND else visits
    uses, reader = LiveUses(world.get(Database), ZONE), Reader()
    for _ in range(visits):
        uses.note("visit", "shown", collection=EVERYTHING, reader=reader)
        for _ in range(dice.randint(1, PAGES)):
            outcome = "missing" if dice.random() < MISSING else "shown"
            site = dice.choice(sites_of(dice.choice(GATHERINGS)))
            uses.note("page", outcome, collection=EVERYTHING, reader=reader, size=20_000, domain=site.name)
    uses.flush()
