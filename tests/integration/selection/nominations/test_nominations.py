"""Strangers nominate, librarians decide, and the answer goes by mail."""

import re
from typing import Any

import pytest

from armarium.accounts.model import Permission, Role
from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.core.errors import Forbidden, Refused
from armarium.notify.settings import MailSettings, NotifySettings
from armarium.notify.tasks import Letters
from armarium.selection.collections.model import Choices
from armarium.selection.entry.tables import batch, check
from armarium.selection.model import Origin, RecordState
from armarium.selection.nominations.model import NominationState, Proposal
from armarium.selection.nominations.service import Nominations
from armarium.selection.settings import SelectionSettings
from armarium.server.assembly import TASK_KINDS
from armarium.tasks.service import Tasks
from tests.integration.notify.conftest import Postbox, Serve
from tests.integration.selection.world import World, world
from tests.integration.web.steps import audited, enter, enter_as, rows, token_of, with_token
from tests.site import RunningSite

FILLED = {"address": "https://choir.example/", "title": "Choir", "reason": "It sings.", "name": "Nora"}


def opened(library: World) -> int:
    """Press takes nominations."""
    library.collections.change(SYSTEM, library.press.id, Choices("Press", open_to_nominations=True))
    return library.press.id


def test_the_form_is_there_while_a_collection_is_open(site: RunningSite) -> None:
    library, stranger = world(site.house.database), site.client()
    assert stranger.get("/nominate").status_code == 404
    opened(library)
    answer = stranger.submit("/nominate", FILLED, page="/nominate")
    assert answer.status_code == 200
    assert "Thank you" in answer.text
    assert rows(site, "SELECT address, state, collection FROM selection_nomination") == [
        ("https://choir.example/", "waiting", None)
    ]
    (entry,) = audited(site, "nomination.made")
    assert (entry.object_name, entry.address) == ("Choir", None)  # the log forgets nothing


def test_nonsense_is_told_at_its_field_and_what_was_typed_stays(site: RunningSite) -> None:
    opened(world(site.house.database))
    stranger = site.client()
    for wrong, field in (({"address": "nowhere at all"}, "address"), ({"mail": "nobody"}, "mail")):
        answer = stranger.submit("/nominate", {**FILLED, **wrong}, page="/nominate")
        assert answer.status_code == 422
        assert f'id="{field}-wrong"' in answer.text
        assert "It sings." in answer.text
    forged = stranger.post("/nominate", data={**FILLED, "csrf_token": "x"})
    assert forged.status_code == 403
    assert rows(site, "SELECT id FROM selection_nomination") == []


def test_programs_that_fill_in_everything_are_thanked_and_ignored(site: RunningSite) -> None:
    opened(world(site.house.database))
    answer = site.client().submit(
        "/nominate", {**FILLED, "homepage": "http://spam.example"}, page="/nominate"
    )
    assert "Thank you" in answer.text
    assert rows(site, "SELECT id FROM selection_nomination") == []


def test_one_network_cannot_fill_the_table(site: RunningSite) -> None:
    opened(world(site.house.database))
    stranger = site.client()
    most = SelectionSettings().nominations_per_hour
    answers = [
        stranger.submit("/nominate", {"address": f"https://a{n}.example/"}, page="/nominate").status_code
        for n in range(most + 1)
    ]
    assert answers == [200] * most + [429]


def test_a_librarian_makes_a_record_of_it(site: RunningSite) -> None:
    library = world(site.house.database)
    number = opened(library)
    site.client().submit("/nominate", {**FILLED, "collection": number}, page="/nominate")
    ada = enter_as(site, site.house.accounts.named("ada"))
    assert "Choir" in ada.get("/selection/nominations").text
    page = ada.get("/selection/nominations/1").text
    assert "It sings." in page
    theme = library.press.themes[0].id
    chosen = {
        "collection": number,
        "theme": theme,
        "budget": "small",
        "frequency": "monthly",
        "depth": "host",
    }
    there = "/selection/nominations/1/accept"
    assert ada.submit(there, {**chosen, "address": "", "title": "Choir"}).status_code == 422
    answer = ada.submit(there, {**chosen, "address": FILLED["address"], "title": "Choir"})
    assert answer.status_code == 303
    made = library.records.get(int(answer.headers["location"].rsplit("/", 1)[1]))
    assert (made.title, made.origin, made.state, made.content_notes) == (
        "Choir",
        Origin.NOMINATION,
        RecordState.PROPOSED,
        "It sings.",
    )
    again = ada.submit(there, {**chosen, "address": "https://other.example/"})
    assert again.status_code == 422
    assert "ada has decided" in again.text


