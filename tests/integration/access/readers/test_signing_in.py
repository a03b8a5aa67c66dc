"""Coming in and going: what opens one origin opens no other, and what has ended has ended."""

import re
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from armarium.access.accreditation.model import Period
from armarium.access.accreditation.service import Accreditations
from armarium.access.readers.cookies import Seals
from armarium.access.readers.tickets import staff_address
from armarium.accounts.model import Profile, Role
from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from tests.integration.access.readers.world import (
    KEY,
    LONE_PAGE,
    OPEN_PAGE,
    ROOM_PAGE,
    TIME,
    ReadingRoom,
    page_address,
    reading_room,
)
from tests.site import PASSWORD

pytestmark = pytest.mark.usefixtures("forgetful")


def accredit(database: Database, name: str, days: int = 1) -> int:
    accreditations = Accreditations(database, "UTC")
    today = accreditations.today()
    return accreditations.add(SYSTEM, name, Period(today, today + timedelta(days=days))).id


def test_a_reader_signs_in_and_is_known_on_both_origins(room: ReadingRoom, database: Database) -> None:
    amelie = room.signed_in("amelie")
    accredit(database, "amelie")
    found = amelie.who()
    assert (found["name"], found["roles"], found["accredited"]) == ("Amelie", ["reader"], True)
    frame = room.inside(amelie, ROOM_PAGE)
    assert "Here is http://room.example/" in frame.get(page_address(ROOM_PAGE)).text


def test_whoever_has_not_signed_in_reads_as_anybody(room: ReadingRoom) -> None:
    stranger, content = room.reading(), room.content()
    assert stranger.who()["account"] is None
    assert content.get(page_address(OPEN_PAGE)).status_code == 200
    assert content.get(page_address(ROOM_PAGE)).status_code == 451


def test_a_wrong_password_is_told_and_many_are_throttled(room: ReadingRoom) -> None:
    room.account("amelie", Role.READER)
    browser = room.reading()
    refused = browser.sign_in("amelie", "wrong horse battery staple")
    assert refused.status_code == 422
    assert "Name or password is not right." in refused.text
    throttled = [browser.sign_in("amelie", "wrong horse battery staple") for _ in range(5)][-1]
    assert throttled.status_code == 429
    assert int(throttled.headers["retry-after"]) > 0


def test_after_signing_in_one_is_led_back_and_nowhere_else(room: ReadingRoom) -> None:
    room.account("amelie", Role.READER)
    page = room.reading().get("/-/sign-in?next=/all/2020/http://open.example/%3Fa%3Db")
    assert 'name="next" value="/all/2020/http://open.example/?a=b"' in page.text
    for target in ("https://evil.example/", "//evil.example", "/\\evil.example"):
        values = {"name": "amelie", "password": PASSWORD, "next": target}
        assert room.reading().submit("/-/sign-in", values).headers["location"] == "/"


def test_a_form_without_its_token_or_from_another_origin_is_refused(room: ReadingRoom) -> None:
    room.account("amelie", Role.READER)
    values = {"name": "amelie", "password": PASSWORD}
    assert room.reading().post("/-/sign-in", data=values).status_code == 403
    other = room.reading()
    foreign = {**values, "csrf_token": room.reading().token("/-/sign-in")}
    assert other.post("/-/sign-in", data=foreign).status_code == 403
    beside = {"Sec-Fetch-Site": "same-site"}
    good = {**values, "csrf_token": other.token("/-/sign-in")}
    assert other.post("/-/sign-in", data=good, headers=beside).status_code == 403
    assert other.post("/-/sign-in", data=good, headers={"Origin": "http://evil.example"}).status_code == 403
    assert other.post("/-/sign-in", data=good).status_code == 303


def test_the_cookie_of_one_origin_is_worthless_on_another(room: ReadingRoom) -> None:
    amelie = room.signed_in("amelie", Role.ADMINISTRATOR)
    reading = amelie.cookies["armarium_reading"]
    frame = room.inside(amelie)
    content = frame.headers["cookie"].partition("=")[2]
    for name, value in (("armarium_reading", content), ("armarium_session", reading)):
        stranger = room.reading()
        stranger.cookies.set(name, value)
        assert stranger.who()["account"] is None
    elsewhere = room.content()
    elsewhere.headers["cookie"] = f"armarium_content={reading}"
    assert elsewhere.get(page_address(ROOM_PAGE)).status_code == 451
    # Nor are they the key of a session on the staff site.
    for value in (reading, content):
        assert room.services.accounts.identity(value, "127.0.0.1") is None


def test_the_cookie_is_kept_from_scripts(room: ReadingRoom) -> None:
    room.account("amelie", Role.READER)
    answer = room.reading().sign_in("amelie")
    (cookie,) = [one for one in answer.headers.get_list("set-cookie") if "armarium_reading=" in one]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "amelie" not in cookie


