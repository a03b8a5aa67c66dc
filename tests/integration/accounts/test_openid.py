"""Signing in by OpenID Connect, at a provider that lies in every way in which one can lie."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from armarium.accounts.directory.provider import RELOAD_EVERY
from armarium.accounts.model import Role, Source
from armarium.db.database import Database
from tests.integration.web.steps import Lines, audited, execute, rows
from tests.site import Client, RunningSite, running_site, trusted
from tests.sites.certificates import Authority
from tests.sites.forging_provider import CLIENT, SECRET, Forger, Person, new_key, running_forger


def environ_of(forger: Forger) -> dict[str, str]:
    return {
        "ARMARIUM_OPENID_ISSUER": forger.issuer,
        "ARMARIUM_OPENID_TITLE": "the library's card",
        "ARMARIUM_OPENID_CLIENT_ID": CLIENT,
        "ARMARIUM_OPENID_CLIENT_SECRET": SECRET,
        "ARMARIUM_OPENID_ROLES": "curators = curator",
    }


@pytest.fixture
def forger() -> Iterator[Forger]:
    with running_forger() as running:
        yield running


@pytest.fixture
def openid_site(database: Database, tmp_path: Path, forger: Forger) -> Iterator[RunningSite]:
    with running_site(database, tmp_path / "home", **environ_of(forger)) as running:
        yield running


def departed(visitor: Client, target: str = "/account") -> str:
    """Press the button; the provider's address to which the browser is sent."""
    answer = visitor.get("/sign-in/openid", params={"next": target})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def sent_back(departure: str) -> str:
    """What the provider lets the browser open."""
    return httpx.get(departure, trust_env=False, verify=trusted()).headers["location"]


def sign_in(visitor: Client, target: str = "/account") -> httpx.Response:
    return visitor.get(sent_back(departed(visitor, target)))


def accounts(site: RunningSite) -> int:
    return int(rows(site, "SELECT count(*) FROM account")[0][0])


def test_the_way_there_and_back_makes_an_account_with_the_roles_of_the_groups(
    openid_site: RunningSite, forger: Forger
) -> None:
    visitor = openid_site.client()
    assert "Sign in with the library&#39;s card" in visitor.get("/sign-in").text
    answer = sign_in(visitor)
    assert (answer.status_code, answer.headers["location"]) == (303, "/account")
    assert "armarium_openid" not in visitor.cookies
    account = openid_site.house.accounts.named("anna")
    assert (account.source, account.subject) == (Source.OPENID, f"{forger.issuer} 0815")
    assert (account.roles, account.display_name) == (frozenset({Role.CURATOR}), "Anna")
    assert "curators" in visitor.get("/account").text
    assert sign_in(openid_site.client()).status_code == 303
    assert accounts(openid_site) == 1
    visitor.submit("/sign-out")
    assert visitor.get("/account").status_code == 303


def test_what_is_asked_of_the_provider_proves_the_browser_and_tells_no_secret(
    openid_site: RunningSite,
) -> None:
    visitor = openid_site.client()
    departure = urlsplit(departed(visitor))
    asked = {name: values[0] for name, values in parse_qs(departure.query).items()}
    assert asked["tenant"] == "1"  # what the provider's address had before
    assert asked["redirect_uri"] == f"{openid_site.address}/sign-in/openid/answer"
    assert asked["scope"] == "openid profile email"
    assert len({asked["state"], asked["nonce"], asked["code_challenge"]}) == 3
    key = visitor.cookies["armarium_openid"]
    assert key not in departure.query
    assert SECRET not in departure.query


def test_the_cookie_of_the_way_is_for_our_server_alone(openid_site: RunningSite) -> None:
    answer = openid_site.client().get("/sign-in/openid")
    cookie = next(c for c in answer.headers.get_list("set-cookie") if c.startswith("armarium_openid="))
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Max-Age=600" in cookie


LIES: dict[str, Callable[[Forger], object]] = {
    "issuer": lambda f: f.claims.update(iss="https://evil.example"),
    "issuer with a slash": lambda f: f.claims.update(iss=f.issuer + "/"),
    "audience": lambda f: f.claims.update(aud="another client"),
    "several audiences": lambda f: f.claims.update(aud=[CLIENT, "another client"]),
    "authorised party": lambda f: f.claims.update(azp="another client"),
    "nonce": lambda f: f.claims.update(nonce="of another browser"),
    "no nonce": lambda f: f.claims.update(nonce=None),
    "expired": lambda f: f.claims.update(exp=int(time.time()) - 3600),
    "never expires": lambda f: f.claims.update(exp=None),
    "expires in words": lambda f: f.claims.update(exp="tomorrow"),
    "from the future": lambda f: f.claims.update(iat=int(time.time()) + 3600),
    "from the past": lambda f: f.claims.update(iat=int(time.time()) - 3600),
    "not yet": lambda f: f.claims.update(nbf=int(time.time()) + 3600),
    "nobody": lambda f: f.claims.update(sub=None),
    "a number": lambda f: f.claims.update(sub=7),
    "no algorithm": lambda f: setattr(f, "forged", "none"),
    "public key as secret": lambda f: setattr(f, "forged", "hmac"),
    "garbage": lambda f: setattr(f, "forged", "garbage"),
    "signature of another key": lambda f: setattr(f, "forged", "other_key"),
    "algorithm of another key": lambda f: setattr(f, "forged", "foreign_algorithm"),
    "no token": lambda f: setattr(f, "forged", "missing"),
    "unpublished key": lambda f: setattr(f, "published", []),
    "refusal": lambda f: setattr(f, "status", 401),
    "redirect": lambda f: setattr(f, "status", 302),
    "answer of another issuer": lambda f: f.answer.update(iss="https://evil.example"),
    "another person in userinfo": lambda f: vars(f).update(in_userinfo=True, userinfo_sub="4711"),
}


