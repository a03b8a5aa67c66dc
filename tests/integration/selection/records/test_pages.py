"""A record's pages: made, shown in words, changed, moved, commented on, with all of its history."""

from collections.abc import Mapping

from armarium.selection.collections.model import Choices
from armarium.selection.model import Budget, Frequency, RecordState
from armarium.selection.record_views.page_parts import PANELS, Tab
from armarium.selection.records.model import Record
from tests.integration.selection.records.desk import Desk

SCRIPT = "<script>alert(1)</script>"
ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt;"


def typed(desk: Desk, **values: object) -> dict[str, object]:
    press = desk.library.press
    return {
        "collection": press.id,
        "address": "https://news.example/",
        "theme": press.themes[0].id,
        "budget": "small",
        "frequency": "monthly",
        "depth": "host",
        "active": "yes",
        **values,
    }


def edited(record: Record, **values: object) -> Mapping[str, object]:
    return {
        "address": record.address,
        "theme": record.theme,
        "budget": record.budget.value,
        "frequency": record.frequency.value,
        "depth": record.depth.value,
        "active": "yes",
        "seen": record.edition,
        **values,
    }


def test_a_librarian_makes_a_record_and_sees_it_in_words(desk: Desk) -> None:
    ada = desk.enter("ada")
    form = ada.get("/selection/records/new?address=news.example").text
    assert 'value="news.example"' in form
    assert 'value="ada"' in form
    answer = ada.submit(
        "/selection/records/new",
        typed(
            desk,
            title="The News",
            language="fr",
            keywords="press, daily\nregional",
            responsible="ada",
            content_notes="A regional paper.",
            technical_notes="Has a sitemap.",
            further="news.example/sitemap.xml\tfor the archive\nhttps://news.example/",
        ),
    )
    assert answer.status_code == 303
    made = desk.library.records.get(int(answer.headers["location"].rpartition("/")[2]))
    assert (made.state, made.keywords, made.responsible_name) == (
        RecordState.PROPOSED,
        ("press", "daily", "regional"),
        "ada",
    )
    assert [(one.address, one.note) for one in made.further] == [
        ("http://news.example/sitemap.xml", "for the archive")
    ]
    shown = ada.get(f"/selection/records/{made.id}").text
    for words in ("The News", "Small", "Monthly", "Host", "News", "Press"):
        assert words in shown
    for words in ("Proposed", "Waiting for a curator’s decision."):
        assert words in shown
    described = ada.get(f"/selection/records/{made.id}/description").text
    for words in ("A regional paper.", "Has a sitemap.", "for the archive", "press, daily, regional"):
        assert words in described
    assert "/access/go?to=%2Fall%2F%2A%2Fhttps%3A%2F%2Fnews.example%2F" in shown
    assert "/planning/domains?q=news.example" in shown


def test_the_form_refuses_nonsense_and_keeps_what_was_typed(desk: Desk) -> None:
    ada = desk.enter("ada")
    desk.library.record("https://taken.example/", by=desk.library.ada)
    for values, sentence in (
        ({"address": "mailto:somebody"}, "is no address of a web site"),
        ({"address": "https://taken.example/"}, "is in the collection Press already"),
        ({"theme": ""}, "Choose a theme."),
        ({"theme": desk.library.arts.themes[0].id}, "Choose one of the themes of the collection Press."),
        ({"budget": "enormous"}, "Choose one from the list."),
        (
            {"budget": "large", "frequency": "daily", "depth": "domain"},
            "More than a crawler can do in a day.",
        ),
        ({"language": "french"}, "Write the language as a code"),
        ({"responsible": "nobody-of-that-name"}, "There is no account named nobody-of-that-name."),
        ({"further": "https://news.example/a\nftp://news.example/b"}, "“ftp://news.example/b” is no address"),
        ({"collection": "999"}, "There is no collection with the number 999."),
        ({"collection": "one"}, "Choose a collection."),
    ):
        answer = ada.submit("/selection/records/new", typed(desk, content_notes="Typed with care.", **values))
        assert answer.status_code == 422, values
        assert sentence in answer.text, values
        assert "Typed with care." in answer.text
    assert ada.get("/selection/records/2").status_code == 404


