"""Sessions: how they begin, what they carry, and when they end."""

import re
from pathlib import Path

import httpx

from armarium.accounts import keys
from armarium.accounts.model import Profile, Role
from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from tests.integration.web.steps import audited, enter, enter_as, execute, rows
from tests.site import PASSWORD, Client, RunningSite, running_site

COOKIE = "armarium_session"


def is_in(client: Client) -> bool:
    answer = client.get("/account")
    assert answer.status_code in {200, 303}
    return answer.status_code == 200


def set_cookies(answer: httpx.Response) -> dict[str, str]:
    """Each cookie that an answer sets, with its attributes."""
    lines = answer.headers.get_list("set-cookie")
    return {line.partition("=")[0]: line.partition(";")[2] for line in lines}


def test_a_key_that_was_planted_before_sign_in_opens_nothing(site: RunningSite) -> None:
    site.account("ada")
    planted = keys.new_key()
    victim = site.client()
    victim.cookies.set(COOKIE, planted)
    assert victim.sign_in("ada").status_code == 303
    attacker = site.client()
    attacker.cookies.set(COOKIE, planted)
    assert not is_in(attacker)


def test_signing_in_again_gives_a_new_key_and_ends_the_old_session(site: RunningSite) -> None:
    site.account("ada")
    visitor = site.client()
    visitor.sign_in("ada")
    old, values = visitor.cookies[COOKIE], {"name": "ada", "password": PASSWORD}
    assert visitor.submit("/sign-in", values, page="/account").status_code == 303
    assert visitor.cookies[COOKIE] != old
    assert is_in(visitor)
    leftover = site.client()
    leftover.cookies.set(COOKIE, old)
    assert not is_in(leftover)


def test_signing_out_ends_the_session_on_the_server(site: RunningSite) -> None:
    visitor = enter(site, "ada")
    key = visitor.cookies[COOKIE]
    answer = visitor.submit("/sign-out")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert answer.headers["clear-site-data"] == '"cache"'
    again = site.client()
    again.cookies.set(COOKIE, key)
    assert not is_in(again)
    assert [entry.actor for entry in audited(site, "account.signed_out")] == ["ada"]


def test_the_key_is_stored_only_as_its_digest(site: RunningSite) -> None:
    visitor = enter(site, "ada")
    key = visitor.cookies[COOKIE]
    assert len(key) >= 43  # 256 bits
    [(kept, everything)] = rows(site, "SELECT key_digest, session::text FROM session")
    assert kept == keys.digest(key)
    assert key not in everything


def test_a_session_ends_when_nobody_uses_it(site: RunningSite) -> None:
    visitor = enter(site, "ada")
    execute(site, "UPDATE session SET expires_at = now() - interval '1 second'")
    assert not is_in(visitor)


def test_using_a_session_prolongs_it_but_not_beyond_its_last_day(site: RunningSite) -> None:
    visitor = enter(site, "ada")
    execute(
        site,
        "UPDATE session SET last_seen_at = now() - interval '11 hours',"
        " expires_at = now() + interval '1 hour'",
    )
    assert is_in(visitor)
    [(hours,)] = rows(site, "SELECT round(extract(epoch from expires_at - now()) / 3600) FROM session")
    assert hours == 12
    execute(
        site,
        "UPDATE session SET created_at = now() - interval '6 days 23 hours',"
        " last_seen_at = now() - interval '2 minutes', expires_at = now() + interval '1 hour'",
    )
    assert is_in(visitor)
    [(hours,)] = rows(site, "SELECT round(extract(epoch from expires_at - now()) / 3600) FROM session")
    assert hours == 1


def test_blocking_an_account_ends_its_sessions_at_once_and_for_good(site: RunningSite) -> None:
    visitor = enter(site, "ada", Role.READER)
    account = site.house.accounts.named("ada")
    blocked = Profile("ada", "", "", "", account.roles, active=False)
    site.house.accounts.change(SYSTEM, account.id, blocked)
    assert not is_in(visitor)
    site.house.accounts.change(SYSTEM, account.id, Profile("ada", "", "", "", account.roles))
    assert not is_in(visitor)


def test_changing_the_password_ends_all_other_sessions(site: RunningSite) -> None:
    site.account("ada")
    here, elsewhere = site.client(), site.client()
    here.sign_in("ada")
    elsewhere.sign_in("ada")
    values = {"current": PASSWORD, "password": "another good sentence", "repeat": "another good sentence"}
    assert here.submit("/account/password", values).status_code == 303
    assert is_in(here)
    assert not is_in(elsewhere)
    assert elsewhere.sign_in("ada").status_code == 422
    assert elsewhere.sign_in("ada", "another good sentence").status_code == 303


