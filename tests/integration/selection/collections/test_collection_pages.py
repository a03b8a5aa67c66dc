"""The pages of collections and of the matrix, on the running site."""

import pytest

from armarium.accounts.model import Role
from armarium.core.actor import SYSTEM
from armarium.selection.collections.model import EVERYTHING, MemberChange, key_of
from armarium.selection.model import Combination
from tests.integration.selection.world import TOO_MUCH, World
from tests.site import Client, RunningSite

NEW = {
    "name": "Radio",
    "description": "Stations and podcasts.",
    "themes": "Music\nTalk",
    "default_theme": "Talk",
    "budgets": ["small", "medium"],
    "frequencies": ["weekly", "monthly"],
    "depths": ["path", "host"],
    "default_budget": "small",
    "default_frequency": "monthly",
    "default_depth": "host",
    "active": "yes",
}


@pytest.fixture
def client(site: RunningSite, library: World) -> Client:
    return site.signed_in("adm", Role.ADMINISTRATOR)


def may(*but: Combination) -> list[str]:
    return [key_of(one) for one in EVERYTHING if one not in but]


def test_a_collection_is_made_by_a_form(client: Client, library: World) -> None:
    answer = client.submit("/selection/collections/new", NEW)
    assert answer.status_code == 303
    made = library.collections.named("Radio")
    assert answer.headers["location"] == f"/selection/collections/{made.id}/members"
    assert [theme.name for theme in made.themes] == ["Music", "Talk"]
    assert made.default_theme == made.themes[1].id
    assert made.depths == ("path", "host")
    shown = client.get(f"/selection/collections/{made.id}").text
    assert "Stations and podcasts." in shown
    assert "Collection created" in shown


def test_what_is_wrong_is_said_and_nothing_typed_is_lost(client: Client, library: World) -> None:
    answer = client.submit("/selection/collections/new", {**NEW, "default_depth": "domain"})
    assert answer.status_code == 422
    assert "The default must be one of the allowed values." in answer.text
    assert "Stations and podcasts." in answer.text
    assert 'value="medium" checked' in answer.text.replace("\n", "")
    assert 'value="large" checked' not in answer.text.replace("\n", "")
    answer = client.submit("/selection/collections/new", {**NEW, "name": "press"})
    assert "There is a collection named press already." in answer.text


def test_a_collection_is_changed_by_a_form(client: Client, library: World) -> None:
    address = f"/selection/collections/{library.press.id}/edit"
    values = {**NEW, "name": "Newspapers", "seen": library.press.edition}
    assert client.submit(address, values).status_code == 303
    changed = library.collections.get(library.press.id)
    assert (changed.name, changed.frequencies) == ("Newspapers", ("weekly", "monthly"))
    assert [theme.name for theme in changed.active_themes] == ["News", "Opinion"]
    again = client.submit(address, values)
    assert again.status_code == 422
    assert "Somebody changed this collection meanwhile." in again.text


def test_themes_are_renamed_ordered_and_taken_out_of_use(client: Client, library: World) -> None:
    made = library.record("https://a.example/")
    news, opinion = library.press.themes
    address = f"/selection/collections/{library.press.id}/themes"
    values = {
        f"name-{news.id}": "Daily news",
        f"place-{news.id}": "2",
        f"active-{news.id}": "yes",
        f"name-{opinion.id}": "Opinion",
        f"place-{opinion.id}": "1",
        "usual": str(news.id),
        "more": "Weather\nSports",
        "seen": str(library.press.edition),
    }
    assert client.submit(address, values).status_code == 303
    changed = library.collections.get(library.press.id)
    assert [(theme.name, theme.active) for theme in changed.themes] == [
        ("Opinion", False),
        ("Daily news", True),
        ("Weather", True),
        ("Sports", True),
    ]
    assert changed.default_theme == news.id
    assert library.records.get(made.id).theme_name == "Daily news"
    wrong = client.submit(address, {f"place-{news.id}": "first", "seen": str(changed.edition)})
    assert wrong.status_code == 422
    assert "A place is a whole number" in wrong.text


