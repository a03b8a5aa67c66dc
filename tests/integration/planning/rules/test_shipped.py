"""What comes with Armarium."""

from dataclasses import replace

from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.planning import shipped
from armarium.planning.channels.service import Channels
from armarium.planning.profiles.service import Profiles
from armarium.planning.schedules.service import Schedules


def names(database: Database) -> list[list[str]]:
    profiles, _ = Profiles(database).page(limit=100)
    schedules, _ = Schedules(database).page(limit=100)
    return [
        [one.name for one in profiles],
        [one.name for one in schedules],
        [one.name for one in Channels(database).all()],
    ]


def test_a_new_house_has_profiles_schedules_and_channels_once(database: Database) -> None:
    for _ in range(2):
        with database.transaction() as connection:
            shipped.ensure(connection)
    assert names(database) == [
        ["page", "page+1", "page+2", "path", "host", "domain", "broad", "news-daily"],
        ["once", "hourly", "daily", "weekly", "monthly", "quarterly", "half-yearly", "annual"],
        ["selective", "broad"],
    ]


def test_what_was_changed_stays_changed(database: Database) -> None:
    profiles, schedules = Profiles(database), Schedules(database)
    broad, daily = profiles.named("broad"), schedules.named("daily")
    profiles.new_version(SYSTEM, broad.id, {"scope": {"kind": "domain", "max_hops": 50}}, "Less.")
    schedules.change(SYSTEM, daily.id, replace(daily, name="every night"))
    with database.transaction() as connection:
        shipped.ensure(connection)
    assert profiles.named("broad").version == 2
    assert "daily" not in names(database)[1]
