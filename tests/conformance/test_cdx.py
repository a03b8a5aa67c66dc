"""Index lines against other people's indexes, and against cdxj-indexer on every sample archive."""

import contextlib
import io
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from armarium.formats.cdx import (
    CDX9,
    CDX11,
    BadLine,
    CdxLine,
    Directive,
    Fault,
    Layout,
    parse_line,
    parse_lines,
)
from armarium.formats.cdx.capture import Dialect
from armarium.formats.cdx.columns import layout_by_shape
from armarium.formats.cdx.index import index, is_sorted, merge
from armarium.formats.warc.reader import ArchiveReader

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the patterns of surt are not raw strings
    from cdxj_indexer.main import CDXJIndexer
    from warcio.exceptions import ArchiveLoadFailed

EMPTY_SHA1 = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
# Files whose lines differ on purpose: docs/reference/deviations.md, "Index".
FOLDED_OR_CAPITAL_TYPE = {
    "warc/jwat/valid-warcfile-fields-metainfo.warc",
    "warc/jwat/valid-warcfile-upper-lower-case.warc",
}


def expected(corpora: Path) -> dict[str, dict[str, Any]]:
    files: dict[str, dict[str, Any]] = json.loads((corpora / "EXPECTED.json").read_text())["files"]
    return files


def lines_of(path: Path, **options: Any) -> list[CdxLine]:
    with path.open("rb") as file:
        return list(index(ArchiveReader(file), path.name, **options))


def is_good(name: str, tools: dict[str, Any]) -> bool:
    """A file that warcio reads without complaint and on whose records the readers agree."""
    agreed = tools.get("tools_agree_on_records") and not tools.get("warcio", {}).get("error")
    return bool(agreed) and name.startswith("warc/") and name not in FOLDED_OR_CAPITAL_TYPE


def as_theirs(mine: CdxLine, other: str) -> str:
    """Our line, without what we read and they do not: docs/reference/deviations.md, "Index"."""
    told = json.loads(other[other.index("{") :])
    fields = dict(mine.fields)
    if "mime" not in told and (mine.filename or "").lower().endswith((".arc", ".arc.gz")):
        fields.pop("mime", None)  # that of the record's line
    if (mine.url or "").startswith("chrome-extension:"):
        fields = {name: value for name, value in fields.items() if name not in ("mime", "status")}
        fields["digest"] = told.get("digest")  # theirs is that of head and body
    return CdxLine(mine.key, mine.timestamp, fields).to_cdxj().decode()


def assert_as_theirs(ours: list[CdxLine], theirs: list[str], name: str) -> None:
    by_place = {(line.key, line.offset): line for line in ours}
    for other in theirs:
        fields = json.loads(other[other.index("{") :])
        assert as_theirs(by_place[other.split(" ")[0], int(fields["offset"])], other) == other, name


def test_the_lines_of_every_good_warc_are_those_of_cdxj_indexer(corpora: Path) -> None:
    compared = 0
    for name, tools in expected(corpora).items():
        answer = tools.get("cdxj")
        if answer is None or answer.get("error") or not is_good(name, tools):
            continue
        ours = lines_of(corpora / name)
        assert_as_theirs(ours, answer["lines"], name)  # which may be only the first ones
        # Theirs were written with --sort, which drops repeated lines.
        assert len({line.to_cdxj() for line in ours}) == answer["count"], name
        compared += 1
    assert compared > 50


def test_the_lines_of_every_good_arc_are_those_of_cdxj_indexer(corpora: Path) -> None:
    compared = 0
    for name, tools in expected(corpora).items():
        answer = tools.get("cdxj")
        if answer is None or answer.get("error") or not name.startswith("arc/"):
            continue
        # warcio gives such a date to a header that it cannot read: ARC 2.0, or one found at a wrong place.
        misread = any("1231235959 " in line for line in answer["lines"])
        if misread or not tools.get("tools_agree_on_records") or not tools.get("jwat", {}).get("compliant"):
            continue
        assert_as_theirs(lines_of(corpora / name), answer["lines"], name)
        compared += 1
    assert compared > 5


