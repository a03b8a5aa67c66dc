"""Each rule of the WARC header, broken once."""

from typing import Any

import pytest

from tests.unit.formats.validation.samples import codes, record, record_id, warc, warcinfo


def test_a_record_as_the_standard_wants_it_has_no_findings() -> None:
    assert codes(warc(record())) == set()


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("Record_ID", "urn:uuid:1", "warc-id-brackets"),
        ("Record_ID", "<no uri>", "warc-uri-space"),
        ("Record_ID", "<zaphod>", "warc-uri-not-absolute"),
        ("Target_URI", "http://example.org/a b", "warc-uri-space"),
        ("Target_URI", "http://example.org/?f[0]=1", "warc-uri-syntax"),
        ("Target_URI", "http://example.org/über", "warc-uri-syntax"),
        ("Target_URI", "http://example.org/100%", "warc-uri-percent"),
        ("Target_URI", "example.org", "warc-uri-not-absolute"),
        ("Target_URI", "<http://example.org/>", "warc-uri-brackets"),
        ("Date", "blue monday", "warc-date-invalid"),
        ("Date", "2026-02-30T00:00:00Z", "warc-date-invalid"),
        ("Date", "2026-02-03T24:00:00Z", "warc-date-invalid"),
        ("Date", "2026-02-03T01:02:03+02:00", "warc-date-zone"),
        ("Date", "2026-02-03T01:02:03", "warc-date-zone"),
        ("Date", "2026-02-03t01:02:03z", "warc-date-lower-case"),
        ("Date", "1970-01-01T00:00:00Z", "warc-date-implausible"),
        ("Content_Type", "gif\\image", "warc-media-type-invalid"),
        ("IP_Address", "a.b.c.d", "warc-ip-invalid"),
        ("IP_Address", "2001:0DB8::1", "warc-ip-form"),
        ("IP_Address", "10.0.0.1", "warc-ip-private"),
        ("IP_Address", "fe80::1%eth0", "warc-ip-invalid"),
        ("Block_Digest", "sha1", "warc-digest-syntax"),
        ("Block_Digest", ":ABC", "warc-digest-syntax"),
        ("Block_Digest", "sha1:ABC", "warc-digest-encoding"),
        ("Block_Digest", "whirlpool:ABC", "warc-digest-algorithm-unknown"),
        ("Segment_Number", "one", "warc-number-invalid"),
        ("Segment_Number", "2", "warc-segment-first"),
        ("Segment_Total_Length", "10", "warc-field-forbidden"),
        ("Segment_Origin_ID", record_id(0), "warc-field-forbidden"),
        ("Refers_To", record_id(0), "warc-field-forbidden"),
        ("Refers_To_Date", "2026-01-01T00:00:00Z", "warc-field-forbidden"),
        ("Filename", "made.warc", "warc-field-forbidden"),
        ("Profile", "http://example.org/profile", "warc-profile-misplaced"),
        ("Truncated", "too long", "warc-token-invalid"),
        ("Truncated", "boredom", "warc-truncated-unknown"),
        ("Type", "monkeys", "warc-type-unknown"),
        ("Type", "Response", "warc-type-case"),
        ("Payload_Digest", "", "warc-field-empty"),
        ("Moon_Phase", "full", "warc-field-unknown"),
    ],
)
def test_a_value_that_breaks_a_rule_gets_its_code(field: str, value: str, code: str) -> None:
    changed: dict[str, Any] = {field: value}
    assert code in codes(warc(record(**changed)))


@pytest.mark.parametrize("name", ["WARC-Record-ID", "WARC-Date", "WARC-Type", "Content-Length"])
def test_a_mandatory_field_is_missed(name: str) -> None:
    assert "warc-field-mandatory" in codes(warc(record("resource", b"", without=(name,))))


def test_a_field_that_the_type_asks_for_is_missed() -> None:
    assert codes(warc(record(without=("WARC-Target-URI",)))) == {"warc-field-required"}


def test_an_empty_field_does_not_count_as_the_one_that_is_required() -> None:
    assert {"warc-field-empty", "warc-field-required"} <= codes(warc(record(Target_URI="")))


