"""Viewings: whose they are, what they show, and what the log says of them."""

import time
from dataclasses import replace

import pytest
import sqlalchemy as sa

from armarium.access.model import Reader
from armarium.access.tables import viewing as table
from armarium.access.viewings.model import OPERATOR, Chosen
from armarium.access.viewings.service import FRESH, Viewings
from armarium.accounts.model import Profile, Role
from armarium.audit.model import Question
from armarium.audit.service import Audit
from armarium.core.actor import SYSTEM
from armarium.core.errors import NotFound, Refused
from tests.integration.access.viewings.world import ViewerWorld

PAGES = ["http://a.example/", "http://a.example/news"]


def actions(there: ViewerWorld, number: int) -> list[str]:
    entries, _ = Audit(there.database).page(Question(object_kind="viewing", object_id=str(number)), limit=50)
    return [one.action for one in reversed(entries)]


def test_a_viewing_knows_its_jobs_and_what_they_brought(there: ViewerWorld) -> None:
    first, second = there.harvested("a.example", PAGES), there.harvested("b.example", ["http://b.example/"])
    made = there.begin(there.person("lea", Role.LIBRARIAN), second, first, first)
    assert (made.jobs, made.title, made.recording) == ((first, second), "harvest: 1, 2", True)
    brought = there.brought.brought(made.jobs)
    assert (brought.files, brought.captures) == (4, 3)
    assert there.brought.brought([second]).captures == 1
    assert there.brought.seeds(made.jobs, 5) == ["http://a.example/", "http://b.example/"]
    [job, _] = there.brought.jobs(made.jobs)
    assert (job.number, job.harvest_name, str(job.state)) == (first, "harvest", "Done")
    assert there.viewings.jobs(made.id) == made.jobs


def test_the_jobs_of_a_run_are_found_and_a_run_that_is_not_there_is_said(there: ViewerWorld) -> None:
    numbers = [there.job("a.example"), there.job("b.example")]
    assert there.brought.of_run(1) == numbers
    with pytest.raises(NotFound):
        there.brought.of_run(99)


def test_only_whose_viewing_it_is_and_those_who_see_everything_find_it(there: ViewerWorld) -> None:
    lea, other = there.person("lea", Role.LIBRARIAN), there.person("ole", Role.LIBRARIAN)
    boss = there.person("ada", Role.CURATOR)
    made = there.begin(lea, there.job("a.example"))
    assert there.viewings.get(lea[0], made.id) == made
    assert there.viewings.get(boss[0], made.id) == made
    with pytest.raises(NotFound):
        there.viewings.get(other[0], made.id)
    assert there.viewings.page(other[0], limit=9) == ([], 0)
    assert there.viewings.page(boss[0], mine=True, limit=9) == ([], 0)
    assert there.viewings.page(boss[0], limit=9) == ([made], 1)
    for forbidden in (
        lambda: there.viewings.clear(other[1], other[0], made.id),
        lambda: there.viewings.set_recording(other[1], other[0], made.id, False),
        lambda: there.viewings.change(other[1], other[0], made.id, Chosen((1,))),
        lambda: there.viewings.make_proxy_word(other[1], other[0], made.id),
        lambda: there.viewings.end(other[1], other[0], made.id),
    ):
        with pytest.raises(NotFound):
            forbidden()
    assert actions(there, made.id) == ["viewing.created"]


def test_the_collection_is_shown_to_its_owner_and_to_those_who_see_everything(there: ViewerWorld) -> None:
    lea = there.person("lea", Role.LIBRARIAN)
    made = there.begin(lea, there.job("a.example"))
    owner = Reader(lea[0].account, frozenset({Role.LIBRARIAN}))
    found = there.viewings.collection(made.id, owner)
    assert (found.name, found.viewing, found.everything) == (f"viewing-{made.id}", made.id, False)
    assert there.viewings.collection(made.id, Reader(999, sees_everything=True)) == found
    strangers = (
        Reader(),
        Reader(999, frozenset({Role.LIBRARIAN})),
        replace(owner, roles=frozenset({Role.READER})),  # who has lost the permission
    )
    for stranger in strangers:
        with pytest.raises(NotFound):
            there.viewings.collection(made.id, stranger)
    there.viewings.end(lea[1], lea[0], made.id)
    with pytest.raises(NotFound):
        there.viewings.collection(made.id, owner)
    with pytest.raises(NotFound):
        there.viewings.collection(12345, owner)