def test_a_blocked_account_is_out_on_both_origins(room: ReadingRoom, database: Database) -> None:
    amelie = room.signed_in("amelie")
    accredit(database, "amelie")
    frame = room.inside(amelie)
    assert frame.get(page_address(ROOM_PAGE)).status_code == 200
    account = room.accounts.named("amelie")
    profile = Profile("amelie", "Amelie", "", "", account.roles, active=False)
    room.accounts.change(SYSTEM, account.id, profile)
    assert amelie.who()["account"] is None
    assert frame.get(page_address(ROOM_PAGE)).status_code == 451


def test_an_accreditation_that_ends_ends_for_those_who_read(room: ReadingRoom, database: Database) -> None:
    amelie = room.signed_in("amelie")
    number = accredit(database, "amelie")
    frame = room.inside(amelie)
    assert frame.get(page_address(ROOM_PAGE)).status_code == 200
    Accreditations(database, "UTC").end(SYSTEM, number)
    assert not amelie.who()["accredited"]
    assert frame.get(page_address(ROOM_PAGE)).status_code == 451


def test_ending_the_session_ends_it_on_both_origins_and_wipes(room: ReadingRoom, database: Database) -> None:
    amelie = room.signed_in("amelie")
    accredit(database, "amelie")
    frame = room.inside(amelie)
    kept = amelie.cookies["armarium_reading"]
    left = amelie.submit("/-/sign-out")
    found = re.search(r'<iframe src="([^"]+)"', left.text)
    assert found
    wiped = room.content().get(found[1].replace("&amp;", "&"))
    assert wiped.headers["clear-site-data"] == '"cache", "storage", "cookies"'
    assert amelie.who()["account"] is None
    thief = room.reading()
    thief.cookies.set("armarium_reading", kept)
    assert thief.who()["account"] is None
    assert frame.get(page_address(ROOM_PAGE)).status_code == 451


def test_a_link_ends_nobody_s_session(room: ReadingRoom) -> None:
    amelie = room.signed_in("amelie")
    assert amelie.get("/-/left").headers["location"] == "/-/sign-out"
    assert amelie.get("/-/sign-out").status_code == 200
    assert amelie.who()["name"] == "Amelie"
    assert amelie.post("/-/sign-out", data={}).status_code == 403