def test_a_site_that_a_record_has_is_shown_with_its_picture(site: RunningSite) -> None:
    library = world(site.house.database)
    opened(library)
    known = library.record(FILLED["address"])
    for address in (FILLED["address"], "https://unknown.example/"):
        site.client().submit("/nominate", {"address": address}, page="/nominate")
    seen = {"record": known.id, "key": known.key, "state": "fine", "picture_state": "taken"}
    with site.house.database.transaction() as connection:
        of_press = {"collection": library.press.id, "created_at": clock.now(), "created_by": "ada"}
        connection.execute(batch.insert().values(of_press))
        for line in (1, 2):
            looked = {"batch": 1, "line": line, "typed": known.address, **seen}
            connection.execute(check.insert().values(looked))
    ada = enter_as(site, site.house.accounts.named("ada"))
    assert re.findall(r"/checks/(\d+)/picture", ada.get("/selection/nominations").text) == ["2"]
    assert "/checks/2/picture" in ada.get("/selection/nominations/1").text
    assert "/picture" not in ada.get("/selection/nominations/2").text.replace("/access/pictures", "")


def test_others_collections_are_not_theirs_to_decide_or_to_read(site: RunningSite) -> None:
    library = world(site.house.database)
    number = opened(library)
    site.client().submit("/nominate", {**FILLED, "collection": number}, page="/nominate")
    ben = enter_as(site, site.house.accounts.named("ben"))
    assert "Choir" not in ben.get("/selection/nominations").text
    assert ben.get("/selection/nominations/1").status_code == 403
    assert ben.submit("/selection/nominations/1/decline", {"answer": "No."}).status_code == 403
    assert {entry.actor for entry in audited(site, "selection.denied")} == {"ben"}
    reader = enter(site, "rita", Role.MANAGER)
    assert reader.get("/selection/nominations").status_code == 403


def test_programs_nominate_and_decide_within_the_scopes_of_their_token(site: RunningSite) -> None:
    library = world(site.house.database)
    only_view = with_token(site, token_of(site, "ada", Permission.SELECTION_VIEW))
    assert only_view.get("/api/nominations").status_code == 403
    program = with_token(site, token_of(site, "ada", Permission.SELECTION_EDIT))
    given = {"address": "https://choir.example/", "collection": library.press.id}
    assert program.post("/api/nominations", json=given).status_code == 201
    other = with_token(site, token_of(site, "ben", Permission.SELECTION_EDIT))
    accepted: dict[str, Any] = {"collection": library.arts.id, "theme": library.arts.themes[0].id}
    accepted |= {"budget": "small", "frequency": "monthly", "depth": "host"}
    assert other.post("/api/nominations/1/accept", json=accepted).status_code == 403
    assert program.post("/api/nominations/1/decline", json={"answer": "No."}).json()["state"] == "declined"


def desk(library: World, port: int) -> tuple[Nominations, Letters]:
    tasks = Tasks(library.database, TASK_KINDS)
    chosen = NotifySettings(channels=("mail",), recipients=("ops@library.example",))
    mail = MailSettings(host="localhost", port=port, sender="armarium@library.example")
    letters = Letters(library.database, tasks, chosen, mail)
    return Nominations(library.database, letters, SelectionSettings()), letters


def test_the_answer_goes_by_mail_in_the_language_of_the_nominator(library: World, serve: Serve) -> None:
    postbox = Postbox()
    nominations, letters = desk(library, serve(postbox))
    proposal = Proposal(
        "https://choir.example/", name="Nora", mail="nora@home.example", collection=library.press.id
    )
    made = nominations.nominate(library.cora.actor, proposal, language="en")
    nominations.decline(library.ada, made.id, "We have it already.")
    letters.carry(1)
    letters.carry(1)  # a task may run again
    [letter] = postbox.letters
    assert letter["To"] == "nora@home.example"
    text = letter.get_content()
    assert "Dear Nora," in text
    assert "We have it already." in text
    assert postbox.envelopes[0].rcpt_tos == ["nora@home.example"]


def test_people_are_forgotten_in_time(library: World) -> None:
    nominations, _ = desk(library, 1)
    proposal = Proposal("https://choir.example/", name="Nora", mail="nora@home.example")
    made = nominations.nominate(library.cora.actor, proposal, language="fr")
    with library.database.transaction() as connection:
        connection.exec_driver_sql(
            "UPDATE selection_nomination SET at = at - interval '400 days', origin = 'x'"
        )
    nominations.forget()
    kept = nominations.get(library.cora, made.id)
    assert (kept.name, kept.mail, kept.address) == ("", "", "https://choir.example/")


def test_what_was_decided_stays_decided(library: World) -> None:
    nominations, _ = desk(library, 1)
    made = nominations.nominate(
        library.ada.actor, Proposal("a.example", collection=library.press.id), language=""
    )
    with pytest.raises(Forbidden):
        nominations.accept(library.ben, made.id, library.draft("a.example"))
    nominations.accept(library.ada, made.id, library.draft("a.example"))
    with pytest.raises(Refused, match="already"):
        nominations.decline(library.ada, made.id)
    assert nominations.counts(library.ada)[NominationState.ACCEPTED] == 1
