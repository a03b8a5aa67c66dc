"""The API of collections and of the matrix, with tokens and their scopes."""

import httpx
import pytest

from armarium.accounts.model import Permission, Role
from armarium.core.actor import SYSTEM
from tests.integration.selection.world import World
from tests.site import RunningSite, trusted

P = Permission
REFUSED = {"budget": "large", "frequency": "weekly", "depth": "page+2", "reason": "Too much."}


def api_of(site: RunningSite, role: Role, *scopes: Permission) -> httpx.Client:
    site.account("tom", role)
    owner = site.house.accounts.named("tom")
    secret = site.house.tokens.create(SYSTEM, owner, "test", frozenset(scopes), None).secret
    return httpx.Client(
        base_url=f"{site.address}/api",
        headers={"Authorization": f"Bearer {secret}"},
        timeout=60,
        verify=trusted(),
    )


@pytest.fixture
def api(site: RunningSite, library: World) -> httpx.Client:
    return api_of(site, Role.ADMINISTRATOR, P.SELECTION_VIEW, P.SELECTION_RULES)


def test_a_collection_is_made_read_and_replaced(api: httpx.Client, library: World) -> None:
    given = {"name": "Radio", "themes": ["Music", {"name": "Talk"}], "depths": ["host", "page"]}
    made = api.post("/collections", json=given)
    assert made.status_code == 201, made.text
    shown = made.json()
    assert shown["depths"] == ["page", "host"]
    assert [theme["name"] for theme in shown["themes"]] == ["Music", "Talk"]
    music, talk = shown["themes"]
    put = {
        "name": "Radio and podcasts",
        "themes": [{"id": talk["id"], "name": "Voices"}],
        "default_theme": "Voices",
        "edition": shown["edition"],
    }
    changed = api.put(f"/collections/{shown['id']}", json=put)
    assert changed.status_code == 200, changed.text
    assert changed.json()["themes"] == [
        {"id": talk["id"], "name": "Voices", "active": True},
        {"id": music["id"], "name": "Music", "active": False},
    ]
    assert changed.json()["default_theme"] == "Voices"
    assert len(changed.json()["depths"]) == 6, "what is not said is as in a new one"
    assert api.put(f"/collections/{shown['id']}", json=put).status_code == 422, "an edition of the past"
    again = api.put(f"/collections/{shown['id']}", json={"name": "Radio"}).json()
    assert again["themes"] == changed.json()["themes"], "themes that are not named stay as they were"


def test_a_collection_of_which_only_a_theme_is_said_has_usual_choices_and_pages(
    api: httpx.Client, site: RunningSite, library: World
) -> None:
    answer = api.post("/collections", json={"name": "Radio", "themes": ["Music"]})
    assert answer.status_code == 201, answer.text
    made = answer.json()
    assert (made["default_budget"], made["default_frequency"], made["default_depth"]) == (
        "small",
        "annual",
        "host",
    )
    client = site.signed_in("root")
    for page in (
        f"/selection/enter?collection={made['id']}",
        f"/selection/records/new?collection={made['id']}",
        f"/selection/collections/{made['id']}",
        f"/selection/collections/{made['id']}/edit",
    ):
        assert client.get(page).status_code == 200, page


@pytest.mark.parametrize("name", ["default_budget", "default_frequency", "default_depth"])
@pytest.mark.parametrize("value", ["", None])
def test_no_collection_is_without_a_usual_choice(
    api: httpx.Client, library: World, name: str, value: object
) -> None:
    refused = api.post("/collections", json={"name": "Radio", "themes": ["Music"], name: value})
    assert refused.status_code == 422
    assert name in refused.text


def test_the_list_has_the_figures(api: httpx.Client, library: World) -> None:
    library.record("https://a.example/")
    found = {one["name"]: one for one in api.get("/collections").json()}
    assert found["Press"]["figures"]["records"] == 1
    assert found["Press"]["figures"]["members"] == 1
    assert found["Arts"]["figures"]["records"] == 0
    assert api.get(f"/collections/{library.press.id}").json() == found["Press"]


def test_members_are_replaced(api: httpx.Client, library: World) -> None:
    address = f"/collections/{library.press.id}/members"
    assert api.get(address).json() == {"accounts": ["ada"], "groups": []}
    answer = api.put(address, json={"accounts": ["ben", "Cora"], "groups": ["cn=Press"]})
    assert answer.json() == {"accounts": ["ben", "cora"], "groups": ["cn=Press"]}
    assert api.put(address, json={"accounts": ["nobody"]}).status_code == 422
    assert api.get(address).json()["accounts"] == ["ben", "cora"]
    assert api.put(address, json={}).json() == {"accounts": [], "groups": []}
    assert api.get("/collections/999/members").status_code == 404


def test_the_matrix_is_replaced(api: httpx.Client, library: World) -> None:
    shown = api.get("/matrix").json()
    assert shown["refused"][0]["reason"] == "More than a crawler can do in a day."
    given = {"refused": [REFUSED], "mark": shown["mark"]}
    answer = api.put("/matrix", json=given)
    assert answer.json()["refused"] == [REFUSED]
    assert api.put("/matrix", json=given).status_code == 422, "a mark of the past"
    assert api.put("/matrix", json={"refused": [{**REFUSED, "reason": " "}]}).status_code == 422
    twice = [REFUSED, {**REFUSED, "reason": "Other."}]
    assert api.put("/matrix", json={"refused": twice}).status_code == 422


@pytest.mark.parametrize(
    "given",
    [
        {"name": ""},
        {"name": "Radio"},
        {"name": "press", "themes": ["One"]},
        {"name": "Radio", "themes": ["One"], "budgets": []},
        {"name": "Radio", "themes": ["One"], "budgets": ["huge"]},
        {"name": "Radio", "themes": ["One"], "default_theme": "Two"},
        {"name": "Radio", "themes": ["One"], "edition": 1},
        {"name": "Radio", "themes": [{"name": "One", "id": 999}]},
        {"name": "Radio", "themes": ["One"], "colour": "red"},
    ],
)
def test_bad_documents_are_refused(api: httpx.Client, library: World, given: dict[str, object]) -> None:
    answer = api.post("/collections", json=given)
    assert answer.status_code == 422
    assert answer.json()["detail"]
    assert len(library.collections.all()) == 2


def test_a_token_that_only_reads_changes_nothing(site: RunningSite, library: World) -> None:
    api = api_of(site, Role.ADMINISTRATOR, P.SELECTION_VIEW)
    assert api.get("/collections").status_code == 200
    for answer in (
        api.post("/collections", json={"name": "Radio", "themes": ["One"]}),
        api.put(f"/collections/{library.press.id}", json={"name": "Radio"}),
        api.put(f"/collections/{library.press.id}/members", json={}),
        api.put("/matrix", json={"refused": []}),
    ):
        assert answer.status_code == 403
    assert library.collections.matrix().refused


def test_a_librarian_cannot_give_a_token_what_they_may_not(site: RunningSite, library: World) -> None:
    api = api_of(site, Role.LIBRARIAN, P.SELECTION_VIEW, P.SELECTION_EDIT)
    assert api.get("/matrix").status_code == 200
    assert api.put("/matrix", json={"refused": []}).status_code == 403
