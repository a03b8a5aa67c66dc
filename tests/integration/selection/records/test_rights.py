"""Who may do what to a record, by page and API; each attempt on what is not theirs is in the audit log."""

import httpx
import pytest

from armarium.accounts.model import Permission
from armarium.selection.findings.service import Findings
from armarium.selection.model import RecordState
from armarium.selection.records.model import Record
from tests.integration.selection.records.desk import Desk

P = Permission


def form_of(record: Record, **values: object) -> dict[str, object]:
    return {
        "address": record.address,
        "theme": record.theme,
        "budget": record.budget.value,
        "frequency": record.frequency.value,
        "depth": record.depth.value,
        "title": "Taken over",
        **values,
    }


def document(record: Record, **values: object) -> dict[str, object]:
    return {**form_of(record), "collection": record.collection, **values}


def test_a_librarian_of_another_collection_changes_nothing_by_page(desk: Desk) -> None:
    library = desk.library
    record = library.record("https://news.example/")
    own = library.record("https://music.example/", library.arts)
    ben = desk.enter("ben")
    address = f"/selection/records/{record.id}"
    music, news = library.arts.themes[0].id, library.press.themes[0].id
    attempts: list[tuple[str, dict[str, object]]] = [
        (
            "/selection/records/new",
            {**form_of(record), "collection": library.press.id, "address": "new.example"},
        ),
        (f"{address}/edit", form_of(record)),
        (f"{address}/edit", form_of(record, seen="99")),  # rights come before the edition
        (f"{address}/propose", {}),
        (f"{address}/let-go", {}),
        (f"{address}/move", {"theme": music}),  # out of a collection that is not theirs
        (f"/selection/records/{own.id}/move", {"theme": news}),  # into one
    ]
    for path, values in attempts:
        answer = ben.submit(path, values)
        assert answer.status_code == 403, path
        assert "The collection Press is not one of yours" in answer.text
    assert library.records.get(record.id) == record
    assert library.records.get(own.id) == own
    assert desk.denied() == [
        ("ben", "Press", deed)
        for deed in (
            "record.created",
            "record.changed",
            "record.changed",
            "record.proposed",
            "record.changed",
            "record.moved",
            "record.moved",
        )
    ]


def test_pages_offer_only_what_can_be_done(desk: Desk) -> None:
    record = desk.library.record("https://news.example/", by=desk.library.ada)
    address = f"/selection/records/{record.id}"
    ben, cora, ada = desk.enter("ben"), desk.enter("cora"), desk.enter("ada")
    strange, curated, own = (who.get(address).text for who in (ben, cora, ada))
    assert f"{address}/edit" not in strange
    assert "Your comment" in strange
    for path in (f"{address}/edit", f"{address}/move"):
        answer = ben.get(path)
        assert (answer.status_code, answer.headers["location"]) == (303, address)
        assert "The collection Press is not one of yours" in ben.get(address).text
    assert f"{address}/edit" in own
    assert f"{address}/validate" not in own
    assert f"{address}/validate" in curated
    assert f"{address}/refuse" in curated
    assert desk.denied() == []  # looking is no attempt


def test_only_curators_decide(desk: Desk) -> None:
    record = desk.library.record("https://news.example/", by=desk.library.ada)
    ada = desk.enter("ada")
    for path in ("validate", "refuse"):
        answer = ada.submit(f"/selection/records/{record.id}/{path}", {"reason": "I say so."})
        assert answer.status_code == 403
    answer = ada.submit("/selection/tray/decide", {"do": "validate", "record": record.id})
    assert answer.status_code == 403
    with pytest.raises(Exception, match="Only curators decide"):
        desk.library.records.decide(desk.library.ada, [record.id], RecordState.VALIDATED)
    assert desk.denied() == [("ada", "https://news.example/", "record.validated")]
    assert desk.library.records.get(record.id) == record


