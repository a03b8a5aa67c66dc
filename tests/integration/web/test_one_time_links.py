"""One-time links: for the first administrator, for invited people, for forgotten passwords."""

import re
from concurrent.futures import ThreadPoolExecutor

import httpx

from armarium.accounts import keys
from armarium.accounts.model import Profile, Role
from armarium.core.actor import SYSTEM
from tests.integration.web.steps import Lines, assert_clear, audited, enter, execute, rows
from tests.site import PASSWORD, Client, RunningSite, wait_until

CHOSEN = {"password": PASSWORD, "repeat": PASSWORD}


def first_key(site: RunningSite) -> str:
    link = site.house.accounts.first_link()
    assert link is not None
    return link.key


def open_link(client: Client, key: str, **values: str) -> httpx.Response:
    """Use a link as a person does: look at the page, fill in the form."""
    page = client.get(f"/welcome/{key}")
    token = re.search(r'name="csrf_token" value="([^"]+)"', page.text)
    given = {"csrf_token": token[1] if token else "", **CHOSEN, **values}
    return client.post(f"/welcome/{key}", data=given)


def test_the_first_link_makes_an_administrator_and_works_once(site: RunningSite) -> None:
    key, visitor = first_key(site), site.client()
    assert visitor.get(f"/welcome/{key}").status_code == 200  # looking, as mail programs do, spends nothing
    answer = open_link(visitor, key, name="Ada", display_name="Ada Lovelace")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert visitor.get("/administration/accounts").status_code == 200
    assert_clear(site.client().get(f"/welcome/{key}"), 404)
    assert_clear(open_link_late(site, key), 404)
    assert site.house.accounts.first_link() is None
    [made] = audited(site, "account.created")
    assert (made.actor, made.via, made.address, made.object_name) == ("ada", "page", "127.0.0.1", "ada")


def open_link_late(site: RunningSite, key: str) -> httpx.Response:
    """Send the form of somebody who had the page open before the link died."""
    client = site.client()
    token = client.token("/sign-in")
    return client.post(f"/welcome/{key}", data={**CHOSEN, "csrf_token": token, "name": "late"})


def test_of_two_who_race_for_the_first_administrator_one_wins(site: RunningSite) -> None:
    key = first_key(site)

    def race(name: str) -> int:
        return open_link(site.client(), key, name=name).status_code

    with ThreadPoolExecutor(4) as pool:
        answers = sorted(pool.map(race, ("ada", "bob", "cyd", "dan")))
    assert answers[0] == 303
    assert set(answers[1:]) <= {403, 404}  # 403: the page was gone before there was a form on it
    assert rows(site, "SELECT count(*) FROM account") == [(1,)]


def test_the_first_link_dies_when_an_administrator_is_made_otherwise(site: RunningSite) -> None:
    key = first_key(site)
    site.account("chief", Role.ADMINISTRATOR)
    assert_clear(open_link_late(site, key), 404)
    assert rows(site, "SELECT name FROM account") == [("chief",)]


def test_a_new_link_kills_the_one_before(site: RunningSite) -> None:
    old, new = first_key(site), first_key(site)
    assert_clear(site.client().get(f"/welcome/{old}"), 404)
    assert site.client().get(f"/welcome/{new}").status_code == 200
    ada = site.house.accounts.create(SYSTEM, Profile("ada", "", "", "", frozenset()))
    links = [site.house.accounts.password_link(SYSTEM, ada.id).key for _ in range(2)]
    assert_clear(site.client().get(f"/welcome/{links[0]}"), 404)
    assert open_link(site.client(), links[1]).status_code == 303
    assert site.client().get(f"/welcome/{new}").status_code == 200  # another's link is left alone


def test_an_expired_link_opens_nothing(site: RunningSite) -> None:
    key = first_key(site)
    execute(site, "UPDATE one_time_link SET expires_at = now()")
    assert_clear(site.client().get(f"/welcome/{key}"), 404)
    assert_clear(open_link_late(site, key), 404)