def test_a_session_without_requests_ends_and_a_page_s_own_requests_do_not_count(
    room: ReadingRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    amelie = room.signed_in("amelie")
    begin = clock.now()

    def after(minutes: int) -> None:
        monkeypatch.setattr(clock, "now", lambda: begin + timedelta(minutes=minutes))

    after(50)
    assert amelie.get("/-/part/session", headers={"X-Part": "1"}).status_code == 204
    after(55)
    assert amelie.who()["account"]  # somebody did something: an hour more
    after(100)
    assert amelie.get("/-/part/session", headers={"X-Part": "1"}).status_code == 204
    after(116)
    assert amelie.get("/-/part/session", headers={"X-Part": "1"}).status_code == 401


def ticket_for(room: ReadingRoom, to: str = "/", name: str = "carla") -> str:
    """What the staff site makes for a curator who is signed in there."""
    room.account(name, Role.CURATOR)
    key, _ = room.services.accounts.sign_in(name, PASSWORD, address="127.0.0.1", agent="")
    identity = room.services.accounts.identity(key, "127.0.0.1")
    assert identity
    assert identity.session
    return staff_address(room.settings, Seals(KEY), identity.session, to)


def entered(room: ReadingRoom, address: str) -> tuple[httpx.Response, dict[str, object]]:
    browser = room.reading()
    return browser.get(address), browser.who()


def test_staff_come_from_their_site_without_a_second_password(room: ReadingRoom) -> None:
    answer, found = entered(room, ticket_for(room, "/viewing-17/"))
    assert answer.headers["location"] == "/viewing-17/"
    assert (found["name"], found["sees_everything"]) == ("Carla", True)


def test_a_ticket_of_the_staff_site_is_good_once_and_for_a_minute(
    room: ReadingRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = ticket_for(room)
    assert entered(room, address)[1]["name"] == "Carla"
    assert entered(room, address)[1]["account"] is None
    fresh = ticket_for(room, name="claire")
    later = clock.now() + timedelta(seconds=61)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert entered(room, fresh)[1]["account"] is None


def test_who_leaves_the_readers_site_stays_on_the_staff_site_but_not_the_other_way(room: ReadingRoom) -> None:
    room.account("carla", Role.CURATOR)
    key, account = room.services.accounts.sign_in("carla", PASSWORD, address="127.0.0.1", agent="")
    identity = room.services.accounts.identity(key, "127.0.0.1")
    assert identity
    assert identity.session

    session = identity.session

    def come() -> None:
        browser.get(staff_address(room.settings, Seals(KEY), session, "/"))

    browser = room.reading()
    come()
    assert browser.submit("/-/sign-out").status_code == 200
    assert room.services.accounts.identity(key, "127.0.0.1") is not None
    come()
    assert browser.who()["name"] == "Carla"
    room.services.accounts.end(SYSTEM, account)
    assert browser.who()["account"] is None


def test_a_cookie_opens_no_session_that_got_its_number_after_a_backup_was_restored(
    room: ReadingRoom, database: Database, forgetful: None
) -> None:
    browser = room.reading()
    browser.get(ticket_for(room))
    assert browser.who()["name"] == "Carla"
    with database.transaction() as connection:
        connection.exec_driver_sql("UPDATE session SET created_at = created_at + interval '1 day'")
    assert browser.who()["account"] is None


def test_terms_come_before_everything_that_one_sees_for_who_one_is(
    database: Database, tmp_path: Path
) -> None:
    with reading_room(database, tmp_path, terms="Do not copy.\n\nDo not shout.") as room:
        amelie = room.signed_in("amelie")
        accredit(database, "amelie")
        gate = amelie.get(f"/all/{TIME}/{ROOM_PAGE}?a=b")
        asked = parse_qs(urlsplit(gate.headers["location"]).query)
        assert asked["next"] == [f"/all/{TIME}/{ROOM_PAGE}?a=b"]
        assert not amelie.who()["accredited"]
        page = amelie.get("/-/terms").text
        assert "Do not copy." in page
        assert "Do not shout." in page
        assert amelie.post("/-/terms", data={"next": "/"}).status_code == 403
        assert amelie.submit("/-/terms", {"next": "/"}).headers["location"] == "/"
        assert amelie.who()["accredited"]
        frame = room.inside(amelie, ROOM_PAGE)
        assert frame.get(page_address(ROOM_PAGE)).status_code == 200


def test_who_has_not_signed_in_accepts_terms_too_and_staff_need_not(
    database: Database, tmp_path: Path
) -> None:
    with reading_room(database, tmp_path, terms="Do not copy.") as room:
        stranger = room.reading()
        assert stranger.get("/").headers["location"] == "/-/terms?next=/"
        stranger.submit("/-/terms", {"next": "/"})
        assert stranger.get("/").status_code == 200
        assert "/-/enter?" in stranger.get(f"/all/{TIME}/{OPEN_PAGE}").text
        assert room.signed_in("carla", Role.CURATOR).get("/").status_code == 200


def test_a_visit_is_counted_once_for_who_comes_from_elsewhere(room: ReadingRoom, database: Database) -> None:
    typed = {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    stranger = room.reading()
    stranger.get("/", headers=typed)
    stranger.get("/", headers={**typed, "Sec-Fetch-Site": "same-origin"})
    room.services.uses.flush()
    with database.transaction() as connection:
        rows = connection.exec_driver_sql("SELECT kind, times FROM access_use").all()
    assert [tuple(row) for row in rows] == [("visit", 1)]


def test_one_reader_at_a_time_has_a_page_and_leaving_frees_it(room: ReadingRoom) -> None:
    amelie, boris = room.signed_in("amelie"), room.signed_in("boris")
    hers, his = room.inside(amelie, LONE_PAGE), room.inside(boris, LONE_PAGE)
    assert "Alone at last" in hers.get(page_address(LONE_PAGE)).text
    occupied = his.get(page_address(LONE_PAGE))
    assert "Alone at last" not in occupied.text
    assert amelie.post("/-/part/lock", data={"url": LONE_PAGE, "do": "renew"}).status_code == 204
    assert boris.post("/-/part/lock", data={"url": LONE_PAGE, "do": "renew"}).status_code == 409
    assert boris.post("/-/part/lock", data={"url": LONE_PAGE, "do": "release"}).status_code == 204
    assert "Alone at last" not in his.get(page_address(LONE_PAGE)).text
    amelie.submit("/-/sign-out")
    assert "Alone at last" in his.get(page_address(LONE_PAGE)).text


def test_readers_without_an_account_hold_pages_too(room: ReadingRoom) -> None:
    first, second = room.reading(), room.reading()
    hers, his = room.inside(first, LONE_PAGE), room.inside(second, LONE_PAGE)
    assert "Alone at last" in hers.get(page_address(LONE_PAGE)).text
    assert "Alone at last" not in his.get(page_address(LONE_PAGE)).text
    assert "Alone at last" in room.inside(first, LONE_PAGE).get(page_address(LONE_PAGE)).text  # reloaded
    assert "Alone at last" not in his.get(page_address(LONE_PAGE)).text
    first.post("/-/part/lock", data={"url": LONE_PAGE, "do": "release"})
    assert "Alone at last" in his.get(page_address(LONE_PAGE)).text
