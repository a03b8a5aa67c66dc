"""What a second look at the house found: each of these once went wrong."""

from concurrent.futures import ThreadPoolExecutor

from armarium.accounts.model import AccountState, Permission, Profile, Role
from armarium.core.actor import SYSTEM
from tests.integration.web.steps import execute, rows
from tests.site import PASSWORD, RunningSite


def test_the_right_password_lets_in_from_several_places_at_once(site: RunningSite) -> None:
    site.account("ada", Role.ADMINISTRATOR)
    clients = [site.client() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda client: client.sign_in("ada").status_code, clients))
    assert answers == [303] * 4


def test_a_page_that_renews_itself_does_not_keep_a_session_alive(site: RunningSite) -> None:
    client = site.signed_in("ada")
    execute(site, "UPDATE session SET last_seen_at = last_seen_at - interval '1 hour'")
    before = rows(site, "SELECT last_seen_at, expires_at FROM session")
    assert client.get("/administration/tasks", headers={"X-Part": "1"}).status_code == 200
    assert rows(site, "SELECT last_seen_at, expires_at FROM session") == before
    client.get("/administration/tasks")
    assert rows(site, "SELECT last_seen_at, expires_at FROM session") != before


def test_failures_dated_in_the_future_hold_nobody_back(site: RunningSite) -> None:
    site.account("ada", Role.ADMINISTRATOR)
    ahead = (
        "INSERT INTO sign_in_failure (name, address, at)"
        " SELECT 'ada', '127.0.0.1', now() + interval '1 year' FROM generate_series(1, 60)"
    )
    execute(site, ahead)
    assert site.client().sign_in("ada").status_code == 303


def test_a_stale_form_does_not_undo_what_somebody_else_did(site: RunningSite) -> None:
    client = site.signed_in("ada")
    number = site.account("bob", Role.READER)
    bob = site.house.accounts.get(number)
    site.house.accounts.change(SYSTEM, number, Profile("bob", "Bob", "", "", bob.roles, active=False))
    form = {"name": "bob", "display_name": "Bob", "mail": "b@library.example", "roles": "reader"}
    late = {**form, "active": "yes", "seen": bob.mark}
    stale = client.submit(f"/administration/accounts/{number}", late)
    assert stale.status_code == 422
    assert "changed this account in the meantime" in stale.text
    assert site.house.accounts.get(number).state is AccountState.BLOCKED


def test_put_wants_everything_and_patch_only_what_changes(site: RunningSite) -> None:
    client = site.signed_in("ada")
    csrf = {"X-CSRF-Token": client.token("/account")}
    number = site.account("bob", Role.CURATOR)
    assert client.put(f"/api/accounts/{number}", json={"name": "bob"}, headers=csrf).status_code == 422
    changed = client.patch(f"/api/accounts/{number}", json={"mail": "b@library.example"}, headers=csrf)
    assert changed.json()["roles"] == ["curator"]
    assert changed.json()["mail"] == "b@library.example"


def test_what_a_button_could_not_do_is_told_on_the_page_that_has_it(site: RunningSite) -> None:
    client = site.signed_in("ada")
    site.house.test_sender.send(SYSTEM)
    page = f"{site.address}/administration/tasks/1"
    token = client.token("/administration/tasks/1")
    proof = {"csrf_token": token}
    refused = client.post("/administration/tasks/1/retry", data=proof, headers={"Referer": page})
    assert refused.status_code == 303
    assert refused.headers["location"] == "/administration/tasks/1"
    assert "only failed and cancelled tasks" in client.get("/administration/tasks/1").text


def test_an_error_page_keeps_the_navigation_of_those_who_are_signed_in(site: RunningSite) -> None:
    client = site.signed_in("lea", Role.MANAGER)
    forbidden = client.get("/administration/accounts")
    assert forbidden.status_code == 403
    assert 'href="/selection/records"' in forbidden.text


def test_a_choice_on_a_page_that_answered_a_form_leads_back_to_a_page(site: RunningSite) -> None:
    client = site.signed_in("ada")
    number = site.account("bob", Role.READER)
    page = f"/administration/accounts/{number}"
    shown = client.post(
        f"{page}/link", data={"csrf_token": client.token(page)}, headers={"Referer": site.address + page}
    )
    assert f'name="back" value="{page}"' in shown.text


def test_a_second_tab_may_sign_in_after_the_first(site: RunningSite) -> None:
    site.account("ada", Role.ADMINISTRATOR)
    client = site.client()
    token = client.token("/sign-in")
    form = {"csrf_token": token, "name": "ada", "password": PASSWORD}
    assert client.post("/sign-in", data=form).status_code == 303
    assert client.post("/sign-in", data=form).status_code == 303


def test_administrators_see_and_revoke_tokens_of_others(site: RunningSite) -> None:
    client = site.signed_in("ada")
    number = site.account("eve", Role.ENGINEER)
    eve = site.house.accounts.get(number)
    new = site.house.tokens.create(SYSTEM, eve, "nightly", [Permission.TASKS_VIEW], None)
    page = f"/administration/accounts/{number}"
    assert "nightly" in client.get(page).text
    assert client.submit(f"{page}/tokens/{new.token.id}/revoke", page=page).status_code == 303
    assert site.house.tokens.identity(new.secret, "127.0.0.1") is None


def test_programs_learn_from_the_description_how_to_show_a_token(site: RunningSite) -> None:
    document = site.signed_in("ada").get("/api/openapi.json").json()
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert document["paths"]["/api/accounts"]["get"]["security"] == [{"token": []}]


def test_a_program_is_told_that_a_date_is_none(site: RunningSite) -> None:
    assert site.signed_in("ada").get("/api/audit?from=junk").status_code == 422
