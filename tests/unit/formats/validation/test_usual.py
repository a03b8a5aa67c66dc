"""The quick look at usual records: it is taken, and finds nothing less than the closer look."""

import gzip
import io
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from armarium.formats.validation import Options, validate
from armarium.formats.validation.validator import Validation
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Record
from tests.unit.formats.validation.samples import (
    HTTP_RESPONSE,
    REQUEST,
    RESPONSE,
    judged_closely,
    pieces,
    record,
    record_id,
    sha1,
    warcinfo,
    zipped,
)

CORPORA = Path(__file__).resolve().parents[4].parent / "shared" / "corpora"
LARGEST = 1_000_000  # bytes of a file that is changed at random


class Counting(Validation):
    """Counts the records for which the quick look was enough."""

    quick = 0

    def _is_usual(self, record: Record) -> bool:
        usual = super()._is_usual(record)
        self.quick += usual
        return usual


def quick_looks(data: bytes) -> int:
    validation = Counting(io.BytesIO(data), "made.warc.gz", Options())
    assert validation.run().counts == {}
    return validation.quick


def capture(number: int, digests: dict[str, str] | None = None, **fields: Any) -> Iterator[bytes]:
    """A response and its request, as crawlers write them."""
    block = fields.get("block", RESPONSE)
    right = {"Block_Digest": sha1(block), "Payload_Digest": sha1(block.partition(b"\r\n\r\n")[2])}
    named = digests or right
    date = f"2026-01-02T03:{number:02d}:05Z"
    yield record(number=2 * number, **{"Date": date, **named, **fields})
    yield record(
        "request",
        REQUEST,
        number=2 * number + 1,
        Date=date,
        Content_Type="application/http; msgtype=request",
        Concurrent_To=record_id(2 * number),
    )


def archive(*changed: bytes, **fields: Any) -> bytes:
    """Three captures from which the usual is learnt, and what comes after."""
    captures = [one for number in range(1, 4) for one in capture(number, **fields)]
    return zipped(warcinfo(), *captures, *changed)


def test_all_captures_but_the_first_are_judged_quickly() -> None:
    assert quick_looks(archive()) == 4


@pytest.mark.parametrize(
    "fields",
    [
        {"version": "1.0"},
        {"Warcinfo_ID": record_id(0)},
        {"Identified_Payload_Type": "text/html"},
        {"Protocol": "h2", "Cipher_Suite": "TLS_AES_128_GCM_SHA256"},
        {"Date": "2026-01-02T03:04:05.678Z"},
    ],
)
def test_fields_that_crawlers_add_do_not_ask_for_the_closer_look(fields: dict[str, Any]) -> None:
    only = [record(number=number, **fields) for number in range(1, 4)]
    assert quick_looks(zipped(warcinfo(version=fields.get("version", "1.1")), *only)) == 2


def test_digests_in_base16_are_compared_quickly_too() -> None:
    sha256 = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    assert quick_looks(archive(digests={"Payload_Digest": sha256})) == 4
    assert "warc-payload-digest" in both_ways(
        archive(
            *capture(4, {"Payload_Digest": sha256.replace("2c", "3c")}), digests={"Payload_Digest": sha256}
        )
    )


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"Block_Digest": sha1(b"other")}, "warc-block-digest"),
        ({"Payload_Digest": sha1(b"other")}, "warc-payload-digest"),
        ({"Payload_Digest": sha1(RESPONSE)}, "warc-payload-digest-of-block"),
        ({"Date": "2026-02-30T03:04:05Z"}, "warc-date-invalid"),
        ({"Date": "2026-01-02T24:04:05Z"}, "warc-date-invalid"),
        ({"Date": "1970-01-01T00:00:00Z"}, "warc-date-implausible"),
        ({"Date": "2026-01-02T03:59:59Z"}, "warc-concurrent-date"),
        ({"Record_ID": record_id(2)}, "warc-id-repeated"),
        ({"IP_Address": "10.0.0.1"}, "warc-ip-private"),
        ({"Target_URI": "http://example.org/ü"}, "warc-uri-syntax"),
        ({"Target_URI": "http://example.org/100%"}, "warc-uri-percent"),
        ({"Content_Type": HTTP_RESPONSE.replace("response", "request")}, "warc-http-msgtype-wrong"),
        ({"Concurrent_To": record_id(99)}, "warc-concurrent-to-dangling"),
        ({"Warcinfo_ID": record_id(99)}, "warc-warcinfo-id-dangling"),
        ({"block": RESPONSE.replace(b": 5", b": 6")}, "http-body-shorter"),
        ({"block": RESPONSE.replace(b"200", b"204")}, "http-body-unexpected"),
        ({"block": RESPONSE.replace(b"hello", b"\x89PNG\r")}, "http-type-differs"),
    ],
)
def test_a_fault_among_usual_records_is_found(fields: dict[str, Any], code: str) -> None:
    assert code in both_ways(archive(*capture(4, **fields)))


