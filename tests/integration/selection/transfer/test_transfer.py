"""Records become domains, seed lists, configurations and members of harvests, and nothing else is touched."""

from dataclasses import replace
from typing import Any

import pytest

from armarium.core.actor import SYSTEM
from armarium.core.errors import Refused
from armarium.planning.domains.model import Configuration, NewConfiguration
from armarium.planning.domains.service import DomainFacts
from armarium.selection.collections.model import Choices
from armarium.selection.model import Budget, Depth, Frequency, RecordState
from armarium.selection.records.model import Further
from armarium.selection.transfer.model import TransferKind, TransferState
from armarium.selection.transfer.service import Conflicts, Side
from armarium.tasks.failure import TaskStopped
from tests.integration.selection.transfer.handing import Office, told

MONTHLY = "Press · monthly"


def settled(one: Configuration, **changes: Any) -> NewConfiguration:
    """A configuration as a person would save it."""
    names = NewConfiguration.__dataclass_fields__
    return replace(NewConfiguration(**{name: getattr(one, name) for name in names}), **changes)


def test_a_validated_record_becomes_a_member_of_its_collections_harvest(office: Office) -> None:
    made = office.library.record(
        "https://news.example/", further=(Further("https://news.example/sitemap.xml"),), depth=Depth.PATH
    )
    assert office.counts() == {"made": 1}
    assert office.rows("SELECT * FROM domain") == []
    done = office.transfer()
    assert (done.state, done.total, done.handled, told(done)) == (TransferState.DONE, 1, 1, {"made": 1})
    found = office.configuration(made.id)
    assert (found.name, found.profile_name, found.active) == (f"selection {made.id}", "path", True)
    assert (found.max_objects, found.max_bytes) == (5_000, 500_000_000)
    assert office.members(MONTHLY) == {found.name}
    (seeds,) = office.rows("SELECT * FROM seed_list WHERE id = :id", id=found.seed_lists[0])
    assert seeds["seeds"].splitlines() == ["https://news.example/", "https://news.example/sitemap.xml"]
    assert (seeds["name"], seeds["comments"]) == (f"selection {made.id}", f"/selection/records/{made.id}")
    (domain,) = office.rows("SELECT * FROM domain")
    assert (domain["name"], domain["origin"], domain["broad"]) == ("news.example", "selection", False)
    (harvest,) = office.rows(
        "SELECT harvest.*, schedule.name AS rhythm FROM harvest JOIN schedule ON true "
        "WHERE schedule.id = harvest.schedule"
    )
    assert (harvest["rhythm"], harvest["kind"], harvest["active"]) == ("monthly", "selective", False)


def test_a_second_transfer_changes_nothing(office: Office) -> None:
    for number in range(5):
        office.library.record(f"https://site{number}.example/a b?ü", frequency=Frequency.WEEKLY)
    office.transfer()
    before = office.planned()
    audited = office.rows("SELECT count(*) AS n FROM audit WHERE action NOT LIKE 'transfer.%'")
    again = office.transfer()
    assert told(again) == {}
    assert again.handled == 5
    assert office.planned() == before
    after = office.rows("SELECT count(*) AS n FROM audit WHERE action NOT LIKE 'transfer.%'")
    assert after == audited
    assert office.counts() == {}


def test_records_of_several_collections_live_side_by_side_on_one_domain(office: Office) -> None:
    first = office.library.record("https://example.org/press", depth=Depth.PATH)
    second = office.library.record("https://www.example.org/", office.library.arts, budget=Budget.LARGE)
    office.transfer()
    assert len(office.rows("SELECT * FROM domain")) == 1
    assert office.members(MONTHLY) == {f"selection {first.id}"}
    assert office.members("Arts · monthly") == {f"selection {second.id}"}
    assert office.configuration(second.id).max_objects == 500_000


