"""Pages and API of accounts, as an administrator uses them."""

import re
from concurrent.futures import ThreadPoolExecutor

from armarium.accounts.model import Account, Profile, Role
from armarium.core.actor import SYSTEM
from tests.integration.web.steps import assert_clear, audited, enter, enter_as, rows
from tests.site import PASSWORD, Client, RunningSite

ACCOUNTS = "/administration/accounts"


def form_for(name: str, *roles: Role, **more: str) -> dict[str, object]:
    given = {"name": name, "display_name": "", "mail": "", "language": "", "active": "yes"}
    return {**given, "roles": [role.value for role in roles], **more}


def administrators(site: RunningSite) -> list[str]:
    found = rows(site, "SELECT name FROM account WHERE active AND roles @> '{administrator}' ORDER BY name")
    return [name for (name,) in found]


def able_administrator(site: RunningSite, name: str) -> Account:
    return site.house.accounts.get(site.account(name, Role.ADMINISTRATOR))


def test_an_invited_person_sets_a_password_and_is_in(site: RunningSite) -> None:
    chief = enter(site, "chief", Role.ADMINISTRATOR)
    answer = chief.submit(f"{ACCOUNTS}/new", form_for("zoe", Role.READER, display_name="Zoë 佐"))
    assert answer.status_code == 200
    link = re.search(r'value="(http[^"]+/welcome/[\w-]+)"', answer.text)
    assert link
    assert "Invited" in chief.get(ACCOUNTS).text
    zoe = site.client()
    token = re.search(r'name="csrf_token" value="([^"]+)"', zoe.get(link[1]).text)
    assert token
    done = zoe.post(link[1], data={"csrf_token": token[1], "password": PASSWORD, "repeat": PASSWORD})
    assert done.status_code == 303
    assert "Zoë 佐" in zoe.get("/account").text


def test_what_was_typed_stays_when_something_is_wrong(site: RunningSite) -> None:
    chief = enter(site, "chief", Role.ADMINISTRATOR)
    for wrong, sentence in (
        ({"name": "a b"}, "A name has 1 to 64"),
        ({"name": "chief"}, "The name chief is taken."),
        ({"mail": "nonsense"}, "does not look like an email address"),
        ({"language": "tlh"}, "is not available"),
        ({"roles": "king"}, "There is no role named king."),
    ):
        values = {**form_for("zoe", Role.CURATOR, display_name="Zoë"), **wrong}
        answer = chief.submit(f"{ACCOUNTS}/new", values)
        assert answer.status_code == 422
        assert sentence in answer.text
        assert 'value="Zoë"' in answer.text
    assert rows(site, "SELECT count(*) FROM account") == [(1,)]


def test_the_last_administrator_cannot_be_removed(site: RunningSite) -> None:
    chief = enter_as(site, able_administrator(site, "chief"))
    blocked = form_for("chief", Role.ADMINISTRATOR)
    del blocked["active"]  # a box that is not ticked is not sent
    for values in (form_for("chief", Role.READER), blocked):
        answer = chief.submit(f"{ACCOUNTS}/1", values)
        assert answer.status_code == 422
        assert "last administrator" in answer.text
    proof = {"X-CSRF-Token": chief.token("/account")}
    changes: list[dict[str, object]] = [{"roles": []}, {"roles": ["administrator"], "active": False}]
    for change in changes:
        answer = chief.patch("/api/accounts/1", json={"name": "chief", **change}, headers=proof)
        assert_clear(answer, 422)
    assert administrators(site) == ["chief"]
    assert not audited(site, "account.changed")


def test_an_administrator_without_a_password_does_not_count(site: RunningSite) -> None:
    chief = enter_as(site, able_administrator(site, "chief"))
    chief.submit(f"{ACCOUNTS}/new", form_for("invited", Role.ADMINISTRATOR))
    assert chief.submit(f"{ACCOUNTS}/1", form_for("chief", Role.READER)).status_code == 422
    able_administrator(site, "second")
    assert chief.submit(f"{ACCOUNTS}/1", form_for("chief", Role.READER)).status_code == 303


