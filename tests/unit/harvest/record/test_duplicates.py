"""Captures that repeat another one become revisits, as the order asks."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from armarium.core.errors import NotFound, Refused
from armarium.formats.warc.new_record import IDENTICAL_PAYLOAD, NOT_MODIFIED
from armarium.formats.warc.records import Revisit
from armarium.harvest.record import CaptureFacts, Recorder
from armarium.harvest.record.digest_index import DigestIndex, HashTable, url_key
from tests.unit.harvest.record.exchanges import REQUEST, STARTED, exchange, message
from tests.unit.harvest.record.recording import recorder, records

FACTS = CaptureFacts(seed=True)
# SHA-1 of "Hello".
HELLO = "sha1:677Z5C33WLQJW4ETLJOXQXQMYXM5BK7Q"


def take(
    writing: Recorder, folder: Path, url: str, body: bytes = b"Hello", *, kind: str = "image/png", **more: str
) -> str | None:
    received = message(body, fields=f"Content-Type: {kind}\r\n", **more)
    return writing.record(exchange(folder, received, url=url), item_facts=FACTS).duplicate


def index_file(folder: Path, *lines: str) -> str:
    path = folder / "earlier.cdxj"
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


LINE = (
    'org,example)/a 20250102030405 {"url": "http://example.org/a", "mime": "image/png", "status": "200", '
    f'"digest": "{HELLO}", "length": "500", "offset": "0", "filename": "old.warc.gz"}}'
)


def test_the_same_payload_at_the_same_address_of_an_earlier_harvest_is_a_revisit(tmp_path: Path) -> None:
    writing = recorder(tmp_path, digest_index=(index_file(tmp_path, LINE),))
    assert take(writing, tmp_path, "http://example.org/a") == "digest"
    assert take(writing, tmp_path, "http://example.org/b") is None
    assert take(writing, tmp_path, "http://example.org/a", b"new") is None
    writing.close()
    record, block = records(tmp_path)[1]
    assert isinstance(record, Revisit)
    assert record.profile == IDENTICAL_PAYLOAD
    assert record.refers_to_target_uri == "http://example.org/a"
    assert record.refers_to_date == datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert str(record.payload_digest) == HELLO
    assert block == b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 5\r\n\r\n"


def test_by_digest_alone_the_address_does_not_matter(tmp_path: Path) -> None:
    bare = LINE.replace("sha1:", "")
    writing = recorder(tmp_path, duplicates="digest", digest_index=(index_file(tmp_path, bare),))
    assert take(writing, tmp_path, "http://other.example/") == "digest"
    writing.close()
    record, _ = records(tmp_path)[1]
    assert isinstance(record, Revisit)
    assert record.refers_to_target_uri == "http://example.org/a"


@pytest.mark.parametrize(
    "line",
    [
        LINE.replace("image/png", "warc/revisit"),
        LINE.replace('"200"', '"404"'),
        LINE.replace('"digest"', '"not"'),
        "# a remark",
        "",
    ],
)
def test_lines_that_are_no_original_are_passed_over(tmp_path: Path, line: str) -> None:
    writing = recorder(tmp_path, digest_index=(index_file(tmp_path, line),))
    assert take(writing, tmp_path, "http://example.org/a") is None


def test_within_the_crawl_the_first_capture_is_referred_to(tmp_path: Path) -> None:
    writing = recorder(tmp_path, duplicates="digest")
    assert take(writing, tmp_path, "http://example.org/1") is None
    assert take(writing, tmp_path, "http://example.org/2") == "digest"
    writing.flush()
    assert take(writing, tmp_path, "http://example.org/3") == "digest"
    writing.close()
    revisits = [record for record, _ in records(tmp_path) if isinstance(record, Revisit)]
    assert [revisit.refers_to_target_uri for revisit in revisits] == ["http://example.org/1"] * 2
    assert {revisit.refers_to_date for revisit in revisits} == {STARTED}


def test_a_resumed_crawl_knows_what_was_safe_and_nothing_else(tmp_path: Path) -> None:
    writing = recorder(tmp_path, duplicates="digest")
    take(writing, tmp_path, "http://example.org/1", b"safe")
    writing.flush()
    writing.committed()
    take(writing, tmp_path, "http://example.org/2", b"lost")
    again = recorder(tmp_path, duplicates="digest")
    assert take(again, tmp_path, "http://example.org/3", b"safe") == "digest"
    assert take(again, tmp_path, "http://example.org/4", b"lost") is None


def test_a_lost_table_is_made_again_from_the_lines(tmp_path: Path) -> None:
    writing = recorder(tmp_path, duplicates="digest")
    take(writing, tmp_path, "http://example.org/1")
    writing.close()
    (tmp_path / "captures.table").write_bytes(b"damaged")
    assert take(recorder(tmp_path, duplicates="digest"), tmp_path, "http://example.org/2") == "digest"


def test_not_within_the_crawl_if_the_order_says_so(tmp_path: Path) -> None:
    writing = recorder(tmp_path, duplicates="digest", duplicates_within=False)
    assert take(writing, tmp_path, "http://example.org/1") is None
    assert take(writing, tmp_path, "http://example.org/2") is None


def test_nothing_is_a_duplicate_with_none(tmp_path: Path) -> None:
    writing = recorder(tmp_path, duplicates="none", digest_index=(index_file(tmp_path, LINE),))
    assert take(writing, tmp_path, "http://example.org/a") is None


def test_text_small_files_errors_and_nothing_are_recorded_whole(tmp_path: Path) -> None:
    writing = recorder(tmp_path, duplicates="digest", duplicates_skip_text=True, min_duplicate_bytes=5)
    for _ in range(2):
        assert take(writing, tmp_path, "http://example.org/", kind="text/html; charset=utf-8") is None
        assert take(writing, tmp_path, "http://example.org/", b"tiny") is None
        assert take(writing, tmp_path, "http://example.org/", b"") is None
        assert take(writing, tmp_path, "http://example.org/", b"gone away", status="404 Not Found") is None


def test_the_answer_to_a_form_is_never_a_duplicate(tmp_path: Path) -> None:
    writing = recorder(tmp_path, duplicates="digest")
    asked = REQUEST.replace(b"GET", b"POST")
    for _ in range(2):
        capture = exchange(tmp_path, message(b"Hello"), request=asked)
        assert writing.record(capture, item_facts=FACTS).duplicate is None


def test_a_server_that_says_not_modified_is_believed(tmp_path: Path) -> None:
    known = LINE.replace('"length"', '"etag": "\\"x1\\"", "last-modified": "Thu, 02 Jan 2025", "length"')
    writing = recorder(tmp_path, conditional_requests=True, digest_index=(index_file(tmp_path, known),))
    assert writing.validators("http://example.org/a") == [
        ("If-None-Match", '"x1"'),
        ("If-Modified-Since", "Thu, 02 Jan 2025"),
    ]
    assert writing.validators("http://example.org/b") == []
    received = b"HTTP/1.1 304 Not Modified\r\nETag: x1\r\n\r\n"
    recorded = writing.record(exchange(tmp_path, received, url="http://example.org/a"), item_facts=FACTS)
    assert recorded.annotations == ("duplicate:server-not-modified",)
    writing.close()
    record, block = records(tmp_path)[1]
    assert isinstance(record, Revisit)
    assert record.profile == NOT_MODIFIED
    assert record.refers_to_date == datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert block == received


def test_the_table_is_kept_until_a_file_changes(tmp_path: Path) -> None:
    path = Path(index_file(tmp_path, LINE))
    table = tmp_path / "index.table"
    DigestIndex([path], table, with_url=True, addresses=False).close()
    made = table.stat().st_mtime_ns
    index = DigestIndex([path], table, with_url=True, addresses=False)
    assert table.stat().st_mtime_ns == made
    assert index.find(url_key("http://www.example.org/a"), HELLO) is not None
    index.close()
    index_file(tmp_path, LINE.replace("/a", "/b"))
    changed = DigestIndex([path], table, with_url=True, addresses=False)
    assert changed.find(b"org,example)/a", HELLO) is None
    assert changed.find(b"org,example)/b", HELLO) is not None


def test_several_files_are_one_index_and_the_last_line_counts(tmp_path: Path) -> None:
    first, second = tmp_path / "1.cdxj", tmp_path / "2.cdxj"
    first.write_text(LINE + "\n" + LINE.replace("/a", "/c") + "\n")
    second.write_text(LINE.replace("20250102", "20260102") + "\n")
    index = DigestIndex([first, second], tmp_path / "t", with_url=True, addresses=True)
    found = index.find(b"org,example)/a", HELLO)
    assert found is not None
    assert found.date - datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC) == timedelta(days=365)
    assert index.latest(b"org,example)/c") is not None
    assert index.latest(b"org,example)/d") is None


def test_an_index_that_is_missing_or_compressed_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"nowhere\.cdxj"):
        recorder(tmp_path, digest_index=(str(tmp_path / "nowhere.cdxj"),))
    packed = tmp_path / "packed.cdxj"
    packed.write_bytes(b"\x1f\x8b\x08")
    with pytest.raises(Refused, match=r"packed\.cdxj is compressed"):
        recorder(tmp_path, digest_index=(str(packed),))


def test_a_table_grows_and_keeps_what_it_knew(tmp_path: Path) -> None:
    table = HashTable(tmp_path / "t")
    for number in range(50_000):
        table.put(number * 0x9E3779B97F4A7C15 % 2**64, number)
    table.put(0, 7)
    assert len(table) == 50_000
    assert all(table.get(number * 0x9E3779B97F4A7C15 % 2**64) == number for number in range(1, 50_000))
    assert table.get(0) == 7
    assert table.get(12345) is None