def test_a_link_dies_when_its_account_is_blocked_or_gets_a_password_otherwise(site: RunningSite) -> None:
    accounts = site.house.accounts
    ada = accounts.create(SYSTEM, Profile("ada", "", "", "", frozenset()))
    key = accounts.password_link(SYSTEM, ada.id).key
    accounts.change(SYSTEM, ada.id, Profile("ada", "", "", "", frozenset(), active=False))
    assert_clear(site.client().get(f"/welcome/{key}"), 404)
    accounts.change(SYSTEM, ada.id, Profile("ada", "", "", "", frozenset()))
    assert_clear(site.client().get(f"/welcome/{key}"), 404)
    accounts.use_link(accounts.password_link(SYSTEM, ada.id).key, PASSWORD, "127.0.0.1")
    key = accounts.password_link(SYSTEM, ada.id).key
    accounts.change_password(SYSTEM, ada.id, "another good sentence", keep_session=None)
    assert_clear(site.client().get(f"/welcome/{key}"), 404)


def test_a_link_for_an_account_gives_no_other_name_and_no_role(site: RunningSite) -> None:
    ada = site.house.accounts.create(SYSTEM, Profile("ada", "", "", "", frozenset({Role.READER})))
    key = site.house.accounts.password_link(SYSTEM, ada.id).key
    answer = open_link(site.client(), key, name="chief", roles="administrator", display_name="Chief")
    assert answer.status_code == 303
    after = site.house.accounts.get(ada.id)
    assert (after.name, after.display_name, after.roles) == ("ada", "ada", frozenset({Role.READER}))


def test_wrong_values_leave_the_link_good(site: RunningSite) -> None:
    key, visitor = first_key(site), site.client()
    for values, sentence in (
        ({"name": "ada", "password": "short", "repeat": "short"}, "at least 12 characters"),
        ({"name": "ada", "repeat": "something else"}, "not the same"),
        ({"name": "no spaces, please"}, "A name has 1 to 64"),
        ({"name": "ada", "display_name": "a\u202eb"}, "unprintable"),
    ):
        answer = open_link(visitor, key, **values)
        assert answer.status_code == 422
        assert sentence in answer.text
        assert PASSWORD not in answer.text
    assert open_link(visitor, key, name="ada").status_code == 303


def test_the_key_appears_in_no_log_line_audit_entry_or_referer(lines: Lines, site: RunningSite) -> None:
    chief = enter(site, "chief", Role.ADMINISTRATOR)
    form = {"name": "ada", "display_name": "", "mail": "", "language": "", "roles": "reader"}
    shown = chief.submit("/administration/accounts/new", form).text
    found = re.search(r"/welcome/([\w-]{43})", shown)
    assert found, "the page shows the link this once"
    key = found[1]
    page = site.client().get(f"/welcome/{key}")
    # No page, style or script that the browser fetches from here learns more than the host of this page.
    assert page.headers["referrer-policy"] == "strict-origin"
    assert 'name="referrer"' not in page.text
    assert page.headers["cache-control"] == "no-store"
    open_link(site.client(), key, repeat="something else")
    open_link(site.client(), key)
    assert_clear(site.client().get(f"/welcome/{key}"), 404)
    # The line of a request is written when its answer is already on its way.
    wait_until(lambda: [line["route"] for line in lines.with_event("answered")].count("/welcome/{key}") == 6)
    assert key not in lines.raw
    assert key not in str(audited(site))
    assert key not in chief.get("/administration/accounts/2").text
    [(kept, everything)] = rows(site, "SELECT key_digest, one_time_link::text FROM one_time_link")
    assert kept == keys.digest(key)
    assert key not in everything


def test_an_invented_key_opens_nothing(site: RunningSite) -> None:
    for key in ("x", "x" * 43, "%20", "é", "a" * 5000):
        assert_clear(site.client().get(f"/welcome/{key}"), 404)
