"""The in-tray: proposals for curators, refusals and comments for librarians, and the figure on every page."""

import re
from datetime import timedelta

from armarium.accounts.model import Role
from armarium.core import clock
from armarium.selection.model import RecordState
from armarium.selection.nominations.model import Proposal
from armarium.selection.nominations.service import Nominations
from armarium.selection.records.model import Record
from armarium.selection.records.tray import Tray, Waiting
from armarium.selection.records.writing import Entered
from tests.integration.selection.records.desk import Desk
from tests.integration.web.steps import execute
from tests.site import Client


def figure(client: Client, path: str = "/account", entry: str = "Inbox") -> str:
    """What stands beside “Inbox” in the navigation."""
    found = re.search(
        rf"<span>{entry}</span>(?: <span class=\"place-count\">([^<]*)</span>)?", client.get(path).text
    )
    assert found
    return found[1] or ""


def proposals(desk: Desk, many: int = 3) -> list[Record]:
    return [
        desk.library.record(
            f"https://{n}.example/", by=desk.library.ada, responsible=desk.library.numbers["ada"]
        )
        for n in range(many)
    ]


def named(records: list[Record]) -> list[str]:
    return [one.address for one in records]


def test_a_curator_sees_what_waits_oldest_first_and_by_collection(desk: Desk) -> None:
    library = desk.library
    first, second, third = proposals(desk)
    song = library.record("https://song.example/", library.arts, by=library.ben)
    library.record("https://inactive.example/", by=library.ada, active=False)
    library.record("https://done.example/")
    # What is proposed again waits from then on.
    library.records.decide(library.cora, [first.id], RecordState.REFUSED, "No.")
    library.records.decide(library.ada, [first.id], RecordState.PROPOSED)
    library.records.comment(library.ben, second.id, "We harvest that already.")
    tray = desk.site.house.selection.tray
    found = tray.proposals(library.cora, limit=10)
    assert [one.record.id for one in found.items] == [second.id, third.id, song.id, first.id]
    assert found.total == 4
    assert [(name, many) for _, name, many in found.by_collection] == [("Arts", 1), ("Press", 3)]
    assert [said.text for said in found.items[0].comments] == ["We harvest that already."]
    assert found.items[-1].comments == ()
    assert tray.proposals(library.cora, collection=library.arts.id, limit=10).total == 1
    assert tray.proposals(library.ada, limit=10).items == ()
    cora = desk.enter("cora")
    page = cora.get("/selection/tray").text
    assert "4 proposals" in page
    assert "We harvest that already." in page
    assert "1 proposal" in cora.get(f"/selection/tray?collection={library.arts.id}").text
    assert cora.get("/selection/tray?collection=").status_code == 200
    assert figure(cora) == "4"


def test_many_are_validated_at_once_and_one_refused_with_its_reason(desk: Desk) -> None:
    first, second, third = proposals(desk)
    cora = desk.enter("cora")
    answer = cora.submit(
        "/selection/tray/decide", {"do": "validate", "record": [first.id, second.id], "reason": "Half a"}
    )
    assert (answer.status_code, answer.headers["location"]) == (303, "/selection/tray#waiting")
    states = [(one.state, one.state_reason) for one in map(desk.library.records.get, (first.id, second.id))]
    assert states == [(RecordState.VALIDATED, ""), (RecordState.VALIDATED, "")]
    assert "Validated records: 2." in cora.get("/selection/tray").text
    answer = cora.submit("/selection/tray/decide", {"do": "refuse", "record": third.id, "reason": "A shop."})
    assert answer.status_code == 303
    refused = desk.library.records.get(third.id)
    assert (refused.state, refused.state_reason, refused.stated_by) == (
        RecordState.REFUSED,
        "A shop.",
        "cora",
    )
    assert len(desk.audited("record.validated")) == 2
    assert "Nothing waits" in cora.get("/selection/tray").text


