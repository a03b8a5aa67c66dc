"""API tokens: what they open, and what they never open."""

import re

from armarium.accounts import keys
from armarium.accounts.model import Permission, Profile, Role
from armarium.core.actor import SYSTEM
from tests.integration.web.routes import routes_of
from tests.integration.web.steps import (
    Lines,
    assert_clear,
    audited,
    enter,
    execute,
    rows,
    token_of,
    with_token,
)
from tests.site import RunningSite

P = Permission


def test_a_token_made_on_the_page_works_and_is_stored_only_as_its_digest(
    lines: Lines, site: RunningSite
) -> None:
    visitor = enter(site, "ada", Role.ENGINEER)
    values = {"name": "nightly report", "scopes": ["tasks.view"], "expires": "30"}
    answer = visitor.submit("/account/tokens", values)
    found = re.search(r'value="(arm_[\w-]{43})"', answer.text)
    assert found
    program = with_token(site, found[1])
    assert program.get("/api/me").json()["permissions"] == ["tasks.view"]
    assert program.get("/api/tasks").status_code == 200
    assert_clear(program.get("/api/settings"), 403)
    [(kept, hint, everything)] = rows(site, "SELECT key_digest, hint, api_token::text FROM api_token")
    assert kept == keys.digest(found[1])
    assert found[1].startswith(hint)
    assert found[1] not in everything + str(audited(site)) + visitor.get("/account").text
    assert lines.with_event("answered")
    assert found[1] not in lines.raw
    [made] = audited(site, "token.created")
    assert made.after == {"owner": "ada", "name": "nightly report", "scopes": ["tasks.view"]}


def test_scopes_are_cut_by_the_roles_that_the_owner_has_today(site: RunningSite) -> None:
    enter(site, "ada", Role.ENGINEER)
    program = with_token(site, token_of(site, "ada", P.TASKS_VIEW, P.SETTINGS_VIEW))
    assert program.get("/api/settings").status_code == 200
    ada = site.house.accounts.named("ada")
    site.house.accounts.change(SYSTEM, ada.id, Profile("ada", "", "", "", frozenset({Role.CURATOR})))
    assert program.get("/api/me").json()["permissions"] == ["tasks.view"]
    assert_clear(program.get("/api/settings"), 403)


def test_a_token_cannot_be_made_for_more_than_its_owner_may(site: RunningSite) -> None:
    visitor = enter(site, "ada", Role.CURATOR)
    for scopes, sentence in (
        (["accounts.manage"], "cannot do more than its owner"),
        ([], "at least one scope"),
        (["invented"], "at least one scope"),
    ):
        answer = visitor.submit("/account/tokens", {"name": "x", "scopes": scopes, "expires": "30"})
        assert answer.status_code == 422
        assert sentence in answer.text.replace("&#39;", "'")
    wrong_life = {"name": "x", "scopes": "tasks.view", "expires": "99999"}
    assert visitor.submit("/account/tokens", wrong_life).status_code == 422
    assert rows(site, "SELECT count(*) FROM api_token") == [(0,)]


def test_a_token_that_is_revoked_expired_or_whose_owner_is_blocked_is_refused(site: RunningSite) -> None:
    visitor = enter(site, "ada", Role.ENGINEER)
    programs = [with_token(site, token_of(site, "ada", P.TASKS_VIEW)) for _ in range(3)]
    assert all(program.get("/api/tasks").status_code == 200 for program in programs)
    assert visitor.submit("/account/tokens/1/revoke").status_code == 303
    assert_clear(programs[0].get("/api/tasks"), 401)
    execute(site, "UPDATE api_token SET expires_at = now() WHERE id = 2")
    assert_clear(programs[1].get("/api/tasks"), 401)
    execute(site, "UPDATE account SET active = false")
    assert_clear(programs[2].get("/api/tasks"), 401)