def test_what_changed_in_a_record_is_changed_in_planning(office: Office) -> None:
    made = office.library.record("https://news.example/")
    office.transfer()
    office.library.records.change_fields(
        office.library.cora,
        made.id,
        {
            "budget": Budget.MEDIUM,
            "frequency": Frequency.WEEKLY,
            "further": (Further("https://news.example/b"),),
        },
    )
    assert office.counts() == {"taken-out": 1}  # nobody has seen the further address answer
    office.library.saw(made.id)
    office.library.records.decide(office.library.cora, [made.id], RecordState.VALIDATED)
    (entry,) = office.house.transfer.transfers.preview().entries
    assert entry.kind is TransferKind.CHANGED
    changes = {one.name: (one.old, one.new) for one in entry.changes}
    assert changes == {
        "seeds": ("https://news.example/", "https://news.example/\nhttps://news.example/b"),
        "max_objects": (5_000, 50_000),
        "max_bytes": (500_000_000, 5_000_000_000),
        "harvest": (MONTHLY, "Press · weekly"),
    }
    assert told(office.transfer()) == {"changed": 1}
    assert office.members(MONTHLY) == set()
    assert office.members("Press · weekly") == {f"selection {made.id}"}
    assert office.configuration(made.id).max_objects == 50_000
    assert office.counts() == {}


@pytest.mark.parametrize("how", ["inactive", "refused", "collection"])
def test_what_is_no_longer_wanted_is_taken_out_and_comes_back(office: Office, how: str) -> None:
    library = office.library
    made = library.record("https://news.example/")
    office.transfer()

    def turn(wanted: bool) -> None:
        if how == "inactive":
            library.records.change_fields(library.cora, made.id, {"active": wanted})
        elif how == "refused":
            state = RecordState.VALIDATED if wanted else RecordState.REFUSED
            library.records.decide(library.cora, [made.id], state, "" if wanted else "Out of scope.")
        else:
            library.collections.change(SYSTEM, library.press.id, Choices("Press", active=wanted))

    turn(False)
    assert office.counts() == {"taken-out": 1}
    office.transfer()
    assert office.configuration(made.id).active is False
    assert office.members(MONTHLY) == set()
    assert office.counts() == {}
    turn(True)
    assert told(office.transfer()) == {"changed": 1}
    assert office.configuration(made.id).active is True
    assert office.members(MONTHLY) == {f"selection {made.id}"}


def test_a_record_with_another_domain_leaves_the_old_one(office: Office) -> None:
    made = office.library.record("https://news.example/")
    office.transfer()
    office.library.records.change_fields(office.library.cora, made.id, {"address": "https://daily.example/"})
    assert office.counts() == {"taken-out": 1}  # nobody has seen the new address answer
    office.library.saw(made.id)
    office.library.records.decide(office.library.cora, [made.id], RecordState.VALIDATED)
    assert office.counts() == {"taken-out": 1, "made": 1}
    office.transfer()
    active = office.rows(
        "SELECT domain.name FROM configuration JOIN domain ON domain.id = configuration.domain "
        "WHERE configuration.active AND configuration.name LIKE 'selection%'"
    )
    assert active == [{"name": "daily.example"}]
    assert office.counts() == {}


def test_what_a_person_changed_in_planning_stays_and_is_said(office: Office) -> None:
    made = office.library.record("https://news.example/")
    office.transfer()
    found, configurations = office.configuration(made.id), office.house.domains.configurations
    configurations.change(SYSTEM, found.domain, found.id, settled(found, max_objects=77, active=False))
    harvest = office.house.harvests.named(MONTHLY)
    office.house.harvests.remove_configurations(SYSTEM, harvest.id, [found.id])
    office.library.records.change_fields(office.library.cora, made.id, {"budget": Budget.LARGE})
    done = office.transfer()
    assert told(done) == {"changed": 1, "conflict": 1}
    (line,) = office.house.transfer.transfers.lines(done.id, TransferKind.CONFLICT, limit=10)
    assert {one.name: (one.old, one.new) for one in line.changes} == {
        "max_objects": (77, 500_000),
        "active": (False, True),
        "harvest": (None, MONTHLY),
    }
    after = office.configuration(made.id)
    assert (after.max_objects, after.max_bytes, after.active) == (77, 50_000_000_000, False)
    assert office.members(MONTHLY) == set()
    assert told(office.transfer()) == {"conflict": 1}


