"""What changes between the two editions, and what does not."""

from pathlib import Path

from armarium.demo.web import SITES, Edition, Site, read_edition, write_edition
from armarium.demo.web.answering import answered
from armarium.demo.web.building import answers, articles, truth, whole_truth

FIRST, SECOND = Edition.FIRST, Edition.SECOND


def site(word: str) -> Site:
    return next(each for each in SITES if each.word == word)


def body(word: str, edition: Edition, path: str) -> str:
    return answered(site(word), edition, path).body.decode()


def test_the_newspaper_has_new_articles() -> None:
    before, after = articles(site("gazette"), FIRST), articles(site("gazette"), SECOND)

    assert len(after) == len(before) + 3
    assert "herring-found" not in body("gazette", FIRST, "/feed.xml")
    assert "herring-found" in body("gazette", SECOND, "/feed.xml")


def test_a_home_page_is_redesigned() -> None:
    assert site("school").looks[FIRST].layout != site("school").looks[SECOND].layout
    assert body("school", FIRST, "/style.css") != body("school", SECOND, "/style.css")


def test_a_price_changes() -> None:
    assert "64.00" in body("umbrellas", FIRST, "/umbrellas/gale.html")
    assert "59.00" in body("umbrellas", SECOND, "/umbrellas/gale.html")
    assert "64.00" not in body("umbrellas", SECOND, "/umbrellas/gale.html")


def test_a_picture_is_replaced_at_the_same_address() -> None:
    before, after = (answers(site("hut"), edition)["/pictures/peak-1-640.png"] for edition in Edition)

    assert before.body != after.body


def test_one_is_gone_one_is_for_sale_one_has_moved_and_two_are_new() -> None:
    assert answered(site("festival"), SECOND, "/bands.html").status == 410
    assert "for sale" in body("cinema", SECOND, "/")
    moved = answered(site("lighthouse"), SECOND, "/stairs.html")
    assert (moved.status, moved.location) == (301, "site:beacon/stairs.html")
    assert answered(site("beacon"), SECOND, "/stairs.html").status == 200
    assert [each.word for each in SITES if each.opened is SECOND] == ["beacon", "observatory"]
    assert answered(site("observatory"), FIRST, "/").status == 404


def test_most_is_unchanged() -> None:
    wanted = [each for each in whole_truth(SECOND) if each.site.opened is FIRST and not each.site.end]
    unchanged = sum(len(each.unchanged) for each in wanted)
    all_found = sum(1 for each in wanted for status in each.addresses.values() if status == 200)

    assert 0.7 < unchanged / all_found < 0.95


def test_the_web_has_the_size_of_an_afternoon() -> None:
    numbers = [len(each.addresses) for each in whole_truth(FIRST) if each.site.opened is FIRST]

    assert len(SITES) >= 30
    assert min(numbers) >= 8
    assert 400 <= sum(numbers) <= 700


def test_truth_says_what_is_served() -> None:
    for edition in Edition:
        for each in whole_truth(edition):
            for path, status in each.addresses.items():
                assert answered(each.site, edition, path).status == status
            for path in each.unchanged:
                assert answered(each.site, FIRST, path).body == answered(each.site, SECOND, path).body


def test_truth_knows_what_is_forbidden_and_what_is_a_trap() -> None:
    assert truth(site("gazette"), FIRST).forbidden == {"/drafts/"}
    assert "/drafts/" not in truth(site("gazette"), FIRST).addresses
    assert truth(site("bees"), FIRST).trap == "/calendar/"


def test_the_edition_is_what_the_file_says(tmp_path: Path) -> None:
    assert read_edition(tmp_path) is FIRST
    write_edition(tmp_path, SECOND)
    assert read_edition(tmp_path) is SECOND
    (tmp_path / "edition").write_text("third")
    assert read_edition(tmp_path) is FIRST
