"""Records through the API: what the pages do, for programs."""

from typing import Any

from armarium.accounts.model import Permission
from armarium.selection.model import Origin, RecordState
from tests.integration.selection.records.desk import Desk
from tests.site import Client

P = Permission
LIBRARIAN = (P.SELECTION_VIEW, P.SELECTION_EDIT)
CURATOR = (*LIBRARIAN, P.SELECTION_EVERYWHERE, P.SELECTION_VALIDATE)


def given(desk: Desk, **values: Any) -> dict[str, Any]:
    press = desk.library.press
    return {
        "collection": press.id,
        "address": "news.example",
        "theme": press.themes[0].id,
        "budget": "small",
        "frequency": "monthly",
        "depth": "host",
        **values,
    }


def created(desk: Desk, program: Client, **values: Any) -> dict[str, Any]:
    answer = program.post("/api/records", json=given(desk, **values))
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_record_is_made_read_replaced_and_decided(desk: Desk) -> None:
    ada, cora = desk.program("ada", *LIBRARIAN), desk.program("cora", *CURATOR)
    further = [{"address": "https://news.example/feed", "note": "a feed"}]
    made = created(desk, ada, title="News", keywords=["press"], further=further)
    address = f"/api/records/{made['id']}"
    assert ada.get(address).json() == made
    assert (made["state"], made["origin"], made["created_by"]) == ("proposed", Origin.API, "ada")
    assert made["further"] == [{**further[0], "checked_at": None}]
    assert cora.post(f"{address}/refuse", json={"reason": ""}).status_code == 422
    refused = cora.post(f"{address}/refuse", json={"reason": "Too much."}).json()
    assert (refused["state"], refused["state_reason"], refused["stated_by"]) == (
        "refused",
        "Too much.",
        "cora",
    )
    assert [one["id"] for one in desk.program("ada", *LIBRARIAN).get("/api/tray/refused").json()] == [
        made["id"]
    ]
    replaced = ada.put(address, json=given(desk, depth="path", edition=refused["edition"])).json()
    assert (replaced["depth"], replaced["title"], replaced["further"]) == ("path", "", [])
    late = ada.put(address, json=given(desk, edition=refused["edition"]))
    assert late.status_code == 422
    assert "Somebody changed the record" in late.json()["detail"]
    assert ada.post(f"{address}/propose").json()["state"] == "proposed"
    unseen = cora.post(f"{address}/validate")
    assert (unseen.status_code, made["checked_at"]) == (422, None)
    assert "http://news.example/ has not been seen to answer" in unseen.json()["detail"]
    desk.library.saw(made["id"])
    assert cora.post(f"{address}/validate").json()["state"] == "validated"
    again = ada.put(address, json=given(desk, depth="domain")).json()
    assert again["state"] == "proposed"  # a technical setting is other than what was validated
    assert cora.post(f"{address}/validate").json()["state"] == "validated"
    moved = cora.put(address, json=given(desk, address="dead.example")).json()
    assert (moved["state"], moved["checked_at"]) == ("proposed", None)  # nobody has seen that one answer


def test_no_door_validates_what_was_not_seen_to_answer(desk: Desk) -> None:
    cora, library = desk.program("cora", *CURATOR), desk.library
    dead = created(desk, cora)  # by a curator, who validates at once what was seen
    address = f"/api/records/{dead['id']}"
    nomination = cora.post("/api/nominations", json={"address": "nominated.example"}).json()
    record = {name: value for name, value in given(desk).items() if name != "address"}
    cora.post(f"/api/nominations/{nomination['id']}/accept", json=record)
    nominated = cora.get(f"/api/nominations/{nomination['id']}").json()["record"]
    cora.post(f"{address}/move", json={"collection": library.arts.id, "theme": library.arts.themes[0].id})
    cora.put(address, json=given(desk, title="Dead"))
    assert cora.post(f"{address}/validate").status_code == 422
    decided = {"records": [dead["id"], nominated], "state": "validated"}
    assert cora.post("/api/tray/decide", json=decided).status_code == 422
    preview = cora.post("/api/bulk", json=decided).json()
    assert (preview["refused"], preview["changing"]) == (2, 0)
    assert cora.post(f"/api/bulk/{preview['id']}/apply").status_code == 422
    refusing = {**decided, "state": "refused", "reason": "No."}
    refused = cora.post("/api/bulk", json=refusing).json()["id"]
    for step in ("apply", "undo"):
        assert cora.post(f"/api/bulk/{refused}/{step}").status_code == 200
    assert [library.records.get(one).state for one in (dead["id"], nominated)] == [RecordState.PROPOSED] * 2


