"""Lists of crawler traps for all domains."""

import pytest

from armarium.accounts.model import Permission, Role
from armarium.core.actor import SYSTEM
from armarium.core.errors import Refused
from armarium.db.database import Database
from armarium.planning.generation.queries import active_traps
from armarium.planning.traps.rules import TrapList
from armarium.planning.traps.service import FROM_JOBS, TrapLists
from tests.integration.web.steps import audited, enter, token_of, with_token
from tests.site import RunningSite

TRAPS = "/planning/traps"


def test_expressions_of_active_lists_are_gathered_each_once(database: Database) -> None:
    lists = TrapLists(database)
    lists.create(SYSTEM, TrapList(name="calendars", expressions=["/calendar/", "  ", "month="]))
    lists.create(SYSTEM, TrapList(name="shops", expressions=["month=", "/cart"]))
    lists.create(SYSTEM, TrapList(name="old", expressions=["/cgi-bin/"], active=False))
    with database.transaction() as connection:
        assert tuple(dict.fromkeys(active_traps(connection))) == ("/calendar/", "month=", "/cart")


def test_a_filter_of_a_job_is_added_once_in_the_transaction_of_its_order(database: Database) -> None:
    lists = TrapLists(database)
    for _ in range(2):
        with database.transaction() as connection:
            lists.add(connection, SYSTEM, "sessionid=")
    with database.transaction() as connection:
        lists.add(connection, SYSTEM, "/print/")
    assert list(lists.named(FROM_JOBS).expressions) == ["sessionid=", "/print/"]
    with pytest.raises(Refused), database.transaction() as connection:
        lists.add(connection, SYSTEM, "(unclosed")


def test_a_wrong_expression_is_named_by_its_line(site: RunningSite) -> None:
    curator = enter(site, "cora", Role.CURATOR)
    given = {"name": "calendars", "description": "", "active": "yes", "expressions": "/good/\n\n(bad"}
    answer = curator.submit(f"{TRAPS}/new", given)
    assert answer.status_code == 422
    assert "line 3" in answer.text.split('id="expressions-wrong"')[1][:200]
    assert curator.submit(f"{TRAPS}/new", {**given, "expressions": "/good/"}).status_code == 303


def test_addresses_are_tried_without_saving_anything(site: RunningSite) -> None:
    curator = enter(site, "cora", Role.CURATOR)
    number = (
        TrapLists(site.house.database)
        .create(SYSTEM, TrapList(name="calendars", expressions=["/calendar/"]))
        .id
    )
    pasted = "http://example.org/calendar/1\nhttp://example.org/news"
    answer = curator.submit(f"{TRAPS}/try", {"urls": pasted})
    assert (answer.text.count("left out"), answer.text.count("followed</span>")) == (1, 1)
    typed = {"name": "calendars", "expressions": "/news", "urls": pasted, "try": "yes"}
    answer = curator.submit(f"{TRAPS}/{number}", typed)
    assert "<code>/news</code>" in answer.text
    assert TrapLists(site.house.database).get(number).expressions == ["/calendar/"]


def test_a_list_is_changed_set_aside_and_its_history_shown(site: RunningSite) -> None:
    curator = enter(site, "cora", Role.CURATOR)
    made = TrapLists(site.house.database).create(
        SYSTEM, TrapList(name="calendars", expressions=["/calendar/"])
    )
    given = {"name": "calendars", "description": "Endless ones.", "expressions": "/cal/", "seen": made.mark}
    assert curator.submit(f"{TRAPS}/{made.id}", given).status_code == 303
    assert curator.submit(f"{TRAPS}/{made.id}", given).status_code == 422  # seen is old by now
    page = curator.get(f"{TRAPS}/{made.id}").text
    assert "Not in use" in page
    assert "List of traps changed" in page
    (entry,) = audited(site, "trap-list.changed")
    assert entry.after["expressions"] == ["/cal/"]
    reader = enter(site, "lib", Role.LIBRARIAN)
    assert reader.submit(f"{TRAPS}/{made.id}", given).status_code == 403
    assert reader.submit(f"{TRAPS}/try", {"urls": "http://example.org/"}).status_code == 200


def test_programs_replace_lists_and_try_addresses(site: RunningSite) -> None:
    enter(site, "cora", Role.CURATOR)
    program = with_token(site, token_of(site, "cora", Permission.PLANNING_VIEW, Permission.PLANNING_RULES))
    made = program.post("/api/traps", json={"name": "calendars", "expressions": ["/calendar/"]})
    assert made.status_code == 201
    verdicts = program.post("/api/traps/try", json={"urls": ["http://a.example/calendar/"]}).json()
    assert verdicts[0]["expression"] == "/calendar/"
    address = f"/api/traps/{made.json()['id']}"
    assert program.put(address, json={"name": "calendars", "expressions": ["a(b"]}).status_code == 422
    assert program.put(address, json={"name": "none", "expressions": []}).json()["expressions"] == []
    assert program.get("/api/traps").json()["total"] == 1
