"""Records are made and changed in one way: by whom it is allowed, within the matrix, with their history."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import sqlalchemy as sa

from armarium.audit.model import Question
from armarium.audit.service import Audit
from armarium.core.errors import Forbidden, Refused
from armarium.selection.model import Budget, Depth, Frequency, Origin, RecordState
from armarium.selection.records import writing
from armarium.selection.records.model import Further
from armarium.selection.records.writing import Entered, Known
from tests.integration.selection.world import World
from tests.site import wait_until


def entries(library: World, action: str) -> list[tuple[str, str]]:
    found, _ = Audit(library.database).page(Question(action=action), limit=100)
    return [(one.actor, one.object_name) for one in found]


def test_a_librarian_proposes_and_a_curator_decides(library: World) -> None:
    made = library.record("News.example/a#top", by=library.ada)
    assert (made.address, made.host, made.domain) == ("http://news.example/a", "news.example", "news.example")
    assert (made.state, made.created_by, made.origin) == (RecordState.PROPOSED, "ada", Origin.ENTRY)
    with pytest.raises(Forbidden, match="Only curators"):
        library.records.decide(library.ada, [made.id], RecordState.VALIDATED)
    with pytest.raises(Refused, match="Say why"):
        library.records.decide(library.cora, [made.id], RecordState.REFUSED)
    (decided,) = library.records.decide(library.cora, [made.id], RecordState.REFUSED, "Out of scope.")
    assert (decided.state, decided.state_reason, decided.stated_by) == (
        RecordState.REFUSED,
        "Out of scope.",
        "cora",
    )
    assert entries(library, "record.refused") == [("cora", "http://news.example/a")]


def test_an_address_stands_once_in_a_collection_however_it_is_spelt(library: World) -> None:
    first = library.record("https://news.example/")
    with pytest.raises(Known) as known:
        library.record("http://www.NEWS.example")
    assert known.value.record == first.id
    other = library.record("https://news.example/", library.arts)
    with pytest.raises(Known):
        library.records.change_fields(
            library.cora, other.id, {"collection": library.press.id, "theme": library.press.themes[0].id}
        )
    with pytest.raises(Refused, match="twice"):
        library.records.create_many(
            library.cora, [Entered(library.draft("a.example")), Entered(library.draft("http://a.example/"))]
        )


def test_nobody_changes_anothers_collection_and_each_attempt_is_logged(library: World) -> None:
    made = library.record("https://stage.example/", library.arts)
    with pytest.raises(Forbidden, match="Arts"):
        library.record("https://opera.example/", library.arts, by=library.ada)
    with pytest.raises(Forbidden):
        library.records.change_fields(library.ada, made.id, {"title": "Mine"})
    own = library.record("https://news.example/", by=library.ada)
    with pytest.raises(Forbidden):  # neither into another's collection nor out of it
        library.records.change_fields(
            library.ada, own.id, {"collection": library.arts.id, "theme": library.arts.themes[0].id}
        )
    assert library.records.get(made.id) == made
    assert entries(library, "selection.denied") == [("ada", "Arts")] * 3


def test_what_the_matrix_refuses_cannot_be_chosen_but_may_stay(library: World) -> None:
    with pytest.raises(Refused, match="More than a crawler"):
        library.record("a.example", budget=Budget.LARGE, frequency=Frequency.DAILY, depth=Depth.DOMAIN)
    made = library.record("a.example", budget=Budget.LARGE, frequency=Frequency.WEEKLY)
    refused = {made.combination: "Too much.", **library.collections.matrix().refused}
    library.collections.set_matrix(library.cora.actor, refused)
    changed = library.records.change_fields(library.cora, made.id, {"title": "A"})
    assert changed.title == "A"
    with pytest.raises(Refused, match="Too much"):
        library.record("b.example", budget=Budget.LARGE, frequency=Frequency.WEEKLY)


def test_other_technical_settings_are_a_proposal_again(library: World) -> None:
    made = library.record("https://news.example/")
    assert made.state is RecordState.VALIDATED
    renamed = library.records.change_fields(library.ada, made.id, {"title": "News"})
    assert renamed.state is RecordState.VALIDATED
    deeper = library.records.change_fields(library.ada, made.id, {"depth": Depth.DOMAIN})
    assert deeper.state is RecordState.PROPOSED


def test_further_addresses_are_kept_without_repetition(library: World) -> None:
    further = (Further("news.example/sitemap.xml", "map"), Further("http://news.example/sitemap.xml"))
    made = library.record("https://news.example/", further=(*further, Further("https://www.news.example/")))
    assert made.further == (Further("http://news.example/sitemap.xml", "map"),)
    assert library.records.change_fields(library.cora, made.id, {"further": ()}).further == ()


def test_an_imported_record_with_a_new_address_is_a_proposal_like_any_other(library: World) -> None:
    draft = library.draft("https://news.example/", further=(Further("https://news.example/map"),))
    made = library.records.create(library.cora, Entered(draft, Origin.IMPORT))
    assert (made.state, made.unseen) == (RecordState.VALIDATED, ())
    spelt = library.records.change_fields(library.cora, made.id, {"address": "http://www.news.example"})
    assert (spelt.state, spelt.unseen) == (RecordState.VALIDATED, ())
    moved = library.records.change_fields(library.cora, made.id, {"address": "https://daily.example/"})
    assert moved.state is RecordState.PROPOSED
    with pytest.raises(Refused, match=r"https://daily\.example/ has not been seen"):
        library.records.decide(library.cora, [made.id], RecordState.VALIDATED)


def test_a_new_further_address_makes_a_proposal_and_known_ones_do_not(
    library: World,
) -> None:
    first, other = Further("https://news.example/map"), Further("https://news.example/feed")
    made = library.record("https://news.example/", further=(first,))
    assert (made.state, made.unseen) == (RecordState.VALIDATED, ())
    turned = {"address": first.address, "further": (Further("https://news.example/"),)}
    assert library.records.change_fields(library.cora, made.id, turned).state is RecordState.VALIDATED
    noted = {"further": (Further("https://news.example/", "the start"),)}
    assert library.records.change_fields(library.cora, made.id, noted).unseen == ()
    more = library.records.change_fields(library.cora, made.id, {"further": (*made.further, other)})
    assert (more.state, more.unseen) == (RecordState.PROPOSED, (other.address,))
    library.saw(made.id)
    assert (
        library.records.decide(library.cora, [made.id], RecordState.VALIDATED)[0].state
        is RecordState.VALIDATED
    )


def test_two_people_who_change_the_same_record_notice_each_other(library: World) -> None:
    made = library.record("https://news.example/")
    draft = library.draft("https://news.example/", title="First")
    library.records.change(library.cora, made.id, draft, seen=made.edition)
    with pytest.raises(Refused, match="meanwhile"):
        library.records.change(library.ada, made.id, replace(draft, title="Second"), seen=made.edition)


def test_all_of_many_or_none(library: World) -> None:
    library.record("c.example")
    drafts = [Entered(library.draft(f"{name}.example")) for name in "abc"]
    with pytest.raises(Known):
        library.records.create_many(library.cora, drafts)
    with library.database.transaction() as connection:
        assert connection.scalar(sa.text("SELECT count(*) FROM selection_record")) == 1


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "  ",
        "mailto:a@b.example",
        "http://",
        "ftp://a.example",
        "https://u:p@a.example/",
        "a b",
        "x" * 3000,
    ],
)
def test_what_is_no_address_is_refused(library: World, typed: str) -> None:
    with pytest.raises(Refused):
        library.record(typed)


def test_the_same_address_at_the_same_moment_is_entered_once(library: World) -> None:
    entered = [Entered(library.draft("a.example"))]
    with ThreadPoolExecutor(1) as other, library.database.transaction() as connection:
        writing.create_many(connection, library.cora, entered)
        later = other.submit(library.records.create_many, library.ada, entered)
        wait_until(lambda: waits(library))
        connection.commit()
        with pytest.raises(Refused, match="at this moment"):
            later.result(60)
    with pytest.raises(Known):
        library.records.create_many(library.ada, entered)


def waits(library: World) -> bool:
    """Whether somebody waits for another's transaction."""
    with library.database.transaction() as connection:
        asked = "SELECT count(*) FROM pg_locks WHERE NOT granted"
        return bool(connection.scalar(sa.text(asked)))
