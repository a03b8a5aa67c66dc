"""Channels: who serves what, and that no harvest is left without one."""

from dataclasses import dataclass, replace

import pytest
import sqlalchemy as sa

from armarium.accounts.model import Permission, Role
from armarium.core.actor import SYSTEM
from armarium.core.errors import Refused
from armarium.db.database import Database
from armarium.planning.channels.service import Channel, Channels
from tests.integration.web.steps import audited, enter, token_of, with_token
from tests.site import RunningSite

CHANNELS = "/harvesting/channels"


@dataclass(frozen=True)
class SomeHarvest:
    kind: str
    channel: int | None = None


def changed(channels: Channels, channel: Channel, **what: object) -> Channel:
    return channels.change(SYSTEM, channel.id, replace(channel, **what))  # type: ignore[arg-type]


def enrol(database: Database, name: str, *served: str) -> None:
    with database.transaction() as connection:
        connection.execute(
            sa.text(
                "INSERT INTO collector (name, channels, signing_key, sealing_key, enrolled_at)"
                " VALUES (:name, :served, '{}', '{}', now())"
            ),
            {"name": name, "served": list(served)},
        )


def test_a_harvest_has_its_own_channel_or_the_default_of_its_kind(database: Database) -> None:
    channels = Channels(database)
    video = channels.create(SYSTEM, Channel(name="video", priority=50))
    with database.transaction() as connection:
        chosen = {
            kind: channels.for_harvest(connection, SomeHarvest(kind))
            for kind in ("selective", "event", "broad")
        }
        own = channels.for_harvest(connection, SomeHarvest("broad", video.id))
    selective, broad = channels.named("selective").id, channels.named("broad").id
    assert chosen == {"selective": selective, "event": selective, "broad": broad}
    assert own == video.id


def test_a_kind_has_one_default_that_another_channel_can_take_over(database: Database) -> None:
    channels = Channels(database)
    events = channels.create(SYSTEM, Channel(name="events", priority=200, default_for="event"))
    assert channels.named("selective").kinds == ("selective",)
    with pytest.raises(Refused, match="would have no channel"):
        changed(channels, events, default_for="")
    with pytest.raises(Refused, match="would have no channel"):
        changed(channels, events, active=False)
    changed(channels, channels.named("selective"), default_for="selective event")
    assert changed(channels, channels.named("events"), active=False).active is False


def test_collectors_follow_a_channel_that_is_renamed(database: Database) -> None:
    channels = Channels(database)
    enrol(database, "north", "selective", "broad")
    changed(channels, channels.named("selective"), name="chosen")
    traffic = channels.traffic()
    assert [name for _, name, _ in traffic[channels.named("chosen").id].collectors] == ["north"]
    assert [name for _, name, _ in traffic[channels.named("broad").id].collectors] == ["north"]


def test_a_name_with_a_space_or_a_taken_one_is_refused(database: Database) -> None:
    channels = Channels(database)
    for name in ("two words", "", "broad"):
        with pytest.raises(Refused) as refused:
            channels.create(SYSTEM, Channel(name=name))
        assert refused.value.field == "name"


def test_a_curator_makes_a_channel_and_sees_who_serves_it(site: RunningSite) -> None:
    enrol(site.house.database, "north", "video")
    curator = enter(site, "cora", Role.CURATOR)
    given = {"name": "video", "description": "Large files.", "priority": "50", "default_for": "event"}
    assert curator.submit(f"{CHANNELS}/new", given).status_code == 303
    page = curator.get(CHANNELS).text
    assert "Large files." in page
    assert "north" in page
    wrong = curator.submit(f"{CHANNELS}/new", {**given, "priority": "high"})
    assert (wrong.status_code, 'id="priority-wrong"' in wrong.text) == (422, True)
    number = Channels(site.house.database).named("video").id
    assert "north" in curator.get(f"{CHANNELS}/{number}").text
    assert [entry.object_name for entry in audited(site, "channel.changed")] == ["selective"]
    reader = enter(site, "lib", Role.LIBRARIAN)
    assert reader.get(f"{CHANNELS}/{number}").status_code == 200
    assert reader.submit(f"{CHANNELS}/{number}", given).status_code == 403


def test_the_table_renews_itself_as_a_part(site: RunningSite) -> None:
    curator = enter(site, "cora", Role.CURATOR)
    part = curator.get(CHANNELS, headers={"x-part": "yes"}).text
    assert "<table" in part
    assert "<html" not in part


def test_programs_see_and_change_channels(site: RunningSite) -> None:
    enter(site, "cora", Role.CURATOR)
    program = with_token(site, token_of(site, "cora", Permission.PLANNING_VIEW, Permission.PLANNING_RULES))
    made = program.post("/api/channels", json={"name": "video", "priority": 50})
    assert (made.status_code, made.json()["waiting"]) == (201, 0)
    address = f"/api/channels/{made.json()['id']}"
    assert program.put(address, json={"name": "film", "priority": 60}).json()["name"] == "film"
    assert [one["name"] for one in program.get("/api/channels").json()] == ["selective", "film", "broad"]
