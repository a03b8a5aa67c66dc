"""The books: what is counted, what is logged, and what a resumed crawl knows of it."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from armarium.core.crawl_order import CrawlOrder
from armarium.formats.http import parse_response
from armarium.formats.warc.new_record import Truncation
from armarium.harvest.engine.ledger import Ending, Ledger
from armarium.harvest.extract import Found
from armarium.harvest.fetch.exchange import Exchange, Wire
from armarium.harvest.folder import CrawlFolder
from armarium.harvest.frontier import Item
from armarium.harvest.model import Status
from armarium.harvest.record import Recorded
from armarium.harvest.reports.crawl_log import Outcome, parse_crawl_log_line

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
KEPT = Recorded("x.warc.gz", 12, "sha1:ABC", 70, None, 4)


class Memory:
    def __init__(self) -> None:
        self.facts: dict[str, str | int] = {}

    def remember(self, name: str, value: str | int) -> None:
        self.facts[name] = value

    def recall(self, name: str) -> str | int | None:
        return self.facts.get(name)


def ledger(folder: Path, memory: Memory | None = None) -> Ledger:
    place = CrawlFolder(folder)
    place.create()
    return Ledger(place, CrawlOrder(), memory or Memory(), 1000.0)


def item(url: str = "http://example.org/", *, id_: int = 1, hops: str = "", attempts: int = 0) -> Item:
    return Item(id_, url, hops, "", "tag", "", attempts, "example.org", 0)


def exchange(folder: Path, status: int = 200, **facts: object) -> Exchange:
    wire = Wire(folder)
    wire.add(HEAD + b"body")
    wire.head_length = len(HEAD)
    made = Exchange("http://example.org/", status, datetime(2026, 1, 1, tzinfo=UTC), wire)
    made.head = parse_response(HEAD)
    for name, value in facts.items():
        setattr(made, name, value)
    return made


def logged(folder: Path, books: Ledger) -> list[Outcome]:
    books.flush(1000.0)
    lines = (folder / "logs" / "crawl.log").read_text().splitlines()
    return [outcome for line in lines if (outcome := parse_crawl_log_line(line)) is not None]


def test_a_capture_is_counted_and_logged(tmp_path: Path) -> None:
    books = ledger(tmp_path)
    books.ended(item(), Ending(200, exchange(tmp_path), KEPT), 1005.0)

    assert (books.objects, books.bytes, books.last_response) == (1, 4, 1005.0)
    (line,) = logged(tmp_path, books)
    assert (line.status, line.size, line.mime, line.digest, line.source) == (
        200, 4, "text/html", "sha1:ABC", "tag",
    )  # fmt: skip
    assert (line.content_size, line.filename, line.offset) == (len(HEAD) + 4, "x.warc.gz", 12)


@pytest.mark.parametrize("hops", ["P", "LP", "PR", "LPRR"])
def test_prerequisites_are_bytes_but_no_objects(tmp_path: Path, hops: str) -> None:
    books = ledger(tmp_path)
    books.ended(item(hops=hops), Ending(200, exchange(tmp_path), KEPT), 1005.0)

    assert (books.objects, books.bytes) == (0, 4)


def test_a_failure_is_no_response_and_its_reason_is_logged(tmp_path: Path) -> None:
    books = ledger(tmp_path)
    failed = exchange(tmp_path, Status.CONNECT_FAILED, error="Nobody there.", head=None)
    books.ended(item(), Ending(Status.CONNECT_FAILED, failed), 1005.0)

    assert (books.objects, books.bytes, books.last_response) == (0, 0, 1000.0)
    (line,) = logged(tmp_path, books)
    assert (line.status, line.size, line.mime) == (Status.CONNECT_FAILED, None, "")
    assert "Nobody there." in (tmp_path / "logs" / "nonfatal-errors.log").read_text()


@pytest.mark.parametrize(
    ("truncated", "word"),
    [
        (Truncation.LENGTH, "lenTrunc"),
        (Truncation.TIME, "timeTrunc"),
        (Truncation.DISCONNECT, "disconnectTrunc"),
    ],
)
def test_truncation_is_told_in_the_words_of_heritrix(
    tmp_path: Path, truncated: Truncation, word: str
) -> None:
    books = ledger(tmp_path)
    books.ended(item(), Ending(200, exchange(tmp_path, truncated=truncated), KEPT), 1005.0)

    assert logged(tmp_path, books)[0].annotations == (word,)


def test_annotations_come_in_their_order(tmp_path: Path) -> None:
    books = ledger(tmp_path)
    found = Found("", "utf-8", [], ("extracted",), 7)
    cut = exchange(tmp_path, truncated=Truncation.LENGTH, head_truncated=True)
    books.ended(item(attempts=2), Ending(200, cut, None, found, annotations=("first",)), 1005.0)

    assert logged(tmp_path, books)[0].annotations == (
        "first", "3t", "lenTrunc", "headerTrunc", "unwritten:limit", "extracted", "dol:7",
    )  # fmt: skip


def test_visits_have_the_lowest_number_that_is_free(tmp_path: Path) -> None:
    books = ledger(tmp_path)
    visits = [books.began(item(id_=number), 0.0) for number in range(3)]
    assert [visit.thread for visit in visits] == [1, 2, 3]
    books.left(visits[1])
    books.left(visits[0])

    assert books.began(item(id_=9), 0.0).thread == 1
    assert books.began(item(id_=10), 0.0).thread == 2
    assert books.began(item(id_=11), 0.0).thread == 4


def test_a_second_visit_of_an_address_is_not_lost_when_the_first_leaves(tmp_path: Path) -> None:
    books = ledger(tmp_path)
    first = books.began(item(), 0.0)
    second = books.began(item(), 1.0)
    books.left(first)

    assert books.visits[1] is second


def test_rates_are_those_of_the_last_seconds(tmp_path: Path) -> None:
    books = ledger(tmp_path)
    assert books.rates() == (0.0, 0.0)
    for second in range(60):
        books.objects, books.bytes = second * (1 if second < 30 else 10), second * 100
        books.mark(1000.0 + second)

    objects, volume = books.rates()
    assert objects == pytest.approx(10, rel=0.1)
    assert volume == pytest.approx(100)


def test_a_resumed_crawl_counts_on_and_cuts_off_what_was_not_committed(tmp_path: Path) -> None:
    memory = Memory()
    books = ledger(tmp_path, memory)
    books.ended(item(), Ending(200, exchange(tmp_path), KEPT), 1005.0)
    books.flush(1005.0)
    for name, value in books.facts():
        memory.remember(name, value)
    books.ended(item("http://example.org/lost", id_=2), Ending(200, exchange(tmp_path), KEPT), 1006.0)
    books.flush(1006.0)

    resumed = ledger(tmp_path, memory)
    assert (resumed.objects, resumed.bytes) == (1, 4)
    assert [line.url for line in logged(tmp_path, resumed)] == ["http://example.org/"]
    assert resumed.statistics.totals.successes == 1