def test_no_lie_opens_the_door(openid_site: RunningSite, forger: Forger, lines: Lines) -> None:
    """All on one site, one after the other: each from a state in which the honest provider lets in."""
    honest = dict(vars(forger))
    for number, (lie, tell) in enumerate(LIES.items(), start=1):
        for name, value in honest.items():
            setattr(forger, name, dict(value) if isinstance(value, dict) else value)
        openid_site.house.directories.openid.provider._keys = None  # type: ignore[union-attr]
        tell(forger)
        visitor = openid_site.client()
        answer = sign_in(visitor)
        assert answer.status_code == 403, lie
        assert "cannot be trusted" in answer.text, lie
        assert "armarium_session" not in visitor.cookies, lie
        assert len(lines.with_event("answer of the provider is not believed")) == number, lie
    assert accounts(openid_site) == 0
    for name, value in honest.items():
        setattr(forger, name, value)
    openid_site.house.directories.openid.provider._keys = None  # type: ignore[union-attr]
    assert sign_in(openid_site.client()).status_code == 303


def test_an_answer_is_good_in_the_browser_that_asked_and_once(openid_site: RunningSite) -> None:
    visitor, other = openid_site.client(), openid_site.client()
    back = sent_back(departed(visitor))
    assert other.get(back).status_code == 403  # without a cookie
    departed(other)
    assert other.get(back).status_code == 403  # with the cookie of another way
    key = visitor.cookies["armarium_openid"]
    assert visitor.get(back).status_code == 303
    visitor.cookies.set("armarium_openid", key)
    again = visitor.get(back)
    assert again.status_code == 403
    assert "has been used" in again.text


def test_an_answer_without_its_state_or_with_another_is_refused(openid_site: RunningSite) -> None:
    for state in ("", "&state=", "&state=another", "&state=%C3%A9"):
        visitor = openid_site.client()
        back = sent_back(departed(visitor)).partition("&state=")[0]
        assert visitor.get(back + state).status_code == 403
    assert accounts(openid_site) == 0


def test_after_ten_minutes_the_way_has_to_be_begun_again(openid_site: RunningSite) -> None:
    visitor = openid_site.client()
    back = sent_back(departed(visitor))
    (left,) = rows(openid_site, "SELECT extract(epoch FROM expires_at - now()) FROM openid_attempt")[0]
    assert left <= 600
    execute(openid_site, "UPDATE openid_attempt SET expires_at = now()")
    answer = visitor.get(back)
    assert answer.status_code == 403
    assert "too long ago" in answer.text
    openid_site.house.accounts.forget_expired()
    assert rows(openid_site, "SELECT count(*) FROM openid_attempt") == [(0,)]


def test_a_stolen_code_opens_nothing_in_another_browser(openid_site: RunningSite, forger: Forger) -> None:
    """The thief has the code of another's way, and a way of their own: PKCE ties each code to its way."""
    code = parse_qs(urlsplit(sent_back(departed(openid_site.client()))).query)["code"][0]
    thief = openid_site.client()
    own = parse_qs(urlsplit(sent_back(departed(thief))).query)
    answer = thief.get("/sign-in/openid/answer", params={"code": code, "state": own["state"][0]})
    assert answer.status_code == 403
    assert accounts(openid_site) == 0


def test_new_keys_are_asked_for_but_not_all_the_time(openid_site: RunningSite, forger: Forger) -> None:
    provider = openid_site.house.directories.openid.provider  # type: ignore[union-attr]
    assert sign_in(openid_site.client()).status_code == 303
    forger.key = new_key("second")
    assert forger.asked.count("/keys") == 1
    assert sign_in(openid_site.client()).status_code == 403  # loaded a moment ago: not yet asked again
    assert forger.asked.count("/keys") == 1
    assert provider._keys is not None
    provider._keys = provider._keys[0] - RELOAD_EVERY - 1, provider._keys[1]
    assert sign_in(openid_site.client()).status_code == 303
    assert forger.asked.count("/keys") == 2
    assert sign_in(openid_site.client()).status_code == 303
    assert forger.asked.count("/keys") == 2