def test_a_decision_that_cannot_be_made_loses_nothing(desk: Desk) -> None:
    first, second, _ = proposals(desk)
    cora = desk.enter("cora")
    for values, sentence in (
        ({"do": "validate"}, "Select the proposals to decide on."),
        ({"do": "burn", "record": first.id}, "Proposals are validated or rejected."),
        (
            {"do": "refuse", "record": [first.id, second.id], "reason": " "},
            "Say why: the librarian will ask.",
        ),
        ({"do": "refuse", "record": first.id, "reason": "x" * 2001}, "A reason has at most 2000 characters."),
        ({"do": "validate", "record": 999}, "There is no record with the number 999."),
        ({"do": "validate", "record": first.id, f"edition-{first.id}": 9}, "Somebody changed the record"),
    ):
        answer = cora.submit("/selection/tray/decide?page=1", values)
        assert answer.status_code == 422, values
        assert sentence in answer.text
        assert "3 proposals" in answer.text
    ticked = cora.submit("/selection/tray/decide", {"do": "refuse", "record": [first.id, second.id]}).text
    assert len(re.findall(r'name="record"[^>]* checked', ticked)) == 2
    assert all(one.record.state is RecordState.PROPOSED for one in waiting(desk))


def waiting(desk: Desk) -> list[Waiting]:
    found = desk.site.house.selection.tray.proposals(desk.library.cora, limit=10).items
    assert len(found) == 3
    return list(found)


def test_a_curator_does_not_validate_what_changed_under_the_eyes(desk: Desk) -> None:
    (record,) = proposals(desk, 1)
    cora = desk.enter("cora")
    library = desk.library
    library.records.change_fields(library.ada, record.id, {"title": "Something else"})
    values = {"do": "validate", "record": record.id, f"edition-{record.id}": record.edition}
    assert cora.submit("/selection/tray/decide", values).status_code == 422
    answer = cora.submit(f"/selection/records/{record.id}/validate", {"seen": record.edition})
    assert answer.status_code == 422
    assert "Somebody changed the record Something else meanwhile." in answer.text
    assert library.records.get(record.id).state is RecordState.PROPOSED


def test_a_librarian_finds_refusals_until_they_are_answered(desk: Desk) -> None:
    library = desk.library
    first, second, third = proposals(desk)
    theirs = library.record("https://mine.example/", library.arts, by=library.ben)
    library.records.decide(library.cora, [first.id, second.id, theirs.id], RecordState.REFUSED, "Not ours.")
    tray = desk.site.house.selection.tray
    assert named(tray.refused(library.ada)) == named([first, second])
    assert named(tray.refused(library.ben)) == named([theirs])  # made by them, and nobody is responsible
    ada = desk.enter("ada")
    page = ada.get("/selection/tray").text
    assert "Not ours." in page
    assert f"/selection/records/{first.id}/edit" in page
    assert figure(ada) == "2"
    library.records.decide(library.ada, [first.id], RecordState.PROPOSED)
    library.records.change_fields(library.ada, second.id, {"active": False})
    assert tray.refused(library.ada) == []
    assert figure(ada) == ""
    assert "Nothing waits for you." in ada.get("/selection/tray").text
    assert third.id not in {one.id for one in tray.refused(library.ada)}


