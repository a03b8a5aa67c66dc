"""Requests that another site makes a visitor's browser send (CSRF)."""

from armarium.accounts.model import Permission, Role
from tests.integration.web.steps import Lines, assert_clear, audited, enter, rows, token_of, with_token
from tests.site import Client, RunningSite

CHANGE = "/account/profile"
VALUES = {"display_name": "Mallory", "mail": "", "language": ""}


def name_of(client: Client) -> str:
    return str(client.get("/api/me").json()["account"]["display_name"])


def test_a_form_with_the_token_of_its_page_is_accepted(site: RunningSite) -> None:
    visitor = enter(site, "ada")
    assert visitor.submit(CHANGE, VALUES).status_code == 303
    assert name_of(visitor) == "Mallory"


def test_a_form_without_a_valid_token_changes_nothing(lines: Lines, site: RunningSite) -> None:
    visitor, other = enter(site, "ada"), enter(site, "eve")
    before_sign_in = site.client().token("/sign-in")
    right = visitor.token("/account")
    for token in (
        "",
        "wrong",
        right[:-1],
        right + "x",
        right.swapcase(),
        other.token("/account"),
        before_sign_in,
    ):
        assert_clear(visitor.post(CHANGE, data={**VALUES, "csrf_token": token}), 403)
    assert_clear(visitor.post(CHANGE, data=VALUES), 403)
    assert_clear(visitor.post(CHANGE, data=VALUES, headers={"X-CSRF-Token": "wrong"}), 403)
    assert name_of(visitor) == "ada"
    assert len(lines.with_event("refused as possibly forged")) == 9


def test_the_token_of_another_session_of_the_same_account_is_refused(site: RunningSite) -> None:
    site.account("ada")
    one, two = site.client(), site.client()
    one.sign_in("ada")
    two.sign_in("ada")
    assert_clear(one.post(CHANGE, data={**VALUES, "csrf_token": two.token("/account")}), 403)


def test_the_token_of_before_sign_in_is_worth_nothing_after(site: RunningSite) -> None:
    site.account("ada")
    visitor = site.client()
    early = visitor.token("/sign-in")
    assert visitor.sign_in("ada").status_code == 303
    assert_clear(visitor.post(CHANGE, data={**VALUES, "csrf_token": early}), 403)


def test_a_request_that_another_site_started_is_refused_even_with_the_token(site: RunningSite) -> None:
    visitor = enter(site, "ada")
    values = {**VALUES, "csrf_token": visitor.token("/account")}
    for origin in ("cross-site", "same-site", "anything else"):
        assert_clear(visitor.post(CHANGE, data=values, headers={"Sec-Fetch-Site": origin}), 403)
    assert name_of(visitor) == "ada"
    assert visitor.post(CHANGE, data=values, headers={"Sec-Fetch-Site": "same-origin"}).status_code == 303


def test_a_request_with_the_origin_of_another_site_is_refused_even_with_the_token(site: RunningSite) -> None:
    visitor = enter(site, "ada")
    values = {**VALUES, "csrf_token": visitor.token("/account")}
    port = site.address.rpartition(":")[2]
    for origin in (
        "https://evil.example",
        "null",
        "http://[",
        f"http://localhost.evil.example:{port}",
        "http://localhost:1",
    ):
        headers = {"Origin": origin, "Sec-Fetch-Site": "same-origin"}
        assert_clear(visitor.post(CHANGE, data=values, headers=headers), 403)
    assert name_of(visitor) == "ada"
    assert visitor.post(CHANGE, data=values, headers={"Origin": site.address}).status_code == 303


def test_nobody_can_be_signed_in_or_out_by_another_site(site: RunningSite) -> None:
    site.account("mallory")
    stranger = site.client()
    given = {"name": "mallory", "password": "correct horse battery staple"}
    assert_clear(stranger.post("/sign-in", data=given), 403)
    assert_clear(stranger.post("/sign-in", data={**given, "csrf_token": "x" * 43}), 403)
    visitor = enter(site, "ada")
    assert_clear(visitor.post("/sign-out"), 403)
    assert visitor.get("/account").status_code == 200


def test_the_api_with_a_cookie_needs_the_token_in_a_header(site: RunningSite) -> None:
    chief = enter(site, "chief", Role.ADMINISTRATOR)
    assert_clear(chief.post("/api/accounts", json={"name": "eve"}), 403)
    # What a form of another site could send without asking the browser's leave.
    plain = {"Content-Type": "text/plain"}
    assert_clear(chief.post("/api/accounts/1/link", content='{"name": "eve"}', headers=plain), 403)
    assert rows(site, "SELECT count(*) FROM account") == [(1,)]
    proof = {"X-CSRF-Token": chief.token("/account")}
    assert chief.post("/api/accounts", json={"name": "eve"}, headers=proof).status_code == 201


def test_a_bearer_token_needs_no_further_proof(site: RunningSite) -> None:
    enter(site, "chief", Role.ADMINISTRATOR)
    program = with_token(site, token_of(site, "chief", Permission.ACCOUNTS_MANAGE))
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert program.post("/api/accounts", json={"name": "eve"}, headers=foreign).status_code == 201


def test_a_bad_bearer_token_is_refused_although_a_good_cookie_came_along(site: RunningSite) -> None:
    chief = enter(site, "chief", Role.ADMINISTRATOR)
    proof = {"X-CSRF-Token": chief.token("/account")}
    for shown in ("Bearer arm_wrong", "Bearer", "Basic Y2hpZWY6eA==", "Negotiate", "x"):
        answer = chief.get("/api/accounts", headers={"Authorization": shown})
        assert_clear(answer, 401)
        given = {**proof, "Authorization": shown}
        assert_clear(chief.post("/api/accounts", json={"name": "eve"}, headers=given), 401)
    assert [entry.object_name for entry in audited(site, "account.created")] == ["chief"]