@pytest.mark.parametrize(
    ("field", "code"),
    [("Warcinfo_ID", "warc-warcinfo-id-dangling"), ("Concurrent_To", "warc-concurrent-to-dangling")],
)
def test_a_reference_to_nothing_is_found_where_all_records_have_such_a_reference(
    field: str, code: str
) -> None:
    good, dangling = {field: record_id(0)}, {field: record_id(99)}
    assert quick_looks(archive(*capture(4, None, **good), **good)) == 6
    assert both_ways(archive(*capture(4, None, **dangling), **good)) == {code}


def test_a_request_without_an_answer_is_found_among_usual_records() -> None:
    answered, alone = capture(4), list(capture(5))[1:]
    assert "warc-request-alone" in both_ways(archive(*answered, *alone))


def both_ways(data: bytes, name: str = "made.warc.gz") -> set[str]:
    """The codes that the quick look leads to, which must be those of the closer look, each in its place."""
    report = validate(io.BytesIO(data), name=name, options=Options(limit=None))
    assert report.to_json() == judged_closely(data, name, limit=None).to_json()
    return set(report.counts)


# Other people's files ---------------------------------------------------------------------------------------


def files() -> list[str]:
    return sorted(
        str(path.relative_to(CORPORA))
        for folder in ("warc", "warc-bad", "arc", "gzip")
        for path in (CORPORA / folder).rglob("*")
        if path.is_file() and path.suffix != ".json"
    )


@pytest.mark.skipif(
    not CORPORA.is_dir(), reason="the folder of test files (../shared/corpora) is not beside this checkout"
)
@pytest.mark.parametrize("name", files())
def test_the_quick_look_finds_all_in_other_peoples_files_also_when_these_are_damaged(name: str) -> None:
    data = (CORPORA / name).read_bytes()
    both_ways(data, Path(name).name)
    plain = b"".join(record_bytes(data)) if len(data) < LARGEST else b""
    chance = random.Random(name)
    for _ in range(2):
        both_ways(b"".join(gzip.compress(changed(piece, chance), 1) for piece in pieces(plain)))


def record_bytes(data: bytes) -> Iterator[bytes]:
    """The records of a file, whatever its compression, as far as they can be read."""
    for one in ArchiveReader(io.BytesIO(data)):
        yield one.version.encode() + b"\r\n" + one.fields.raw + b"\r\n" + one.block.read() + b"\r\n\r\n"


def changed(piece: bytes, chance: random.Random) -> bytes:
    """One byte in three of four records is another, mostly in the header."""
    if not piece or chance.random() < 0.25:
        return piece
    at = chance.randrange(min(len(piece), chance.choice((600, 1500, len(piece)))))
    return piece[:at] + bytes([chance.choice((piece[at] ^ 1, piece[at] ^ 32, 32, 58))]) + piece[at + 1 :]