def theirs(path: Path, **options: Any) -> list[str] | None:
    """What cdxj-indexer prints, in the order of the file; None where it fails."""
    output = io.StringIO()
    try:
        with path.open("rb") as file, contextlib.redirect_stderr(io.StringIO()):
            CDXJIndexer(output, [str(path)], **options).process_one(file, output, str(path))
    except (ArchiveLoadFailed, AttributeError, EOFError, IndexError, TypeError, ValueError):
        return None
    return output.getvalue().splitlines()


@pytest.mark.parametrize("every_record", [False, True], ids=["captures", "all"])
@pytest.mark.parametrize("requests", [False, True], ids=["addresses", "posts"])
def test_every_option_gives_the_lines_of_cdxj_indexer(
    corpora: Path, every_record: bool, requests: bool
) -> None:
    records = {"records": "all"} if every_record else {}
    for name, tools in expected(corpora).items():
        if not is_good(name, tools):
            continue
        peer = theirs(corpora / name, post_append=requests, **records)
        if peer is None:
            continue
        ours = lines_of(corpora / name, every_record=every_record, requests=requests)
        assert len(ours) == len(peer), name
        for mine, other in zip(ours, peer, strict=True):
            if requests and EMPTY_SHA1 in other:
                # With --post-append it has read the body before it computes a missing digest over it.
                digest = json.dumps({"digest": mine.fields.get("digest")})[1:-1]
                other = other.replace(f'"digest": "{EMPTY_SHA1}"', digest)  # noqa: PLW2901
            assert as_theirs(mine, other) == other, name


def archives(corpora: Path) -> dict[str, Path]:
    folders = (corpora / "warc", corpora / "arc")
    return {path.name: path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()}


def captures_by_file(index_file: Path) -> dict[str, dict[int, CdxLine]]:
    found: dict[str, dict[int, CdxLine]] = {}
    for line in parse_lines(index_file.read_bytes().splitlines()):
        if isinstance(line, CdxLine) and line.filename:
            offset = line.offset if line.offset is not None else line.number("offset.uncompressed")
            if offset is not None:
                found.setdefault(line.filename, {})[offset] = line
    return found


def pairs(corpora: Path) -> Iterator[tuple[str, Path, dict[int, CdxLine]]]:
    """Indexes by other people with the archive they are of."""
    known = archives(corpora)
    for index_file in sorted((corpora / "cdx").glob("*/*.cdx*")):
        if index_file.suffix == ".gz":
            continue
        for filename, lines in captures_by_file(index_file).items():
            path = known.get(filename) or known.get(f"{filename}.arc") or known.get(f"{filename}.warc")
            # Two projects have an example.warc.gz; the offsets tell whose.
            if path is not None and (path.parent.name, index_file.parent.name) != ("warcio", "pywb"):
                yield index_file.name, path, lines


def test_offsets_lengths_and_digests_are_those_of_the_wayback_indexers(corpora: Path) -> None:
    compared = 0
    for name, path, theirs_by_offset in pairs(corpora):
        ours = {line.offset: line for line in lines_of(path, dialect=Dialect.WAYBACK, every_record=True)}
        for offset, other in theirs_by_offset.items():
            mine = ours[offset]
            assert mine.date == other.date, (name, offset)
            assert other.length in (None, mine.length), (name, offset)
            if other.mime in ("warc/request", "warc-info") or (other.url or "").startswith("filedesc:"):
                continue  # what the digest of these is made of differs from tool to tool, and nobody asks
            assert mine.digest is not None, (name, offset)
            assert other.digest is not None, (name, offset)
            assert mine.digest.value == other.digest.value, (name, offset)
            compared += 1
    assert compared > 500


