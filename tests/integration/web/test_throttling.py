"""Guessing passwords: how fast, how often, and what the guesser learns."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from armarium.accounts import rules
from armarium.accounts.model import Throttled
from armarium.accounts.sessions import Sessions
from armarium.core.errors import Refused
from tests.integration.web.steps import Lines, audited, execute, rows
from tests.site import PASSWORD, Client, RunningSite

HERE = "127.0.0.1"
PAIR, ADDRESS, NAME = rules.THROTTLES


def put_failures(site: RunningSite, count: int, *, name: str = "x", address: str = HERE) -> None:
    execute(
        site,
        "INSERT INTO sign_in_failure (name, address, at) SELECT :name, :address, now()"
        " FROM generate_series(1, :count)",
        count=count,
        name=name,
        address=address,
    )


def let_time_pass(site: RunningSite, minutes: int) -> None:
    execute(site, "UPDATE sign_in_failure SET at = at - make_interval(mins => :minutes)", minutes=minutes)


def test_the_same_person_from_the_same_place_has_to_wait_after_five_failures(site: RunningSite) -> None:
    site.account("ada")
    visitor = site.client()
    for _ in range(PAIR.free):
        assert visitor.sign_in("ada", "wrong password").status_code == 422
    answer = visitor.sign_in("ada")  # the right one, but too early to be looked at
    assert answer.status_code == 429
    assert 1 <= int(answer.headers["retry-after"]) <= 10
    assert "Too many failed attempts" in answer.text
    assert visitor.get("/account").status_code == 303
    let_time_pass(site, 1)
    assert visitor.sign_in("ada").status_code == 303
    assert rows(site, "SELECT count(*) FROM sign_in_failure") == [(0,)]


def test_the_audit_log_gets_one_entry_per_imposed_wait(lines: Lines, site: RunningSite) -> None:
    site.account("ada")
    visitor = site.client()
    for _ in range(PAIR.free + 3):  # the last three are held back, and say nothing new
        visitor.sign_in("ADA ", "wrong password")
    let_time_pass(site, 1)
    visitor.sign_in("ada", "wrong password")
    entries = audited(site, "account.throttled")
    assert [(e.actor, e.account, e.address, e.object_name) for e in entries] == [("", None, HERE, "ada")] * 2
    assert [e.after for e in entries] == [{"seconds": 10}, {"seconds": 20}]
    assert len(lines.with_event("sign-in refused")) == PAIR.free + 1
    assert len(lines.with_event("sign-in throttled")) == 3


def test_many_names_from_one_place_are_held_back(site: RunningSite) -> None:
    site.account("ada")
    put_failures(site, ADDRESS.free, address=HERE)
    assert site.client().sign_in("ada").status_code == 429


def test_one_name_from_many_places_is_held_back(site: RunningSite) -> None:
    site.account("ada")
    put_failures(site, NAME.free, name="ada", address="203.0.113.9")
    assert site.client().sign_in("ada").status_code == 429
    put_failures(site, NAME.free, name="somebody else", address="203.0.113.9")
    site.account("eve")
    assert site.client().sign_in("eve").status_code == 303


def test_a_whole_ipv6_network_counts_as_one_place(site: RunningSite) -> None:
    sessions = site.house.sessions
    put_failures(site, ADDRESS.free, address="2001:db8:1:2::/64")
    try:
        sessions.sign_in("ada", "wrong", address="2001:db8:1:2:ffff::7", agent="")
    except Throttled:
        pass
    else:
        raise AssertionError("not held back")


def test_failures_are_forgotten_after_half_an_hour(site: RunningSite) -> None:
    site.account("ada")
    put_failures(site, 40, name="ada")
    let_time_pass(site, 31)
    assert site.client().sign_in("ada").status_code == 303


def test_a_hundred_attempts_at_once_count_as_a_hundred(site: RunningSite) -> None:
    """Only as many are looked at as would be one after the other."""
    start = threading.Barrier(20)
    looked_at: list[bool] = []

    def attempt(number: int) -> None:
        if number < 20:
            start.wait()
        looked_at.append(not is_throttled(site.house.sessions, "ada"))

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(attempt, range(100)))
    assert sum(looked_at) == PAIR.free
    assert len(audited(site, "account.throttled")) == 1


def is_throttled(sessions: Sessions, name: str) -> bool:
    try:
        sessions.sign_in(name, "wrong password", address=HERE, agent="")
    except Throttled:
        return True
    except Refused:
        return False
    raise AssertionError("signed in with a wrong password")


def test_an_unknown_name_and_a_wrong_password_look_the_same(site: RunningSite) -> None:
    site.account("known")
    site.house.accounts.named("known")
    visitor = site.client()

    def attempt(name: str) -> tuple[str, float]:
        execute(site, "DELETE FROM sign_in_failure")
        token = visitor.token("/sign-in")
        begun = time.process_time()  # of the site too, which runs in this process, and of nobody else
        answer = visitor.post("/sign-in", data={"name": name, "password": "wrong", "csrf_token": token})
        taken = time.process_time() - begun
        assert answer.status_code == 422
        return answer.text.replace(name, "NAME"), taken

    known, unknown = zip(*((attempt("known"), attempt("never")) for _ in range(6)), strict=True)
    assert {text for text, _ in known} == {text for text, _ in unknown}
    # About the same work: without the hash for nobody, the unknown name would be ten times faster.
    fastest = [min(taken for _, taken in answers) for answers in (known, unknown)]
    assert max(fastest) < 3 * min(fastest)


def test_a_blocked_account_and_one_without_a_password_look_the_same_too(site: RunningSite) -> None:
    site.account("ada")
    execute(site, "UPDATE account SET active = false")
    invited = "INSERT INTO account (name, display_name, mail, language, roles, active, created_at)"
    execute(site, f"{invited} VALUES ('invited', '', '', '', '{{}}', true, now())")
    for name in ("ada", "invited"):
        answer = site.client().sign_in(name)
        assert answer.status_code == 422
        assert "Name or password is not right." in answer.text


def test_the_password_is_not_shown_again(site: RunningSite) -> None:
    answer = site.client().sign_in("ada", "my secret sentence")
    assert 'value="ada"' in answer.text
    assert "my secret sentence" not in answer.text


def test_no_log_line_holds_a_password_or_a_key(lines: Lines, site: RunningSite) -> None:
    site.account("ada")
    visitor: Client = site.client()
    visitor.sign_in("ada", "my secret sentence")
    visitor.sign_in("ada")
    assert visitor.get("/account").status_code == 200
    assert lines.with_event("answered")
    for secret in (
        "my secret sentence",
        PASSWORD,
        visitor.cookies["armarium_session"],
        visitor.token("/account"),
    ):
        assert secret not in lines.raw