def test_members_are_added_several_at_once_and_removed(client: Client, library: World) -> None:
    address = f"/selection/collections/{library.press.id}/members"
    values = {
        "account": ["ben, cora", ""],
        "group": ["cn=Press,ou=groups", ""],
        "remove": [str(library.numbers["ada"])],
    }
    assert client.submit(address, values).status_code == 303
    assert [name for _, name, _ in library.collections.members(library.press.id)] == ["ben", "cora"]
    assert library.collections.member_groups(library.press.id) == ["cn=Press,ou=groups"]
    page = client.get(address).text
    assert '<option value="ada">Ada</option>' in page, "accounts are suggested"
    assert '<option value="cn=Press,ou=groups">' in page, "groups are suggested"
    wrong = client.submit(address, {"account": ["ada nobody"], "group": ["cn=Kept"]})
    assert wrong.status_code == 422
    assert "There is no account in use named nobody." in wrong.text
    assert 'value="ada nobody"' in wrong.text
    assert 'value="cn=Kept"' in wrong.text


def test_a_librarian_reads_and_tries_and_changes_nothing(site: RunningSite, library: World) -> None:
    client = site.signed_in("lia", Role.LIBRARIAN)
    library.collections.change_members(SYSTEM, library.press.id, MemberChange(add=("lia",)))
    library.record("https://a.example/")
    listed = client.get("/selection/collections").text
    assert "Yours" in listed
    assert "New collection" not in listed
    address = f"/selection/collections/{library.press.id}"
    page = client.get(address).text
    assert f"/selection/records?collection={library.press.id}&amp;theme={library.press.themes[0].id}" in page
    assert "Name and settings" not in page
    tried = client.get(f"{address}?budget=large&frequency=daily&depth=domain").text
    assert "More than a crawler can do in a day." in tried
    assert "Possible instead:" in tried
    tried = client.get(f"{address}?budget=small&frequency=daily&depth=page%2B1").text
    assert "Small · Daily · Page and what it links to is allowed here." in tried
    for path in ("/new", f"/{library.press.id}/edit", f"/{library.press.id}/themes"):
        assert client.submit(f"/selection/collections{path}", NEW).status_code == 403
        assert client.get(f"/selection/collections{path}").status_code == 403
    assert client.submit("/selection/matrix", {"may": may()}).status_code == 403
    assert client.submit("/selection/matrix/save", {}).status_code == 403
    assert "More than a crawler can do in a day." in client.get("/selection/matrix").text
    assert library.collections.matrix().refused == {TOO_MUCH: "More than a crawler can do in a day."}


def test_a_matrix_is_reviewed_before_it_is_saved(client: Client, library: World) -> None:
    made = library.record("https://a.example/", depth="page+1")
    known = library.collections.matrix()
    values = {
        "may": may(TOO_MUCH, made.combination),
        "reason": "Too little.",
        "reason-1": known.refused[TOO_MUCH],
        "seen": known.mark,
    }
    review = client.submit("/selection/matrix", values)
    assert review.status_code == 200
    assert "Nothing is saved yet." in review.text
    assert "1 record has a combination that is no longer allowed." in review.text
    link = "/selection/records?budget=small&amp;frequency=monthly&amp;depth=page%2B1"
    assert link in review.text
    assert library.collections.matrix() == known
    saved = {
        "cells-1": key_of(TOO_MUCH),
        "reason-1": known.refused[TOO_MUCH],
        "cells-2": key_of(made.combination),
        "reason-2": "",
        "seen": known.mark,
    }
    asked = client.submit("/selection/matrix/save", saved)
    assert asked.status_code == 422
    assert "Say why Small · Monthly · Page and what it links to cannot be chosen" in asked.text
    assert client.submit("/selection/matrix/save", {**saved, "reason-2": "Too little."}).status_code == 303
    assert library.collections.matrix().refused == {**known.refused, made.combination: "Too little."}
    stale = client.submit("/selection/matrix/save", {**saved, "reason-2": "Other."})
    assert stale.status_code == 422
    assert "Somebody has changed the allowed combinations in the meantime." in stale.text


def test_a_matrix_as_it_was_is_not_saved_again(client: Client, library: World) -> None:
    known = library.collections.matrix()
    values = {"may": may(TOO_MUCH), "reason-1": known.refused[TOO_MUCH], "seen": known.mark}
    answer = client.submit("/selection/matrix", values)
    assert answer.status_code == 303
    assert "Nothing was changed" in client.get("/selection/matrix").text


def test_a_review_names_the_collections_whose_usual_choice_would_go(client: Client, library: World) -> None:
    known = library.collections.matrix()
    values = {
        "may": may(TOO_MUCH, library.press.usual),
        "reason-1": known.refused[TOO_MUCH],
        "seen": known.mark,
    }
    review = client.submit("/selection/matrix", values).text
    assert f'<a href="/selection/collections/{library.press.id}/edit">Press</a>' in review
    assert "No record has any of these combinations." in review