@pytest.mark.parametrize("side", list(Side))
def test_a_person_settles_a_conflict(office: Office, side: Side) -> None:
    made = office.library.record("https://news.example/")
    office.transfer()
    found = office.configuration(made.id)
    office.house.domains.configurations.change(SYSTEM, found.domain, found.id, settled(found, max_objects=77))
    conflicts = Conflicts(office.house.database, office.house.transfer.desk)
    assert conflicts.settle(SYSTEM, made.id, side) == 1
    assert office.counts() == ({} if side is Side.PLANNING else {"changed": 1})
    office.transfer()
    assert office.configuration(made.id).max_objects == (77 if side is Side.PLANNING else 5_000)
    assert office.counts() == {}


def test_an_inactive_domain_is_left_alone_and_said(office: Office) -> None:
    made = office.library.record("https://news.example/")
    office.transfer()
    number = office.configuration(made.id).domain
    office.house.domains.change(SYSTEM, number, DomainFacts(active=False))
    assert told(office.transfer()) == {"conflict": 1}
    assert office.house.domains.get(number).active is False


def test_one_odd_record_stops_none_of_the_others(office: Office) -> None:
    odd = office.library.record("https://intranet/")  # planning takes no host without a dot
    taken = office.library.record("https://taken.example/")
    domain = office.house.domains.create(SYSTEM, "taken.example")
    office.house.domains.configurations.add_seed_list(
        SYSTEM, domain.id, f"selection {taken.id}", "https://taken.example/"
    )
    good = office.library.record("https://good.example/")
    done = office.transfer()
    assert told(done) == {"made": 1, "unable": 1, "failed": 1}
    lines = office.house.transfer.transfers.lines(done.id, None, limit=10)
    reasons = {one.record: str(one.reason) for one in lines}
    assert "intranet" in reasons[odd.id]
    assert "already" in reasons[taken.id]
    assert office.configuration(good.id).active


def test_what_has_no_mapping_is_named_with_its_reason(office: Office) -> None:
    office.library.record("https://news.example/", depth=Depth.PAGE)
    with office.house.database.transaction() as connection:
        connection.exec_driver_sql("UPDATE selection_rule SET profile = 'gone' WHERE depth = 'page'")
    done = office.transfer()
    assert told(done) == {"unable": 1}
    (line,) = office.house.transfer.transfers.lines(done.id, None, limit=10)
    assert "“gone”" in str(line.reason)
    assert office.rows("SELECT * FROM domain") == []


def test_an_interrupted_transfer_goes_on_where_it_was(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("armarium.selection.transfer.service.BATCH", 2)
    for number in range(5):
        office.library.record(f"https://site{number}.example/")
    transfers = office.house.transfer.transfers
    number = transfers.start(SYSTEM).id
    with pytest.raises(TaskStopped):
        transfers.carry_out(number, lambda: True)
    assert transfers.get(number).handled == 2
    transfers.carry_out(number)
    done = transfers.get(number)
    assert (done.state, done.handled, told(done)) == (TransferState.DONE, 5, {"made": 5})
    assert len(office.members(MONTHLY)) == 5


def test_one_transfer_waits_at_a_time(office: Office) -> None:
    office.house.transfer.transfers.start(SYSTEM)
    with pytest.raises(Refused, match="already waiting"):
        office.house.transfer.transfers.start(SYSTEM)


def test_a_transfer_of_one_collection_leaves_the_others(office: Office) -> None:
    office.library.record("https://news.example/")
    office.library.record("https://music.example/", office.library.arts)
    assert told(office.transfer(office.library.arts.id)) == {"made": 1}
    assert office.members(MONTHLY) == set()
    assert office.counts() == {"made": 1}
