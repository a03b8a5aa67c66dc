"""Index lines in all their forms: read, and written again."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.formats.cdx import (
    CDX7,
    CDX9,
    CDX10,
    CDX11,
    CDX12,
    CDX13,
    CDX14,
    BadLine,
    CdxLine,
    Directive,
    Fault,
    Layout,
    parse_line,
    parse_lines,
)
from armarium.formats.cdx.columns import BNF, HISTORIC, LETTERS, NETARKIVET7, NETARKIVET8

LAYOUTS = [
    CDX7,
    CDX9,
    CDX10,
    CDX11,
    CDX12,
    CDX13,
    CDX14,
    BNF,
    HISTORIC,
    NETARKIVET7,
    NETARKIVET8,
]
CDXJ_LINE = (
    b'com,example)/ 20140127171200 {"url": "http://example.com", "mime": "text/html", "status": "200", '
    b'"digest": "sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A", "length": "1046", "offset": "334", '
    b'"filename": "dupes.warc.gz"}'
)
CDX11_LINE = (
    b"com,example)/ 20140127171200 http://example.com text/html 200 B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A"
    b" - - 1046 334 dupes.warc.gz"
)


def read(raw: bytes, layout: Layout | None = None) -> CdxLine:
    line = parse_line(raw, layout)
    assert isinstance(line, CdxLine), line
    return line


def fault(raw: bytes, layout: Layout | None = None) -> Fault:
    line = parse_line(raw, layout)
    assert isinstance(line, BadLine), line
    return line.fault


def test_a_cdxj_line_tells_everything_by_name() -> None:
    line = read(CDXJ_LINE + b"\n")
    assert (line.key, line.timestamp) == ("com,example)/", "20140127171200")
    assert (line.url, line.mime, line.status) == ("http://example.com", "text/html", 200)
    assert (line.length, line.offset, line.filename) == (1046, 334, "dupes.warc.gz")
    assert line.date == datetime(2014, 1, 27, 17, 12, tzinfo=UTC)
    assert line.to_cdxj() == CDXJ_LINE


def test_cdxj_becomes_cdx_and_the_digest_loses_its_label() -> None:
    assert read(CDXJ_LINE).to_cdx(CDX11) == CDX11_LINE


@pytest.mark.parametrize(
    ("written", "column"),
    [
        ("SHA-1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A", "B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A"),
        ("sha256:" + "ab" * 32, "sha256:" + "ab" * 32),
        ("md5:kSlMZFVGjj7Xl3cJmWPvzQ==", "md5:kSlMZFVGjj7Xl3cJmWPvzQ=="),
        ("58670fbe7432c5bed6f3dcd7ea32b221", "58670fbe7432c5bed6f3dcd7ea32b221"),
    ],
)
def test_in_columns_only_sha1_goes_without_its_name(written: str, column: str) -> None:
    line = CdxLine("com,example)/", "20140127171200", {"url": "http://example.com/", "digest": written})
    assert line.to_cdx(CDX11).split(b" ")[5].decode() == column
    assert getattr(read(line.to_cdx(CDX11)).digest, "value", None) == getattr(line.digest, "value", None)


def test_numbers_in_cdxj_become_text() -> None:
    line = read(b'com,example)/ 20200101000000123 {"url": "u", "status": 200, "length": 5, "offset": 7}')
    assert line.fields == {"url": "u", "status": "200", "length": "5", "offset": "7"}
    assert line.date == datetime(2020, 1, 1, 0, 0, 0, 123000, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "algorithm"),
    [
        ("sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A", "sha1"),
        ("B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A", "sha1"),
        ("37cf167c2672a4a64af901d9484e75eee0e2c98a", "sha1"),
        ("sha-256:" + "ab" * 32, "sha256"),
        ("sha256:" + "ab" * 32, "sha256"),
        ("ab" * 32, "sha256"),
        ("58670fbe7432c5bed6f3dcd7ea32b221", "md5"),
    ],
)
def test_a_digest_is_understood_however_it_is_spelt(written: str, algorithm: str) -> None:
    digest = CdxLine("k", "2020", {"digest": written}).digest
    assert digest is not None
    assert digest.algorithm == algorithm
    assert digest.value is not None


@pytest.mark.parametrize(
    "written", ["null", "", "QmVFeyXN7T3265XMwTrn86tbovTHzJJeHnus2HFCwmbaYh", "x" * 9999]
)
def test_what_is_no_digest_is_none(written: str) -> None:
    assert CdxLine("k", "2020", {"digest": written}).digest is None


def test_the_bnf_lines_of_the_1990s_are_recognised_by_their_shape() -> None:
    line = read(
        b"dryswamp.edu:80/index.html 19961104142103 dryswamp.edu text/html 200"
        b" 7c08de3980044c0edcb5579bef71be9 99552170 IA-001102"
    )
    assert line.key == "dryswamp.edu:80/index.html"
    assert line.text("host") == "dryswamp.edu"
    assert (line.offset, line.filename, line.status) == (99552170, "IA-001102", 200)


def test_netarchivesuite_puts_address_and_date_in_other_places() -> None:
    line = read(
        b"http://netarkivet.dk/x 130.225.27.144 20060329081338 text/html 478 2-2.arc 10002"
        b" d2dd49050c5ad82230471ab5b9beed9a"
    )
    assert (line.url, line.text("ip"), line.timestamp) == (
        "http://netarkivet.dk/x",
        "130.225.27.144",
        "20060329081338",
    )
    assert line.key == ""
    assert line.digest is not None
    assert line.digest.algorithm == "md5"


def test_a_legend_decides_for_the_lines_after_it() -> None:
    legend, line = parse_lines(
        [b"CDX b e a m s c V n g\n", b"2008-06-10T15:27:54Z - null text/dns - X 0 4 f\n"]
    )
    assert isinstance(legend, Layout)
    assert isinstance(line, CdxLine)
    assert line.date == datetime(2008, 6, 10, 15, 27, 54, tzinfo=UTC)
    assert line.to_cdx(legend) == b"2008-06-10T15:27:54Z - null text/dns - X 0 4 f"


def test_a_legend_names_its_own_delimiter() -> None:
    legend = parse_line(b"\tCDX\tN\tb\ta")
    assert isinstance(legend, Layout)
    assert read(b"k\t2020\thttp://a/b c", legend).url == "http://a/b c"
    assert legend.legend() == "\tCDX\tN\tb\ta"


def test_a_mark_that_begins_other_lines_is_no_delimiter() -> None:
    assert fault(b"CDX#1") == Fault.COLUMNS
    assert isinstance(parse_line(b"#CDX#1"), Directive)


def test_a_line_without_a_date_does_not_take_its_key_for_one() -> None:
    legend = parse_line(b" CDX N g")
    assert isinstance(legend, Layout)
    assert read(b"0600 f.arc", legend).to_cdxj() == b'0600 - {"filename": "f.arc"}'


def test_directives_are_lines_about_the_file() -> None:
    meta = parse_line(b'!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\r\n')
    assert isinstance(meta, Directive)
    assert (meta.name, meta.value["filename"]) == ("meta", "index.cdx.gz")
    context = parse_line(b'!context ["http://oduwsdl.github.io/contexts/cdxj"]')
    assert isinstance(context, Directive)
    assert context.value == ["http://oduwsdl.github.io/contexts/cdxj"]
    alias = parse_line(b"@alias http://old.example/ http://new.example/")
    assert isinstance(alias, Directive)
    assert alias.name == "alias"


def test_a_key_with_a_forgotten_space_does_not_lose_the_line() -> None:
    assert (
        read(b'com,example)/a b 20200101000000 {"url": "http://example.com/a b"}').key == "com,example)/a b"
    )


def test_a_revisit_is_known_by_its_type_or_by_having_no_file() -> None:
    assert CdxLine("k", "2020", {"mime": "warc/revisit"}).is_revisit
    assert CdxLine("k", "2020", {"filename": "-"}).is_revisit
    assert not read(CDXJ_LINE).is_revisit


def test_whatever_is_in_a_value_cannot_start_another_column() -> None:
    line = CdxLine(
        "com,example)/", "20200101000000", {"url": "http://example.com/a b\nc", "mime": "text/html\t"}
    )
    columns = line.to_cdx(CDX11).split(b" ")
    assert len(columns) == 11
    assert columns[2] == b"http://example.com/a%20b%0Ac"
    assert line.to_cdx(CDX11).count(b"\n") == 0


def test_bytes_that_are_no_utf8_pass_through_unharmed() -> None:
    raw = b"fr,exemple)/\xe9t\xe9 20000101000000 http://exemple.fr/\xe9t\xe9 text/html 200 - - - 1 2 f.arc.gz"
    assert read(raw).to_cdx(CDX11) == raw
    again = read(read(raw).to_cdxj())
    assert again.to_cdx(CDX11) == raw


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"", Fault.EMPTY),
        (b"   \r\n", Fault.EMPTY),
        (b"<!DOCTYPE html>", Fault.COLUMNS),
        (b"a b c d e f g h i j k", Fault.COLUMNS),
        (CDX11_LINE + b" one too many again", Fault.COLUMNS),
        (b'com,example)/ 20200101000000 {"url": "http', Fault.JSON),
        (b'com,example)/ 20200101000000 {"a"="b"}', Fault.JSON),
        (b"com,example)/ 20200101000000 " + b'{"a":' * 100_000, Fault.JSON),
        (b"k 2020 " + b"x" * (1 << 20), Fault.TOO_LONG),
        (CDX11_LINE.replace(b"20140127171200", b"20000012170449"), Fault.TIMESTAMP),
        (CDX11_LINE.replace(b" 334 ", b" 33x "), Fault.NUMBER),
        (b'com,example)/ 20200101000000 {"offset": "-1"}', Fault.NUMBER),
    ],
)
def test_a_faulty_line_is_named_and_never_raised(raw: bytes, expected: Fault) -> None:
    assert fault(raw) == expected


def test_what_can_be_read_of_a_line_with_an_impossible_date_is_kept() -> None:
    bad = parse_line(CDX11_LINE.replace(b"20140127171200", b"20000012170449"))
    assert isinstance(bad, BadLine)
    assert bad.salvaged is not None
    assert bad.salvaged.offset == 334
    assert "20000012170449" in bad.message


def test_every_letter_of_the_legend_has_a_name_of_its_own() -> None:
    assert len(set(LETTERS.values())) == len(LETTERS)
    everything = parse_line((" CDX " + " ".join(LETTERS)).encode())
    assert isinstance(everything, Layout)
    assert len(set(everything.names)) == len(LETTERS)


texts = st.text(st.characters(codec="utf-8"), max_size=40)
words = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=30).filter(
    lambda word: word != "-" and not any(letter.isspace() for letter in word)
)
timestamps = st.datetimes(timezones=st.just(UTC)).map(lambda moment: f"{moment.year:04}{moment:%m%d%H%M%S}")
numbers = st.integers(min_value=0, max_value=10**15).map(str)
keys = words.filter(lambda word: word[0] not in "!@#{" and not word.startswith("CDX"))
NUMERIC = {"offset", "length", "orig.offset", "orig.length", "offset.uncompressed", "document.length"}


@given(
    keys,
    timestamps,
    st.dictionaries(texts, texts, max_size=8),
    numbers,
    numbers,
)
def test_any_cdxj_line_is_read_as_it_was_written(
    key: str, timestamp: str, others: dict[str, str], length: str, offset: str
) -> None:
    fields = {**others, "length": length, "offset": offset, "orig.length": "-", "orig.offset": "0"}
    for name in NUMERIC & others.keys():
        fields[name] = "1"
    line = CdxLine(key, timestamp, fields)
    written = line.to_cdxj()
    assert read(written) == line
    assert read(written).to_cdxj() == written
    assert written.count(b"\n") == 0


@given(st.sampled_from(LAYOUTS), st.data())
def test_any_line_in_columns_is_read_as_it_was_written(layout: Layout, data: st.DataObject) -> None:
    columns = []
    for name in layout.names:
        if name == "timestamp":
            columns.append(data.draw(timestamps))
        elif name in NUMERIC:
            columns.append(data.draw(st.one_of(numbers, st.just("-"))))
        elif name in ("urlkey", "url") and name == layout.names[0]:
            columns.append(data.draw(keys))
        elif name == "digest":
            columns.append(data.draw(words.filter(lambda word: ":" not in word)))
        else:
            columns.append(data.draw(words.filter(lambda word: not word.isdigit() and word[0] != "{")))
    raw = " ".join(columns).encode()
    assert read(raw, layout).to_cdx(layout) == raw
    if layout is not HISTORIC:
        assert read(raw).to_cdx(layout) == raw, "recognised by its shape alone"


@given(st.lists(st.sampled_from(sorted(LETTERS)), min_size=1, max_size=20), st.sampled_from(" \t|"))
def test_any_legend_is_read_as_it_was_written(letters: list[str], delimiter: str) -> None:
    layout = Layout.of(" ".join(letters), delimiter)
    assert parse_line(layout.legend().encode()) == layout


@given(st.binary(max_size=300))
def test_no_bytes_make_the_parser_raise(raw: bytes) -> None:
    for layout in (None, CDX11):
        line = parse_line(raw, layout)
        if isinstance(line, CdxLine):
            assert line.to_cdxj().count(b"\n") == 0
            assert line.to_cdx(CDX11).count(b" ") == 10