def test_the_form_says_what_takes_a_validated_record_back(desk: Desk) -> None:
    proposed = desk.library.record("https://proposed.example/", by=desk.library.ada)
    validated = desk.library.record("https://validated.example/")
    again = "becomes a proposal again"
    ada = desk.enter("ada")
    form = ada.get(f"/selection/records/{validated.id}/edit").text
    assert again in form
    assert "frequency or depth" in form
    above = f'<a class="break" href="/selection/records/{validated.id}">https://validated.example/</a> › Edit'
    assert above in form
    assert again not in ada.get(f"/selection/records/{proposed.id}/edit").text
    curators = desk.enter("cora").get(f"/selection/records/{validated.id}/edit").text
    assert again in curators
    assert "frequency or depth" not in curators


def test_one_record_may_follow_another(desk: Desk) -> None:
    ada = desk.enter("ada")
    answer = ada.submit("/selection/records/new", typed(desk, another="yes"))
    assert answer.headers["location"] == f"/selection/records/new?collection={desk.library.press.id}"
    assert "is created and waits" in ada.get(answer.headers["location"]).text


def test_the_history_says_old_and_new_values_in_words(desk: Desk) -> None:
    record = desk.library.record("https://news.example/", by=desk.library.ada, keywords=("one, two",))
    ada = desk.enter("ada")
    address = f"/selection/records/{record.id}"
    further = "https://news.example/feed a feed"
    values = {**edited(record, title="News", frequency="half-yearly", keywords="one, two\nthree")}
    del values["active"]  # as browsers leave out what is not ticked
    answer = ada.submit(f"{address}/edit", {**values, "responsible": "ben", "further": further})
    assert answer.status_code == 303
    changed = desk.library.records.get(record.id)
    assert changed.keywords == ("one, two", "three")  # a comma of before stays where it was
    shown = " ".join(ada.get(f"{address}/history").text.split())
    for before, after in (("Monthly", "Twice a year"), ("one, two", "one, two, three")):
        assert f"</span>{before}</del>" in shown
        assert f"</span>{after}</ins>" in shown
    assert "https://news.example/feed (a feed)</ins>" in shown
    for words in ("Record changed", "Record created", "ben</ins>", "Web page", "yes</del>", "no</ins>"):
        assert words in shown
    assert not changed.active


def test_two_people_who_change_a_record_notice_each_other(desk: Desk) -> None:
    record = desk.library.record("https://news.example/", by=desk.library.ada)
    ada, cora = desk.enter("ada"), desk.enter("cora")
    address = f"/selection/records/{record.id}/edit"
    assert cora.submit(address, edited(record, title="By Cora")).status_code == 303
    answer = ada.submit(address, edited(record, title="By Ada"))
    assert answer.status_code == 422
    assert "Somebody changed the record By Cora meanwhile." in answer.text
    assert "What has changed meanwhile" in answer.text
    assert "By Cora</ins>" in answer.text
    assert 'value="By Ada"' in answer.text  # nothing lost
    now = desk.library.records.get(record.id)
    assert f'name="seen" value="{now.edition}"' in answer.text  # saving again is meant
    assert ada.submit(address, edited(now, title="By Ada")).status_code == 303
    assert desk.library.records.get(record.id).title == "By Ada"


def test_a_refused_record_is_corrected_and_proposed_in_one_step(desk: Desk) -> None:
    record = desk.library.record("https://news.example/", by=desk.library.ada)
    desk.library.records.decide(desk.library.cora, [record.id], RecordState.REFUSED, "Too much of it.")
    ada = desk.enter("ada")
    form = ada.get(f"/selection/records/{record.id}/edit").text
    assert "Save and propose again" in form
    refused = desk.library.records.get(record.id)
    values = edited(refused, depth="path", propose="yes")
    answer = ada.submit(f"/selection/records/{record.id}/edit", values)
    assert answer.status_code == 303
    now = desk.library.records.get(record.id)
    assert (now.state, now.state_reason, now.depth.value, now.stated_by) == (
        RecordState.PROPOSED,
        "",
        "path",
        "ada",
    )
    [entry] = desk.audited("record.proposed")
    assert (entry.actor, (entry.before or {})["state_reason"]) == ("ada", "Too much of it.")