def test_openwayback_columns_are_the_same_but_for_the_key(corpora: Path) -> None:
    path = archives(corpora).get("NAS-20100909163324-00000-mette.kb.dk.warc")
    if path is None:
        pytest.skip("the archive of this index is not among the samples")
    theirs_lines = (corpora / "cdx/netarchivesuite" / f"{path.name}.cdx").read_bytes().splitlines()
    ours = [line.to_cdx(CDX9) for line in lines_of(path, dialect=Dialect.WAYBACK)]
    assert [line.split(b" ")[1:] for line in ours] == [line.split(b" ")[1:] for line in theirs_lines]


def test_pywb_columns_are_the_same_but_for_redirects_and_the_status_of_revisits(corpora: Path) -> None:
    cases = json.loads((corpora / "cdx/vectors/pywb_indexing.json").read_text())["cases"]
    compared = 0
    for case in cases:
        path = corpora / "warc/pywb" / str(case["args"][0])
        if case["call"] != "print_cdx_index" or not path.is_file():
            continue
        options = case.get("kwargs", {})
        if options.get("include_all") or options.get("minimal"):
            continue
        ours = lines_of(path, dialect=Dialect.WAYBACK, requests=bool(options.get("append_post")))
        written = [line.to_cdx(CDX11).decode() for line in ours]
        for mine, other in zip(written, case["expected"].splitlines()[1:], strict=True):
            columns = mine.split(" ")
            columns[6] = "-"
            if columns[3] == "warc/revisit":
                columns[4] = "-"
            assert columns == other.split(" "), path.name
        compared += 1
    assert compared


@pytest.mark.parametrize(
    ("file", "faults"),
    [
        ("edgi-wayback/bad_timestamp_cdx.txt", {Fault.TIMESTAMP}),
        ("edgi-wayback/fws-gov-birds.txt", {Fault.COLUMNS, Fault.EMPTY}),
        ("ipwb/5mementos.cdxj", {Fault.JSON}),
        ("netarchivesuite/cdxdata-680", {Fault.COLUMNS, Fault.EMPTY}),
        ("richardlehane/hello-world.cdx", {Fault.EMPTY}),
    ],
)
def test_a_faulty_file_gets_its_faults_named(corpora: Path, file: str, faults: set[Fault]) -> None:
    lines = list(parse_lines((corpora / "cdx" / file).read_bytes().splitlines()))
    assert {line.fault for line in lines if isinstance(line, BadLine)} == faults


def test_every_line_of_every_index_is_written_as_it_was_read(corpora: Path) -> None:
    faulty = ("bad_timestamp", "fws-gov", "5mementos", "cdxdata-680", "richardlehane/hello-world")
    for path in sorted((corpora / "cdx").glob("*/*")):
        if path.suffix in (".json", ".yaml", ".gz"):
            continue
        layout: Layout | None = None
        for raw in path.read_bytes().splitlines():
            parsed = parse_line(raw, layout)
            match parsed:
                case Layout():
                    layout = parsed
                case CdxLine() if " {" in raw.decode():
                    # Some wrote their JSON without spaces: then the values must be the same.
                    assert parsed.to_cdxj() == raw or parse_line(parsed.to_cdxj()) == parsed
                case CdxLine():
                    columns = layout or layout_by_shape(raw.decode().split(" "))
                    assert columns is not None
                    assert parsed.to_cdx(columns) == raw
                case Directive():
                    assert parsed.to_bytes() == raw
                case BadLine():
                    assert any(name in str(path) for name in faulty), (path, parsed)


def test_merged_indexes_are_sorted_as_the_tools_say(corpora: Path) -> None:
    said = {
        corpora / name: tools["cdx_stats"]["sorted_bytewise"]
        for name, tools in expected(corpora).items()
        if tools.get("cdx_stats")
    }
    for path, answer in said.items():
        data = [
            line for line in path.read_bytes().splitlines() if line and not line.startswith((b" CDX", b"CDX"))
        ]
        assert is_sorted(data) or not answer, path
    good = [sorted(path.read_bytes().splitlines()) for path, answer in said.items() if answer]
    merged = list(merge(*good))
    assert merged == sorted({line for lines in good for line in lines})
