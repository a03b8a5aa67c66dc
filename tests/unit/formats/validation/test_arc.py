"""Each rule of ARC, broken once."""

import pytest

from tests.unit.formats.validation.samples import ARC_BLOCK, arc, arc_record, codes, judged, zipped

NAME = "made.arc"


def found(data: bytes, name: str = NAME) -> set[str]:
    return codes(data, name=name)


def test_a_good_file_has_no_findings() -> None:
    report = judged(arc(arc_record(), arc_record("dns:example.org", block=b"x")), name=NAME)
    assert (report.format, report.version, report.records, set(report.counts)) == ("arc", "ARC/1.0", 3, set())


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (arc_record("no-scheme"), "arc-url-invalid"),
        (arc_record("http://example.org/a b"), "arc-url-space"),
        (arc_record("http://example.org/a|b"), "arc-url-syntax"),
        (arc_record(ip="-"), "arc-field-missing"),
        (arc_record(ip="300.1.1.1"), "arc-ip-invalid"),
        (arc_record(ip="192.168.0.1"), "arc-ip-private"),
        (arc_record(date="20261302030405"), "arc-date-invalid"),
        (arc_record(date="202601020304"), "arc-date-length"),
        (arc_record(date="20260102030405678"), "arc-date-length"),
        (arc_record(date="19700101000000"), "arc-date-implausible"),
        (arc_record(block=b""), "arc-http-empty"),
        (arc_record(block=b"no head"), "http-head-absent"),
        (arc_record() + b"\n" + arc(arc_record()), "arc-version-block-again"),
        (arc_record().replace(b"text/html", b"html"), "arc-type-invalid"),
        (arc_record()[:-3], "arc-block-truncated"),
    ],
)
def test_a_record_that_breaks_a_rule_gets_its_code(made: bytes, code: str) -> None:
    assert code in found(arc(made))


@pytest.mark.parametrize(
    ("block", "code"),
    [
        (b"\n" + ARC_BLOCK.partition(b"\n")[2], "arc-version-line-missing"),
        (b"1 0\n" + ARC_BLOCK.partition(b"\n")[2], "arc-version-line-invalid"),
        (ARC_BLOCK.replace(b"1 0", b"x 0"), "arc-version-number-invalid"),
        (ARC_BLOCK.replace(b"1 0", b"1 x"), "arc-version-reserved-invalid"),
        (ARC_BLOCK.replace(b"1 0", b"3 0"), "arc-version-unknown"),
        (ARC_BLOCK.replace(b"1 0", b"2 0"), "arc-definition-differs"),
        (ARC_BLOCK.replace(b"1 0", b"1 1"), "arc-metadata-missing"),
        (ARC_BLOCK.replace(b"URL IP", b"IP URL"), "arc-definition-unknown"),
        (b"1 0 InternetArchive\n", "arc-definition-missing"),
        (ARC_BLOCK + b"<xml/>\n", "arc-metadata-unexpected"),
    ],
)
def test_a_version_block_that_breaks_a_rule_gets_its_code(block: bytes, code: str) -> None:
    assert code in found(arc(arc_record(), block=block))


def test_metadata_belong_to_11() -> None:
    assert found(arc(arc_record(), block=ARC_BLOCK.replace(b"1 0", b"1 1") + b"<xml/>\n")) == set()


def test_a_record_of_another_version_than_the_block_is_told() -> None:
    two = b"http://example.org/ 93.184.216.34 20260102030405 text/html 200 - - 1 made.arc 3\nabc"
    assert "arc-fields-differ" in found(arc(two))


def test_a_file_without_version_block_is_told() -> None:
    assert "arc-version-block-missing" in found(arc_record())


def test_the_name_in_the_version_block_should_be_that_of_the_file() -> None:
    assert found(arc(), name="other.arc") == {"arc-filename-differs"}


def test_records_that_share_a_gzip_member_are_told() -> None:
    assert found(zipped(arc(arc_record(), arc_record())), "made.arc.gz") == {"gzip-not-per-record"}


def test_an_address_that_is_not_known_is_no_private_one() -> None:
    assert found(arc(arc_record(ip="0.0.0.0"))) == set()


METADATA = b"<?xml version='1.0'?>\n<arcmetadata xmlns='x'><a>b</a>\n</arcmetadata>\n"
DAMAGED = b"\0" + arc_record()[1:].replace(b"93.", b"\0")


def with_length(length: int, block: bytes = ARC_BLOCK, behind: bytes = b"") -> bytes:
    head = b"filedesc://made.arc 0.0.0.0 20260102030405 text/plain %d\n" % length
    return head + block + b"\n" + behind + arc_record() + b"\n" + arc_record("http://example.org/2")


@pytest.mark.parametrize(
    ("length", "block"),
    [
        (len(ARC_BLOCK) - 5, ARC_BLOCK),
        (len(ARC_BLOCK) + 9, ARC_BLOCK),
        (20, ARC_BLOCK),  # the first line alone
        (len(ARC_BLOCK), ARC_BLOCK + METADATA),
        (40, ARC_BLOCK + METADATA),
    ],
)
def test_a_version_block_that_is_miscounted_and_swallows_nothing_is_noted(length: int, block: bytes) -> None:
    report = judged(with_length(length, block), name=NAME)
    assert report.records == 3
    assert report.counts["arc-version-block-length"] == 1
    assert not {"arc-length-too-small", "arc-length-too-large"} & report.counts.keys()


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (with_length(len(ARC_BLOCK) + 300), "arc-length-too-large"),
        (with_length(10, behind=DAMAGED), "arc-length-too-small"),
        (with_length(10, ARC_BLOCK + METADATA, DAMAGED + b"\n"), "arc-length-too-small"),
        (with_length(500)[:150], "arc-block-truncated"),
    ],
)
def test_a_version_block_with_the_length_of_something_else_is_an_error(made: bytes, code: str) -> None:
    report = judged(made, name=NAME)
    assert report.counts[code] == 1
    assert "arc-version-block-length" not in report.counts
    assert not report.valid
