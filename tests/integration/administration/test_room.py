"""A disk that fills up, seen by the heartbeats."""

from datetime import timedelta
from pathlib import Path

from armarium.administration.upkeep import look_at_disks
from armarium.db.database import Database
from armarium.processes.model import Introduction, Pulse
from armarium.server.assembly import SECTIONS, House
from armarium.settings import load
from armarium.tasks.context import TaskContext


def test_the_operators_are_told_once_of_a_disk_that_fills_up(database: Database, tmp_path: Path) -> None:
    house = House(load(SECTIONS, home=tmp_path, environ={}), database)
    web = Introduction("web", "web", "cellar", 1, "1", timedelta(seconds=60))
    house.processes.beat(house.processes.register(web), Pulse(disk_free=1, disk_total=100))
    context = TaskContext(1, "administration.disks", 1, services=house.services())
    look_at_disks(context)
    look_at_disks(context)
    (sent,), _ = house.notifications.page(limit=10)
    assert "cellar" in str(sent.notification.subject)