def test_fields_of_11_are_nobodys_business_in_a_10_record() -> None:
    revisit = record("resource", b"", version="1.0", Refers_To_Date="2026-01-01T00:00:00Z")
    assert codes(warc(revisit)) == {"warc-versions-mixed"}


def test_a_field_that_stands_twice_is_found_and_concurrent_to_may() -> None:
    twice = record().replace(b"WARC-Date:", b"WARC-Date: 2026-01-02T03:04:05Z\r\nwarc-date:", 1)
    assert codes(warc(twice)) == {"warc-field-repeated"}
    both = f"{record_id(0)}\r\nWARC-Concurrent-To: {record_id(1)}"
    assert codes(warc(record(Concurrent_To=both))) == set()


def test_every_value_of_concurrent_to_is_looked_at() -> None:
    assert "warc-id-brackets" in codes(
        warc(record(Concurrent_To=f"{record_id(0)}\r\nWARC-Concurrent-To: bare"))
    )


@pytest.mark.parametrize(
    "date", ["2026", "2026-01", "2026-01-02", "2026-01-02T03:04Z", "2026-01-02T03:04:05.123456789Z"]
)
def test_only_11_may_write_dates_of_any_precision(date: str) -> None:
    assert codes(warc(record(Date=date))) == set()
    assert "warc-date-precision" in codes(warcinfo() + record(Date=date, version="1.0"))


def test_a_leap_second_is_a_date() -> None:
    assert codes(warc(record(Date="2016-12-31T23:59:60Z"))) == set()


def test_brackets_around_an_address_are_an_error_only_since_11() -> None:
    old = record(Target_URI="<http://example.org/>", version="1.0")
    assert "warc-uri-brackets-old" in codes(warc(old))
    assert "warc-uri-brackets" not in codes(warc(old))


@pytest.mark.parametrize(
    "uri", ["dns:example.org", "urn:isbn:1", "http://[2001:db8::1]:80/", "http://u@h/%C3%BC?a#b"]
)
def test_uris_of_all_kinds_are_accepted(uri: str) -> None:
    assert not {code for code in codes(warc(record("resource", b"", Target_URI=uri))) if "-uri-" in code}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ((b"\r\nWARC-Date", b"\nWARC-Date"), "warc-line-end"),
        ((b"WARC-Date: 2", b"WARC-Date: \r2"), "warc-line-stray-cr"),
        ((b"\r\nWARC-Date", b"\r\r\nWARC-Date"), "warc-line-stray-cr"),
        ((b"WARC-Date: 2", b"WARC-Date:\r\n 2"), "warc-line-folded"),
        ((b"WARC-Date:", b"no colon here\r\nWARC-Date:"), "warc-line-no-colon"),
        ((b"WARC-Date:", b": no name\r\nWARC-Date:"), "warc-line-no-name"),
        ((b"WARC-Date:", b"a (comment): x\r\nWARC-Date:"), "warc-field-name-invalid"),
        ((b"WARC-Date:", b"X: \xff\r\nWARC-Date:"), "warc-header-not-utf-8"),
        ((b"WARC-Date:", b"X: \x07\r\nWARC-Date:"), "warc-header-control"),
        ((b"WARC/1.1", b"WARC/2.0"), "warc-version-unknown"),
        ((b"WARC/1.1", b"WARC/1.1.1"), "warc-version-invalid"),
        ((b"WARC/1.1", b"WARC/0.18"), "warc-version-draft"),
    ],
)
def test_a_line_that_breaks_the_grammar_gets_its_code(change: tuple[bytes, bytes], code: str) -> None:
    assert code in codes(warc(record().replace(*change, 1)))


def test_values_in_utf_8_are_allowed() -> None:
    assert codes(warcinfo(Filename="über.warc") + record(), name="über.warc") == set()


@pytest.mark.parametrize(
    "value", ["a" * 200_000, "http://" + "a" * 200_000 + "|", "[" * 50_000, "%" * 50_000]
)
def test_no_value_takes_long(value: str) -> None:
    assert codes(warc(record(Target_URI=value, Content_Type=value, Payload_Digest=value)))