def test_comments_are_news_until_the_record_is_looked_at(desk: Desk) -> None:
    library = desk.library
    first, second, _ = proposals(desk)
    library.records.comment(library.cora, first.id, "Is there a feed?")
    library.records.comment(library.ada, first.id, "There is.")  # one's own words are no news
    library.records.comment(library.cora, second.id, "And here?")
    library.records.comment(library.ben, second.id, "I know one.")
    tray: Tray = desk.site.house.selection.tray
    news = [(one.record.id, [said.text for said in one.comments]) for one in tray.news(library.ada)]
    assert news == [(second.id, ["And here?", "I know one."]), (first.id, ["Is there a feed?"])]
    assert tray.news(library.cora) == []
    ada = desk.enter("ada")
    assert figure(ada) == "2"
    page = ada.get("/selection/tray").text
    assert "Is there a feed?" in page
    assert "There is." not in page
    part = ada.get(f"/selection/records/{first.id}", headers={"X-Part": "1"})
    assert part.status_code == 200
    assert len(tray.news(library.ada)) == 2  # a page that renews itself is not somebody who looks
    ada.get(f"/selection/records/{first.id}")
    assert [one.record.id for one in tray.news(library.ada)] == [second.id]
    library.records.comment(library.cora, first.id, "One more thing.")
    assert [one.record.id for one in tray.news(library.ada)] == [first.id, second.id]
    assert ada.submit("/selection/tray/read").status_code == 303
    assert tray.news(library.ada) == []
    later = clock.now() - timedelta(days=91)
    library.records.comment(library.cora, second.id, "Too late.")
    execute(desk.site, "UPDATE selection_comment SET at = :at", at=later)
    assert tray.news(library.ada) == []


def test_the_figure_is_bounded_and_on_the_overview(desk: Desk) -> None:
    library = desk.library
    drafts = [library.draft(f"https://{n}.example/") for n in range(1005)]
    library.records.create_many(library.ada, [Entered(one) for one in drafts])
    cora, ben = desk.enter("cora"), desk.enter("ben")
    assert figure(cora) == "999+"
    overview = cora.get("/").text
    assert '<a href="/selection/tray#waiting" aria-label="Proposals to decide: 999+">' in overview
    assert 'data-live="records' in overview
    assert "Nothing waits for you." in ben.get("/").text
    second = cora.get("/selection/tray?page=21").text
    assert "1,005 proposals" in second
    assert second.count('id="tick-') == 5


def test_a_page_without_the_right_to_enter_has_no_tray(desk: Desk) -> None:
    manager = desk.site.signed_in("mia", Role.MANAGER)
    assert manager.get("/selection/tray").status_code == 403
    assert "Inbox" not in manager.get("/").text


def test_open_findings_of_ones_own_collections_lie_in_the_tray(desk: Desk) -> None:
    library = desk.library
    findings = desk.site.house.transfer.findings
    press = library.record("https://news.example/", title="The news")
    arts = library.record("https://song.example/", library.arts, by=library.ben, title="The song")
    for n in range(11):
        findings.add(library.ada, press.id, f"Pictures are missing, look {n}.")
    last = findings.add(library.ben, arts.id, "The shop is collected as well.", "Choose page+1")
    ada, ben, cora = desk.enter("ada"), desk.enter("ben"), desk.enter("cora")
    assert [figure(one, entry="Findings") for one in (ada, ben, cora)] == ["11", "1", "12"]
    assert figure(ada) == ""
    tray = ada.get("/selection/tray").text
    assert "All 11 open findings" in tray
    assert "look 10." in tray
    assert "look 0." not in tray
    assert "The song" not in tray
    everything = ada.get("/selection/findings?collection=mine").text
    assert "look 0." in everything
    assert "The song" not in everything
    assert "Choose page+1" in ben.get("/selection/tray").text
    assert ben.submit(f"/selection/findings/{last.id}/close").status_code == 303
    assert "The song" not in ben.get("/selection/tray").text
    assert figure(ben, entry="Findings") == ""


def test_nominations_that_wait_are_counted_for_those_who_decide(desk: Desk) -> None:
    library = desk.library
    nominations = desk.site.app.state.services.get(Nominations)
    for n, collection in enumerate((library.arts.id, library.arts.id, None)):
        nominations.nominate(
            library.ben.actor, Proposal(f"https://{n}.example/", collection=collection), language="en"
        )
    ada, ben = desk.enter("ada"), desk.enter("ben")
    assert [figure(one, entry="Nominations") for one in (ada, ben)] == ["1", "3"]
    assert "Nominations" in ben.get("/").text