def test_a_record_moves_with_a_theme_and_what_is_offered_there(desk: Desk) -> None:
    library = desk.library
    narrow = Choices("Arts", budgets=(Budget.SMALL,), frequencies=(Frequency.ANNUAL,))
    library.collections.change(library.cora.actor, library.arts.id, narrow)
    record = library.record("https://news.example/")
    cora = desk.enter("cora")
    address = f"/selection/records/{record.id}/move"
    form = cora.get(address).text
    assert '<optgroup label="Arts">' in form
    assert '<optgroup label="Press">' not in form
    assert cora.submit(address, {"theme": "", "seen": 1}).status_code == 422
    music = library.arts.themes[0].id
    answer = cora.submit(address, {"theme": music, "seen": record.edition})
    assert answer.status_code == 422
    assert "“Monthly” is not offered in the collection Arts." in answer.text
    answer = cora.submit(address, {"theme": music, "usual": "yes", "seen": record.edition})
    assert answer.status_code == 303
    moved = library.records.get(record.id)
    assert (moved.collection_name, moved.theme_name, moved.frequency) == ("Arts", "Music", Frequency.ANNUAL)
    shown = cora.get(f"/selection/records/{record.id}").text
    assert "has moved from Press to Arts" in shown
    assert "Record moved to another collection" in shown


def test_what_people_write_is_never_markup(desk: Desk) -> None:
    record = desk.library.record(
        "https://news.example/",
        by=desk.library.ada,
        title=SCRIPT,
        content_notes=SCRIPT,
        technical_notes=SCRIPT,
        keywords=(SCRIPT,),
    )
    cora = desk.enter("cora")
    address = f"/selection/records/{record.id}"
    cora.submit(f"{address}/comments", {"text": SCRIPT})
    cora.submit(f"{address}/refuse", {"reason": SCRIPT})
    ada = desk.enter("ada")
    for path in (address, f"{address}/edit", f"{address}/history", f"{address}/move", "/selection/tray"):
        answer = ada.get(path)
        assert SCRIPT not in answer.text
        assert ESCAPED in answer.text or path.endswith("/move")


def test_comments_are_said_by_everybody_and_never_empty(desk: Desk) -> None:
    record = desk.library.record("https://news.example/")
    ben = desk.enter("ben")  # of another collection
    address = f"/selection/records/{record.id}"
    assert ben.submit(f"{address}/comments", {"text": "  "}).status_code == 422
    answer = ben.submit(f"{address}/comments", {"text": "Their <b>music</b> pages\nare ours."})
    assert answer.status_code == 303
    shown = ben.get(address).text
    assert "Their &lt;b&gt;music&lt;/b&gt; pages\nare ours." in shown
    latest = shown.partition('id="record-history"')[2]
    assert "Record created" in latest
    assert "Comment on a record" not in latest
    [entry] = desk.audited("record.commented")
    assert (entry.actor, entry.object_id) == ("ben", str(record.id))
    assert ben.submit("/selection/records/999/comments", {"text": "?"}).status_code == 404


def test_a_record_is_let_go_and_taken_up_again(desk: Desk) -> None:
    record = desk.library.record("https://news.example/")
    ada = desk.enter("ada")
    assert ada.submit(f"/selection/records/{record.id}/let-go").status_code == 303
    assert not desk.library.records.get(record.id).active
    shown = ada.get(f"/selection/records/{record.id}").text
    assert "Inactive: it is not harvested." in shown
    assert ada.submit(f"/selection/records/{record.id}/take-up").status_code == 303
    now = desk.library.records.get(record.id)
    assert now.active
    assert now.state is RecordState.VALIDATED


def test_panels_are_fetched_again_by_themselves(desk: Desk) -> None:
    record = desk.library.record("https://news.example/")
    ada = desk.enter("ada")
    address = f"/selection/records/{record.id}"
    pages = {tab: ada.get(f"{address}/{tab}" if tab != Tab.OVERVIEW else address).text for tab in Tab}
    for panel in PANELS:
        assert f'id="panel-{panel.name}"' in pages[panel.tab]
        part = ada.get(f"{address}/panels/{panel.name}", headers={"X-Part": "1"})
        assert (part.status_code, "<html" in part.text) == (200, False)
    assert ada.get(f"{address}/panels/nothing").status_code == 404
    assert ada.get("/selection/records/999/panels/check").status_code == 404