def test_a_password_is_not_changed_without_the_present_one(site: RunningSite) -> None:
    site.account("ada")
    visitor = site.client()
    visitor.sign_in("ada")
    new = {"password": "another good sentence", "repeat": "another good sentence"}
    answer = visitor.submit("/account/password", {"current": "wrong", **new})
    assert answer.status_code == 422
    assert 'href="#password-current"' in answer.text  # the sentence leads to the field that it speaks of
    assert PASSWORD not in answer.text
    unlike = visitor.submit("/account/password", {**new, "current": PASSWORD, "repeat": "something else"})
    assert unlike.status_code == 422
    assert visitor.submit("/sign-out").status_code == 303
    assert visitor.sign_in("ada").status_code == 303


def test_a_one_time_link_ends_all_sessions(site: RunningSite) -> None:
    visitor = enter(site, "ada")
    account = site.house.accounts.named("ada")
    link = site.house.accounts.password_link(SYSTEM, account.id)
    site.house.accounts.use_link(link.key, PASSWORD, "127.0.0.1")
    assert not is_in(visitor)


def test_people_end_their_own_sessions_but_not_those_of_others(site: RunningSite) -> None:
    ada, eve = enter(site, "ada"), enter(site, "eve")
    elsewhere = enter_as(site, site.house.accounts.named("ada"))
    [(first,)] = rows(site, "SELECT min(id) FROM session")  # ada's
    answer = eve.submit(f"/account/sessions/{first}/end")
    assert answer.status_code == 303
    assert is_in(ada)
    ada.submit("/account/sessions/end-others")
    assert is_in(ada)
    assert not is_in(elsewhere)
    assert is_in(eve)


def test_demotion_counts_for_sessions_that_are_open(site: RunningSite) -> None:
    visitor = enter(site, "ada", Role.ENGINEER)
    assert visitor.get("/administration/settings").status_code == 200
    account = site.house.accounts.named("ada")
    site.house.accounts.change(SYSTEM, account.id, Profile("ada", "", "", "", frozenset({Role.READER})))
    assert visitor.get("/administration/settings").status_code == 403


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(site: RunningSite) -> None:
    site.account("ada")
    visitor = site.client()
    [visit] = set_cookies(visitor.get("/sign-in")).items()
    assert visit[0] == "armarium_visit"
    assert {"httponly", "samesite=strict"} <= attributes(visit[1])
    [session] = set_cookies(visitor.sign_in("ada")).items()
    assert session[0] == COOKIE
    assert {"httponly", "samesite=lax", "path=/"} <= attributes(session[1])
    assert "secure" not in attributes(session[1])  # plain http: a browser would not send it back
    assert not any(part.startswith(("max-age", "expires", "domain")) for part in attributes(session[1]))


def test_behind_https_cookies_are_bound_to_the_host(database: Database, tmp_path: Path) -> None:
    with running_site(database, tmp_path, ARMARIUM_WEB_PUBLIC_URL="https://archive.example") as site:
        site.account("ada")
        asking = site.client()
        form = asking.get("/sign-in")
        cookies = set_cookies(form)
        assert {"secure", "httponly", "path=/"} <= attributes(cookies["__Host-armarium_visit"])
        assert form.headers["strict-transport-security"].startswith("max-age=")
        token = re.search(r'name="csrf_token" value="([^"]+)"', form.text)
        assert token
        # The browser speaks https to a proxy; here is none, so the cookie is sent back by hand.
        proof = {"Cookie": f"__Host-armarium_visit={token[1]}"}
        values = {"name": "ada", "password": PASSWORD, "csrf_token": token[1]}
        answer = httpx.post(f"{site.address}/sign-in", data=values, headers=proof)
        session = attributes(set_cookies(answer)["__Host-armarium_session"])
        assert {"secure", "httponly", "path=/", "samesite=lax"} <= session
        assert not any(part.startswith("domain") for part in session)
        # A cookie without the prefix could come from a neighbouring host: it is not looked at.
        key = re.search(r"__Host-armarium_session=([^;]+)", answer.headers["set-cookie"])
        assert key
        plain = httpx.get(f"{site.address}/account", headers={"Cookie": f"{COOKIE}={key[1]}"})
        assert plain.status_code == 303
        bound = httpx.get(f"{site.address}/account", headers={"Cookie": f"__Host-{COOKIE}={key[1]}"})
        assert bound.status_code == 200


def attributes(text: str) -> set[str]:
    return {part.strip().lower() for part in text.split(";")}


def test_guessing_the_present_password_is_throttled_like_signing_in(site: RunningSite) -> None:
    client = site.signed_in("ada")
    new = {"password": "another good sentence", "repeat": "another good sentence"}
    for _ in range(5):
        assert client.submit("/account/password", {"current": "wrong guess", **new}).status_code == 422
    refused = client.submit("/account/password", {"current": PASSWORD, **new})
    assert "Too many failed attempts" in refused.text