def test_a_librarian_of_another_collection_changes_nothing_by_api(desk: Desk) -> None:
    library = desk.library
    record = library.record("https://news.example/")
    own = library.record("https://music.example/", library.arts)
    program = desk.program("ben", P.SELECTION_VIEW, P.SELECTION_EDIT)
    address, music, news = f"/api/records/{record.id}", library.arts.themes[0].id, library.press.themes[0].id
    to_press = {"collection": library.press.id, "theme": news}
    answers: list[httpx.Response] = [
        program.post("/api/records", json=document(record, address="new.example")),
        program.put(address, json=document(record)),
        program.post(f"{address}/propose"),
        program.post(f"{address}/move", json={"collection": library.arts.id, "theme": music}),
        program.post(f"/api/records/{own.id}/move", json=to_press),
        program.put(f"/api/records/{own.id}", json=document(own, **to_press)),
    ]
    assert [answer.status_code for answer in answers] == [403] * len(answers)
    assert all("The collection Press is not one of yours" in answer.json()["detail"] for answer in answers)
    assert library.records.get(record.id) == record
    assert library.records.get(own.id) == own
    assert [deed for *_, deed in desk.denied()] == [
        "record.created",
        "record.changed",
        "record.proposed",
        "record.moved",
        "record.moved",
        "record.moved",
    ]
    # What everybody of the staff may do.
    assert program.get(address).json()["collection_name"] == "Press"
    assert program.post(f"{address}/comments", json={"text": "Ours, too."}).status_code == 201


def test_a_token_does_no_more_than_its_scopes_say(desk: Desk) -> None:
    library = desk.library
    record = library.record("https://news.example/", by=library.ada)
    address = f"/api/records/{record.id}"
    reads = desk.program("cora", P.SELECTION_VIEW)
    edits = desk.program("cora", P.SELECTION_VIEW, P.SELECTION_EDIT)  # not everywhere: cora is no member
    decides = desk.program("cora", P.SELECTION_VALIDATE)
    both = desk.program("cora", P.SELECTION_VALIDATE, P.SELECTION_EVERYWHERE)
    assert reads.get(address).status_code == 200
    assert reads.put(address, json=document(record)).status_code == 403
    assert edits.put(address, json=document(record)).status_code == 403
    assert edits.post(f"{address}/validate").status_code == 403
    assert decides.get(address).status_code == 403
    assert decides.post(f"{address}/validate").status_code == 403
    assert decides.get("/api/tray/proposals").json() == {"items": [], "total": 0, "next": None}
    assert library.records.get(record.id) == record
    assert [deed for *_, deed in desk.denied()] == ["record.changed", "record.validated"]
    assert both.post(f"{address}/validate").json()["state"] == "validated"
    assert reads.get("/api/tray/refused").status_code == 403


def test_no_other_door_leads_into_another_collection_either(desk: Desk) -> None:
    library = desk.library
    record = library.record("https://news.example/")
    finding = Findings(library.database).add(library.ada, record.id, "Nothing came.")
    ben = desk.program("ben", P.SELECTION_VIEW, P.SELECTION_EDIT)
    note = {"criterion": "other", "meets": True, "text": "Mine."}
    attempts: list[tuple[str, dict[str, object], str]] = [
        (f"/api/findings/{finding.id}/close", {}, "record.finding_closed"),
        (f"/api/records/{record.id}/scope", note, "record.scope-noted"),
        (f"/api/records/{record.id}/scope/gather", {}, "record.scope-noted"),
        (f"/api/records/{record.id}/check", {}, "check.repeated"),
        ("/api/check-batches", {"collection": library.press.id, "addresses": ["y.example"]}, "check.entered"),
    ]
    for path, given, _ in attempts:
        assert ben.post(path, json=given).status_code == 403, path
    assert library.records.get(record.id) == record
    assert desk.denied() == [("ben", "Press", deed) for *_, deed in attempts]


@pytest.mark.parametrize("number", [2**63, 2**64, 10**40])
def test_a_number_that_no_table_can_hold_is_told_and_breaks_nothing(desk: Desk, number: int) -> None:
    cora = desk.program("cora", P.SELECTION_VIEW, P.SELECTION_EDIT, P.SELECTION_TRANSFER)
    common = {"budget": "small", "frequency": "monthly", "depth": "host"}
    batch = {"lines": [{"check": number}], "theme": number, "responsible": number, **common}
    given: list[tuple[str, dict[str, object]]] = [
        ("/api/findings", {"record": number, "text": "x"}),
        ("/api/check-batches", {"collection": number, "addresses": ["x.example"]}),
        ("/api/check-batches/1/records", batch),
        ("/api/bulk", {"query": "", "responsible": number}),
        ("/api/transfers", {"collection": number}),
    ]
    assert [cora.post(path, json=values).status_code for path, values in given] == [422] * len(given)
    assert cora.get("/api/findings", params={"collection": number}).status_code == 422