def test_what_the_token_does_not_tell_is_asked_for(openid_site: RunningSite, forger: Forger) -> None:
    forger.in_userinfo = True
    assert sign_in(openid_site.client()).status_code == 303
    assert openid_site.house.accounts.named("anna").roles == {Role.CURATOR}
    assert "/userinfo" in forger.asked


def test_a_provider_that_is_away_leaves_the_local_form(database: Database, tmp_path: Path) -> None:
    with running_forger() as gone:
        environ = environ_of(gone)
    with running_site(database, tmp_path / "home", **environ) as site:
        site.account("ada", Role.ADMINISTRATOR)
        answer = site.client().get("/sign-in/openid")
        assert answer.status_code == 503
        assert "the library&#39;s card does not answer" in answer.text
        assert site.client().sign_in("ada").status_code == 303


def test_a_description_that_is_not_the_providers_own_is_not_believed(
    openid_site: RunningSite, forger: Forger
) -> None:
    lies: tuple[dict[str, str | None], ...] = (
        {"issuer": "https://evil.example"},
        {"token_endpoint": "http://evil.example/token"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"jwks_uri": None},
    )
    for lie in lies:
        forger.description = lie
        answer = openid_site.client().get("/sign-in/openid")
        assert answer.status_code == 422
        assert "cannot be trusted" in answer.text


def test_whoever_says_no_at_the_provider_is_told_so(openid_site: RunningSite, forger: Forger) -> None:
    forger.answer = {"code": "", "error": "access_denied"}
    answer = sign_in(openid_site.client())
    assert answer.status_code == 403
    assert "You did not sign in at the library&#39;s card" in answer.text
    forger.answer = {"code": "", "error": "<script>"}
    assert "(&lt;script&gt;)" in sign_in(openid_site.client()).text


def test_nobody_is_led_to_another_site(openid_site: RunningSite) -> None:
    for target in ("//evil.example", "https://evil.example", "/\\evil.example", "account"):
        assert sign_in(openid_site.client(), target).headers["location"] == "/"


def test_no_more_is_kept_for_strangers_than_an_address_of_ours(openid_site: RunningSite) -> None:
    openid_site.client().get("/sign-in/openid", params={"next": "/" + "x" * 30_000})
    assert rows(openid_site, "SELECT target FROM openid_attempt") == [("/",)]


def test_a_local_account_is_never_taken_over(openid_site: RunningSite) -> None:
    openid_site.account("anna", Role.ADMINISTRATOR)
    answer = sign_in(openid_site.client())
    assert answer.status_code == 403
    assert "Your name anna belongs to another account" in answer.text
    assert [e.after["reason"] for e in audited(openid_site, "account.refused")] == ["name_taken"]


def test_the_same_name_of_another_subject_is_another_person(openid_site: RunningSite, forger: Forger) -> None:
    assert sign_in(openid_site.client()).status_code == 303
    forger.person = Person(sub="4711")
    assert sign_in(openid_site.client()).status_code == 403
    assert accounts(openid_site) == 1


def test_without_a_role_or_when_blocked_nobody_comes_in(openid_site: RunningSite, forger: Forger) -> None:
    forger.person = Person(groups=("Curators", "choir"))  # not the same word
    answer = sign_in(openid_site.client())
    assert answer.status_code == 403
    assert "none of your groups has a role here" in answer.text
    assert accounts(openid_site) == 0
    forger.person = Person()
    assert sign_in(openid_site.client()).status_code == 303
    execute(openid_site, "UPDATE account SET active = false")
    assert "The account anna is blocked" in sign_in(openid_site.client()).text


def test_a_name_that_no_account_can_have_is_told(openid_site: RunningSite, forger: Forger) -> None:
    for name in ("", "anna maier", "annä", "../etc", "x" * 65):
        forger.person = Person(name=name)
        answer = sign_in(openid_site.client())
        assert answer.status_code == 403
        assert "cannot be the name of an account" in answer.text


def test_a_provider_with_a_certificate_of_the_library_is_believed_and_no_other(
    database: Database, tmp_path: Path
) -> None:
    authority = Authority.create(tmp_path)
    (tmp_path / "other").mkdir()
    other = Authority.create(tmp_path / "other")
    with running_forger(authority.server("localhost")) as forger:
        for trusted, status in ((authority, 303), (other, 503)):
            environ = {**environ_of(forger), "ARMARIUM_OPENID_CA_FILE": str(trusted.file)}
            with running_site(database, tmp_path / "home", **environ) as site:
                assert site.client().get("/sign-in/openid").status_code == status


def test_without_a_provider_there_is_neither_button_nor_way(site: RunningSite) -> None:
    assert "Sign in with" not in site.client().get("/sign-in").text
    assert site.client().get("/sign-in/openid").status_code == 404
    assert site.client().get("/sign-in/openid/answer").status_code == 404
