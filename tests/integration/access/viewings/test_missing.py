"""What is asked for and missing is noted: cheaply, once, and never without end."""

import threading

import pytest

from armarium.access.model import Reader
from armarium.access.replay.model import ReplayRequest
from armarium.access.viewings import missing_notes
from armarium.access.viewings.missing_notes import MissingNotes
from armarium.access.viewings.model import MOST_MISSING, MissingFilter, MissingKind, Person, Standing
from armarium.accounts.model import Role
from armarium.core.errors import Unavailable
from armarium.db.database import Database
from armarium.server.access import ReadersSite
from tests.integration.access.viewings.world import ViewerWorld
from tests.integration.access.world import Page
from tests.site import wait_until

EVERYTHING = Person(None, everything=True)
PAGE, PICTURE = "http://a.example/gone", "http://a.example/logo.png"


def test_an_address_is_noted_once_with_how_often_and_who_asked_first(there: ViewerWorld) -> None:
    viewing = there.begin(there.person("lea", Role.LIBRARIAN), there.job("a.example"))
    there.miss(viewing, PICTURE, PICTURE, referrer="http://a.example/")
    there.miss(viewing, PICTURE, PAGE, referrer="http://a.example/news")
    found, total = there.viewings.missing(EVERYTHING, viewing.id, MissingFilter())
    assert total == 2
    by_url = {one.url: one for one in found}
    picture = by_url[PICTURE]
    assert (picture.times, picture.referrer, picture.kind) == (3, "http://a.example/", MissingKind.IMAGE)
    assert (picture.domain, picture.key) == ("a.example", f"key of {PICTURE}")
    assert picture.first_at < picture.last_at
    assert (by_url[PAGE].times, by_url[PAGE].kind) == (1, MissingKind.PAGE)


def test_notes_come_into_the_table_by_themselves(there: ViewerWorld) -> None:
    viewing = there.begin(there.person("lea", Role.LIBRARIAN), there.job("a.example"))
    there.viewings.note_missing(viewing.id, PAGE, "", "")
    wait_until(lambda: there.missing(viewing) == {PAGE: 1})


def test_what_an_earlier_job_brought_and_this_one_only_refers_to_is_shown_and_not_missing(
    there: ViewerWorld,
) -> None:
    url, first = "http://a.example/", "20200101000000"
    there.harvested("a.example", captures=[Page(url, "the same")])
    again = Page(url, timestamp="20210101000000", revisit_of=(url, first), digest_of="the same")
    job = there.harvested("b.example", captures=[again])
    viewing = there.begin(there.person("lea", Role.LIBRARIAN), job)
    reception = ReadersSite(there.house.access)
    view = reception.site.view(viewing.name, Reader(sees_everything=True))
    shown = reception.replay.answer(ReplayRequest(view, url, again.timestamp, "id_"))
    assert (shown.status, shown.body) == (200, b"the same")
    reception.replay.answer(ReplayRequest(view, PAGE, again.timestamp))
    reception.close()
    there.house.access.viewings.notes.flush()
    assert there.missing(viewing) == {PAGE: 1}


def test_each_viewing_has_its_own_list(there: ViewerWorld) -> None:
    job = there.job("a.example")
    one, two = (there.begin(there.person(name, Role.LIBRARIAN), job) for name in ("lea", "ole"))
    there.viewings.note_missing(one.id, PAGE, "", "")
    there.viewings.note_missing(two.id, PICTURE, "", "")
    there.viewings.notes.flush()
    assert (there.missing(one), there.missing(two)) == ({PAGE: 1}, {PICTURE: 1})


def test_nothing_is_noted_while_it_does_not_record_or_has_ended_or_is_not_there(there: ViewerWorld) -> None:
    person, actor = lea = there.person("lea", Role.LIBRARIAN)
    viewing = there.begin(lea, there.job("a.example"))
    there.viewings.set_recording(actor, person, viewing.id, False)
    there.miss(viewing, PAGE)
    there.viewings.set_recording(actor, person, viewing.id, True)
    there.miss(viewing, PICTURE)
    there.viewings.end(actor, person, viewing.id)
    there.miss(viewing, "http://a.example/later")
    there.viewings.note_missing(4711, PAGE, "", "")
    there.viewings.notes.flush()
    assert there.missing(viewing) == {PICTURE: 1}


def test_what_is_no_address_of_the_web_is_let_go(there: ViewerWorld) -> None:
    viewing = there.begin(there.person("lea", Role.LIBRARIAN), there.job("a.example"))
    hostile = [
        "blob:http://a.example/1",
        "http://a.example/" + "x" * 5000,
        "http://[",
        "mailto:a@example.org",
    ]
    there.miss(
        viewing, *hostile, "http://a.example/\0nul", "http://a.example/\udcff", referrer="javascript:0"
    )
    assert set(there.missing(viewing)) == {"http://a.example/%00nul", "http://a.example/%EF%BF%BD"}
    [one, _] = there.viewings.missing(EVERYTHING, viewing.id, MissingFilter())[0]
    assert one.referrer == ""