def test_what_cannot_be_a_viewing_is_refused_in_words(there: ViewerWorld) -> None:
    lea = there.person("lea", Role.LIBRARIAN)
    job = there.job("a.example")
    for chosen, field in (
        (Chosen(()), "jobs"),
        (Chosen((job, 77)), "jobs"),
        (Chosen((job,), "x" * 201), "title"),
        (Chosen((job,), "a\nb"), "title"),
        (Chosen((job,), "", "x" * 5001), "note"),
    ):
        with pytest.raises(Refused) as refusal:
            there.viewings.create(lea[1], lea[0].account or 0, chosen)
        assert refusal.value.field == field


def test_every_change_is_in_the_log_and_what_changes_nothing_is_not(there: ViewerWorld) -> None:
    person, actor = lea = there.person("lea", Role.LIBRARIAN)
    first, second = there.job("a.example"), there.job("b.example")
    made = there.begin(lea, first)
    there.viewings.change(actor, person, made.id, Chosen((first,), made.title))
    there.viewings.change(actor, person, made.id, Chosen((first, second), "Both", "to compare"))
    there.viewings.set_recording(actor, person, made.id, True)
    there.viewings.set_recording(actor, person, made.id, False)
    there.viewings.set_recording(actor, person, made.id, True)
    there.viewings.clear(actor, person, made.id)
    there.viewings.make_proxy_word(actor, person, made.id)
    there.viewings.end(actor, person, made.id)
    there.viewings.end(actor, person, made.id)
    there.viewings.reopen(actor, person, made.id)
    assert actions(there, made.id) == [
        "viewing.created",
        "viewing.changed",
        "viewing.not_recording",
        "viewing.recording",
        "viewing.proxy_word",
        "viewing.ended",
        "viewing.reopened",
    ]
    assert there.viewings.jobs(made.id) == (first, second)


def test_the_word_for_the_proxy_is_good_for_one_viewing_until_another_is_made(there: ViewerWorld) -> None:
    person, actor = lea = there.person("lea", Role.LIBRARIAN)
    made, other = there.begin(lea, there.job("a.example")), there.begin(lea, 1)
    word = there.viewings.make_proxy_word(actor, person, made.id)
    reader = there.viewings.by_proxy_word(made.id, word)
    assert reader is not None
    assert (reader.account, reader.roles, reader.sees_everything) == (
        person.account,
        frozenset({Role.LIBRARIAN}),
        False,
    )
    assert there.viewings.collection(made.id, reader).viewing == made.id
    assert there.viewings.by_proxy_word(other.id, word) is None
    assert there.viewings.by_proxy_word(made.id, word + "x") is None
    assert there.viewings.by_proxy_word(made.id, "") is None
    again = there.viewings.make_proxy_word(actor, person, made.id)
    assert there.viewings.by_proxy_word(made.id, word) is None
    there.viewings.end(actor, person, made.id)
    assert there.viewings.by_proxy_word(made.id, again) is None
    kept = there.rows(sa.select(table.c.proxy_digest).where(table.c.id == made.id))
    assert kept[0][0] is None


def test_the_word_of_somebody_who_was_blocked_is_good_no_more(there: ViewerWorld) -> None:
    person, actor = lea = there.person("lea", Role.LIBRARIAN)
    made = there.begin(lea, there.job("a.example"))
    word = there.viewings.make_proxy_word(actor, person, made.id)
    accounts = there.house.accounts
    known = accounts.get(person.account or 0)
    blocked = Profile(known.name, known.display_name, "", "", known.roles, active=False)
    accounts.change(SYSTEM, known.id, blocked)
    assert there.viewings.by_proxy_word(made.id, word) is None


def test_nobody_makes_a_word_in_the_name_of_somebody_else(there: ViewerWorld) -> None:
    made = there.begin(there.person("lea", Role.LIBRARIAN), there.job("a.example"))
    boss = there.person("ada", Role.ADMINISTRATOR)
    with pytest.raises(Refused):
        there.viewings.make_proxy_word(boss[1], boss[0], made.id)


def test_another_process_sees_a_change_within_seconds(there: ViewerWorld) -> None:
    person, actor = lea = there.person("lea", Role.LIBRARIAN)
    made = there.begin(lea, there.job("a.example"))
    elsewhere = Viewings(there.database, there.brought)
    reader = Reader(person.account, frozenset({Role.LIBRARIAN}))
    elsewhere.collection(made.id, reader)
    there.viewings.end(actor, person, made.id)
    time.sleep(FRESH)
    with pytest.raises(NotFound):
        elsewhere.collection(made.id, reader)


def test_the_operator_sees_everybodys(there: ViewerWorld) -> None:
    made = there.begin(there.person("lea", Role.LIBRARIAN), there.job("a.example"))
    assert there.viewings.page(OPERATOR, job=1, limit=5) == ([made], 1)
    assert there.viewings.page(OPERATOR, job=2, limit=5) == ([], 0)