def test_nobody_revokes_the_token_of_another(site: RunningSite) -> None:
    enter(site, "ada", Role.ENGINEER)
    secret = token_of(site, "ada", P.TASKS_VIEW)
    eve = enter(site, "eve", Role.ADMINISTRATOR)
    assert_clear(eve.submit("/account/tokens/1/revoke"), 404)
    assert with_token(site, secret).get("/api/tasks").status_code == 200


def test_a_token_cannot_make_tokens_change_the_password_or_see_ones_own_account(site: RunningSite) -> None:
    """Whoever finds a token must not be able to turn it into something that outlives it."""
    enter(site, "chief", Role.ADMINISTRATOR)
    program = with_token(site, token_of(site, "chief", *Permission))
    own = [route for route in routes_of(site.app) if route.path.startswith("/account")]
    assert len(own) >= 7
    for route in own:
        values = {"name": "more", "scopes": "accounts.manage", "expires": "30", "display_name": "Eve"}
        path = route.path.replace("{number}", "1")
        given = {"data": values} if route.method == "POST" else {}
        assert_clear(program.request(route.method, path, **given), 403)  # type: ignore[arg-type]
    assert_clear(program.get("/live", params={"topic": "tasks"}), 403)
    assert program.post("/preferences", data={"language": "en"}).status_code == 303
    assert rows(site, "SELECT count(*) FROM api_token") == [(1,)]
    assert [entry.action for entry in audited(site, "account.")] == ["account.created", "account.signed_in"]


def test_a_token_opens_pages_only_as_far_as_its_scopes_go(site: RunningSite) -> None:
    enter(site, "chief", Role.ADMINISTRATOR)
    program = with_token(site, token_of(site, "chief", P.AUDIT_VIEW))
    assert program.get("/administration/audit.csv").status_code == 200
    assert_clear(program.get("/administration/settings"), 403)
    assert_clear(program.post("/administration/accounts/new", data={"name": "eve"}), 403)


def test_a_token_makes_no_account_that_may_do_more_than_itself(site: RunningSite) -> None:
    """Otherwise it would make an administrator, sign in as that one, and be everything."""
    enter(site, "chief", Role.ADMINISTRATOR)
    program = with_token(site, token_of(site, "chief", P.ACCOUNTS_VIEW, P.ACCOUNTS_MANAGE))
    for roles in (["administrator"], ["engineer"], ["reader", "curator"]):
        assert_clear(program.post("/api/accounts", json={"name": "eve", "roles": roles}), 403)
        form = {"name": "eve", "roles": roles}
        assert_clear(program.post("/administration/accounts/new", data=form), 403)
    made = program.post("/api/accounts", json={"name": "reader", "roles": ["reader"]})
    assert made.status_code == 201
    number = made.json()["id"]
    promoted = {"name": "reader", "roles": ["administrator"]}
    assert_clear(program.patch(f"/api/accounts/{number}", json=promoted), 403)
    assert program.post(f"/api/accounts/{number}/link").status_code == 200


def test_a_token_takes_over_no_account_that_may_do_more_than_itself(site: RunningSite) -> None:
    enter(site, "chief", Role.ADMINISTRATOR)
    program = with_token(site, token_of(site, "chief", P.ACCOUNTS_VIEW, P.ACCOUNTS_MANAGE))
    assert_clear(program.post("/api/accounts/1/link"), 403)
    assert_clear(program.post("/administration/accounts/1/link"), 403)
    assert_clear(program.patch("/api/accounts/1", json={"name": "chief", "roles": []}), 403)
    assert_clear(program.post("/administration/accounts/1", data={"name": "chief"}), 403)
    assert rows(site, "SELECT count(*) FROM one_time_link") == [(0,)]


def test_the_last_use_of_a_token_is_noted(site: RunningSite) -> None:
    enter(site, "ada", Role.ENGINEER)
    program = with_token(site, token_of(site, "ada", P.TASKS_VIEW))
    assert rows(site, "SELECT last_used_at FROM api_token") == [(None,)]
    program.get("/api/me")
    assert rows(site, "SELECT last_used_at > now() - interval '1 minute' FROM api_token") == [(True,)]