def test_bad_documents_are_refused_with_a_reason(desk: Desk) -> None:
    ada = desk.program("ada", *LIBRARIAN)
    for values, status in (
        ({"address": "mailto:somebody"}, 422),
        ({"budget": "enormous"}, 422),
        ({"budget": "large", "frequency": "daily", "depth": "domain"}, 422),
        ({"theme": desk.library.arts.themes[0].id}, 422),
        ({"collection": 999}, 404),
        ({"responsible": 999}, 422),
        ({"state": "validated"}, 422),  # nobody validates by the way
        ({"title": "a\u0000b"}, 422),
        ({"further": [{"address": "https://x.example/", "colour": "red"}]}, 422),
    ):
        answer = ada.post("/api/records", json=given(desk, **values))
        assert answer.status_code == status, values
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["detail"]
    created(desk, ada)
    again = ada.post("/api/records", json=given(desk, address="http://NEWS.example:80/"))
    assert "is in the collection Press already: record 1." in again.json()["detail"]
    assert ada.get("/api/records/999").status_code == 404
    assert ada.get("/api/records/999/comments").status_code == 404


def test_a_record_moves_with_or_without_other_settings(desk: Desk) -> None:
    cora, arts = desk.program("cora", *CURATOR), desk.library.arts
    made = created(desk, cora)
    to: dict[str, Any] = {"collection": arts.id, "theme": arts.themes[1].id}
    half = cora.post(f"/api/records/{made['id']}/move", json={**to, "budget": "large"})
    assert "together" in half.json()["detail"]
    whole = {**to, "budget": "large", "frequency": "annual", "depth": "domain"}
    moved = cora.post(f"/api/records/{made['id']}/move", json=whole).json()
    assert (moved["collection_name"], moved["theme_name"], moved["budget"]) == ("Arts", "Theatre", "large")
    [entry] = desk.audited("record.moved")
    assert ((entry.before or {})["collection"], (entry.after or {})["collection"]) == ("Press", "Arts")
    taken = created(desk, cora)  # the address is free again in Press, but Arts has it now
    answer = cora.post(f"/api/records/{taken['id']}/move", json=to)
    assert (answer.status_code, "already" in answer.json()["detail"]) == (422, True)


def test_comments_and_the_tray(desk: Desk) -> None:
    ada, cora = desk.program("ada", *LIBRARIAN), desk.program("cora", *CURATOR)
    numbers = [created(desk, ada, address=f"{n}.example", responsible=1)["id"] for n in range(3)]
    said = cora.post(f"/api/records/{numbers[0]}/comments", json={"text": "Why?"})
    assert (said.status_code, said.json()["author"]) == (201, "cora")
    assert [one["text"] for one in ada.get(f"/api/records/{numbers[0]}/comments").json()] == ["Why?"]
    assert ada.post(f"/api/records/{numbers[0]}/comments", json={"text": " "}).status_code == 422
    [news] = ada.get("/api/tray/comments").json()
    assert (news["record"]["id"], news["comments"][0]["text"]) == (numbers[0], "Why?")
    waiting = cora.get("/api/tray/proposals?limit=2").json()
    assert (waiting["total"], [one["record"]["id"] for one in waiting["items"]]) == (3, numbers[:2])
    assert waiting["items"][0]["comments"][0]["text"] == "Why?"
    desk.library.saw(*numbers)
    decision = {"records": [*numbers, 999], "state": "validated"}
    assert cora.post("/api/tray/decide", json=decision).status_code == 422
    assert cora.get("/api/tray/proposals").json()["total"] == 3  # all or none
    done = cora.post("/api/tray/decide", json={**decision, "records": numbers}).json()
    assert [one["state"] for one in done] == [RecordState.VALIDATED] * 3
    assert ada.post("/api/tray/decide", json=decision).status_code == 403