def test_two_administrators_cannot_remove_each_other_at_the_same_time(site: RunningSite) -> None:
    people = {name: able_administrator(site, name) for name in ("ada", "bob")}

    def demote(by: str, whom: str) -> int:
        client = enter_as(site, people[by])
        return client.submit(f"{ACCOUNTS}/{people[whom].id}", form_for(whom, Role.READER)).status_code

    for _ in range(4):
        with ThreadPoolExecutor(2) as pool:
            answers = sorted(pool.map(demote, ("ada", "bob"), ("bob", "ada")))
        assert answers in ([303, 403], [303, 422])
        assert len(administrators(site)) == 1
        for name, account in people.items():
            site.house.accounts.change(SYSTEM, account.id, Profile(name, "", "", "", account.roles))


def test_a_demotion_is_not_undone_by_saving_ones_own_profile_at_that_moment(site: RunningSite) -> None:
    account = site.house.accounts.create(SYSTEM, Profile("ada", "", "", "", frozenset({Role.ENGINEER})))
    visitor = enter_as(site, account)
    token = visitor.token("/account")

    def save(number: int) -> int:
        values = {"display_name": f"Ada {number}", "mail": "", "language": "", "csrf_token": token}
        return visitor.post("/account/profile", data=values).status_code

    with ThreadPoolExecutor(6) as pool:
        saved = pool.map(save, range(40))
        site.house.accounts.change(SYSTEM, account.id, Profile("ada", "", "", "", frozenset()))
        assert set(saved) == {303}
    assert site.house.accounts.get(account.id).roles == frozenset()


def test_two_accounts_cannot_get_the_same_name_at_the_same_time(site: RunningSite) -> None:
    chief = enter(site, "chief", Role.ADMINISTRATOR)
    proof = {"X-CSRF-Token": chief.token("/account")}

    def create(_: int) -> int:
        return chief.post("/api/accounts", json={"name": "zoe"}, headers=proof).status_code

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(create, range(8))) == [201] + [422] * 7
    others = [site.house.accounts.create(SYSTEM, Profile(f"x{n}", "", "", "", frozenset())) for n in range(4)]

    def rename(number: int) -> int:
        return chief.patch(f"/api/accounts/{number}", json={"name": "ida"}, headers=proof).status_code

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(rename, (account.id for account in others))) == [200] + [422] * 3


def test_the_api_does_what_the_pages_do(site: RunningSite) -> None:
    chief = enter(site, "chief", Role.ADMINISTRATOR)
    chief.headers["X-CSRF-Token"] = chief.token("/account")
    made = chief.post(
        "/api/accounts", json={"name": "zoe", "roles": ["reader"], "mail": "zoe@library.example"}
    )
    assert made.status_code == 201
    zoe = made.json()
    assert (zoe["name"], zoe["display_name"], zoe["has_password"]) == ("zoe", "zoe", False)
    assert chief.get(f"/api/accounts/{zoe['id']}").json() == zoe
    listed = chief.get(
        "/api/accounts", params={"text": "LIBRARY.example", "role": "reader", "state": "invited"}
    )
    assert listed.json() == {"items": [zoe], "total": 1, "next": None}
    assert chief.get("/api/accounts", params={"text": "%"}).json()["total"] == 0  # no wild card
    link = chief.post(f"/api/accounts/{zoe['id']}/link").json()
    assert site.client().get(link["link"]).status_code == 200
    enter_as(site, site.house.accounts.named("zoe"))
    assert chief.delete(f"/api/accounts/{zoe['id']}/sessions").json() == {"ended": 1}
    blocked = chief.patch(f"/api/accounts/{zoe['id']}", json={"name": "zoe", "active": False})
    assert blocked.json()["active"] is False
    assert_clear(chief.post(f"/api/accounts/{zoe['id']}/link"), 422)
    assert_clear(chief.get("/api/accounts/999"), 404)


def test_openapi_describes_every_operation_with_its_permission(site: RunningSite) -> None:
    reader: Client = enter(site, "reader", Role.READER)
    document = reader.get("/api/openapi.json").json()
    assert document["openapi"].startswith("3.")
    operations = [told for item in document["paths"].values() for told in item.values()]
    assert len(operations) > 12
    for told in operations:
        assert told["summary"]
        assert told["x-permission"]
        assert "application/problem+json" in told["responses"]["4XX"]["content"]
    assert all(path.startswith("/api/") for path in document["paths"])
