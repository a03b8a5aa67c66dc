"""Accessors give typed values, and None where the text is no such value."""

from datetime import UTC, datetime

import pytest

from armarium.formats.warc.digest import Digest
from armarium.formats.warc.fields import Fields, parse_date
from armarium.formats.warc.records import Continuation, Revisit
from tests.unit.formats.warc.samples import read, record


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-02T03:04:05Z", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2026-01-02T03:04:05.123456789Z", datetime(2026, 1, 2, 3, 4, 5, 123456, tzinfo=UTC)),
        ("2026-01-02T03:04Z", datetime(2026, 1, 2, 3, 4, tzinfo=UTC)),
        ("2026-01-02", datetime(2026, 1, 2, tzinfo=UTC)),
        ("2026-01", datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026", datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-01-02T05:04:05+02:00", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2026-01-02t03:04:05z", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("blue monday", None),
        ("2026-13-02T03:04:05Z", None),
        ("0000-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00+23:00", None),
        ("", None),
    ],
)
def test_dates_are_read_in_any_granularity(text: str, expected: datetime | None) -> None:
    assert parse_date(text) == expected


@pytest.mark.parametrize(
    ("text", "algorithm", "encoding"),
    [
        ("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "sha1", "base32"),
        ("SHA-1:3i42h3s6nnfq2msvx7xzkyayscx5qbyj", "sha1", "base32"),
        ("sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709", "sha1", "base16"),
        ("sha1:2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "sha1", "base64"),
        ("sha-256:" + "ab" * 32, "sha256", "base16"),
        ("md5:d41d8cd98f00b204e9800998ecf8427e", "md5", "base16"),
        ("md5:2QOYZWMPACZAJ2MABGMOZ6CCPY======", "md5", "base32"),
        ("blake3:" + "0f" * 32, "blake3", "base16"),
        ("sha1:short", "sha1", None),
        ("tiger:ABCDEF", "tiger", None),
    ],
)
def test_digests_are_read_under_any_label_and_encoding(
    text: str, algorithm: str, encoding: str | None
) -> None:
    digest = Digest.parse(text)
    assert digest is not None
    assert (digest.algorithm, digest.encoding, str(digest)) == (algorithm, encoding, text)
    assert (digest.value is None) == (encoding is None)


@pytest.mark.parametrize("text", ["", "sha1", "sha1:", ":ABC"])
def test_what_has_no_label_or_no_value_is_no_digest(text: str) -> None:
    assert Digest.parse(text) is None


def test_fields_keep_order_repetition_and_case() -> None:
    fields = Fields(b"B: 1\r\na: 2\r\nb:3\r\n")
    assert list(fields) == [("B", "1"), ("a", "2"), ("b", "3")]
    assert (fields.get("b"), fields.get_all("B"), len(fields)) == ("1", ["1", "3"], 3)
    assert "A" in fields
    assert "c" not in fields


def test_malformed_values_are_none_and_their_text_stays() -> None:
    data = record(fields=b"WARC-Segment-Number: one\r\nWARC-Block-Digest: sharif").replace(
        b"2026-01-02T03:04:05Z", b"yesterday"
    )
    (one,), _, _ = read(data)
    assert (one.date, one.segment_number, one.block_digest) == (None, None, None)
    assert one.fields.get("WARC-Date") == "yesterday"


def test_a_revisit_says_what_it_refers_to() -> None:
    fields = (
        b"WARC-Profile: <http://netpreserve.org/warc/1.0/revisit/identical-payload-digest>\r\n"
        b"WARC-Refers-To: <urn:uuid:1>\r\nWARC-Refers-To-Target-URI: http://example.org/old\r\n"
        b"WARC-Refers-To-Date: 2020-01-01T00:00:00Z"
    )
    (one,), _, _ = read(record(kind="revisit", fields=fields))
    assert isinstance(one, Revisit)
    assert one.profile == "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"
    assert one.refers_to == "<urn:uuid:1>"
    assert one.refers_to_target_uri == "http://example.org/old"
    assert one.refers_to_date == datetime(2020, 1, 1, tzinfo=UTC)


def test_a_continuation_says_which_segment_it_is() -> None:
    fields = (
        b"WARC-Segment-Origin-ID: <urn:uuid:1>\r\nWARC-Segment-Number: 2\r\nWARC-Segment-Total-Length: 99"
    )
    (one,), _, _ = read(record(kind="continuation", fields=fields))
    assert isinstance(one, Continuation)
    assert (one.segment_origin_id, one.segment_number, one.segment_total_length) == ("<urn:uuid:1>", 2, 99)