def test_a_hostile_page_does_not_fill_the_table(there: ViewerWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(missing_notes, "MOST_MISSING", 20)
    viewing = there.begin(there.person("lea", Role.LIBRARIAN), there.job("a.example"))
    there.miss(viewing, *(f"http://a.example/{number}" for number in range(15)))
    there.miss(viewing, *(f"http://a.example/{number}" for number in range(30)))
    kept = there.missing(viewing)
    assert len(kept) == 20
    assert kept["http://a.example/0"] == 2
    assert there.viewings.get(EVERYTHING, viewing.id).passed_over == 10
    there.viewings.clear(there.person("ada", Role.CURATOR)[1], EVERYTHING, viewing.id)
    assert there.viewings.get(EVERYTHING, viewing.id).passed_over == 0


def test_neither_does_it_fill_the_memory(database: Database) -> None:
    waiting = MissingNotes(database, pause=3600)
    for number in range(missing_notes.MOST_WAITING + 500):
        waiting.note(1, f"http://a.example/{number}", "", "")
    assert len(waiting._waiting) == missing_notes.MOST_WAITING
    waiting.close()


def test_ten_thousand_notes_are_written_in_a_few_seconds(there: ViewerWorld) -> None:
    viewing = there.begin(there.person("lea", Role.LIBRARIAN), there.job("a.example"))
    for start in range(0, MOST_MISSING, 5000):
        there.miss(viewing, *(f"http://a.example/{start + number}" for number in range(5000)))
    assert there.viewings.get(EVERYTHING, viewing.id).open == MOST_MISSING


def test_processes_that_note_the_same_do_not_wait_for_each_other_for_ever(there: ViewerWorld) -> None:
    viewing = there.begin(there.person("lea", Role.LIBRARIAN), there.job("a.example"))
    urls = [f"http://a.example/{number}" for number in range(200)]

    def process(order: list[str]) -> None:
        own = MissingNotes(there.database, pause=3600)
        for url in order:
            own.note(viewing.id, url, "", "")
        own.close()

    threads = [threading.Thread(target=process, args=(urls[::step],)) for step in (1, -1, 1, -1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert there.missing(viewing) == dict.fromkeys(urls, 4)


def test_notes_wait_while_the_database_is_away(there: ViewerWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    viewing = there.begin(there.person("lea", Role.LIBRARIAN), there.job("a.example"))
    own = MissingNotes(there.database, pause=3600)
    own.note(viewing.id, PAGE, "", "")
    with monkeypatch.context() as patched:
        patched.setattr(own, "_write", away)
        own.flush()
    own.note(viewing.id, PAGE, "", "")
    own.close()
    assert there.missing(viewing) == {PAGE: 2}


def away(*_: object) -> None:
    raise Unavailable("The database cannot be reached.")


def test_missing_addresses_are_sought_by_domain_kind_page_and_words(there: ViewerWorld) -> None:
    viewing = there.begin(there.person("lea", Role.LIBRARIAN), there.job("a.example"))
    there.miss(viewing, PAGE, PICTURE, referrer="http://a.example/start%")
    there.miss(viewing, "http://cdn.b.example/x.css", "http://b.example/y.css", referrer="http://b.example/")

    def found(**sought: object) -> set[str]:
        wanted = MissingFilter(**sought)  # type: ignore[arg-type]
        return {one.url for one in there.viewings.missing(EVERYTHING, viewing.id, wanted)[0]}

    assert found(domain="b.example") == {"http://cdn.b.example/x.css", "http://b.example/y.css"}
    assert found(kind=MissingKind.IMAGE) == {PICTURE}
    assert found(referrer="START%") == {PAGE, PICTURE}
    assert found(text="logo") == {PICTURE}
    assert found(text="_ogo") == set()
    assert found(standing=Standing.HANDED) == set()
    domains, kinds = there.viewings.gaps(EVERYTHING, viewing.id, Standing.ALL)
    assert domains == [("a.example", 2), ("b.example", 2)]
    assert kinds == {MissingKind.PAGE: 1, MissingKind.IMAGE: 1, MissingKind.STYLE: 2}


def test_only_chosen_ones_are_forgotten(there: ViewerWorld) -> None:
    person, actor = lea = there.person("lea", Role.LIBRARIAN)
    viewing, other = there.begin(lea, there.job("a.example")), there.begin(lea, 1)
    there.miss(viewing, PAGE, PICTURE)
    there.miss(other, PAGE)
    found, _ = there.viewings.missing(person, viewing.id, MissingFilter(text="logo"))
    elsewhere, _ = there.viewings.missing(person, other.id, MissingFilter())
    chosen = [one.id for one in (*found, *elsewhere)]
    assert there.viewings.clear(actor, person, viewing.id, chosen) == 1
    assert (there.missing(viewing), there.missing(other)) == ({PAGE: 1}, {PAGE: 1})
