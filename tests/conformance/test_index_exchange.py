"""The index files of others come in, and pywb finds in ours what we find."""

import contextlib
import io
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from armarium.formats.cdx import CdxLine, parse_lines
from armarium.formats.cdx.query import Match, Query
from armarium.index.exchange import Form, export_text, export_zipnum, import_index
from armarium.index.lookup import Lookup
from armarium.index.runs import Run
from armarium.index.runs.folder import FolderPlace

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the patterns of surt are not raw strings
    from cdxj_indexer.main import CDXJIndexer

EVERYTHING = Query(match=Match.RANGE, limit=10**6)


@pytest.fixture
def lookup(corpora: Path, tmp_path: Path) -> Lookup:
    names = ("openwayback/test-cdx.txt", "pywb/iana.cdx", "pywb/dupes.cdxj", "netarchivesuite/fyensdk.cdx")
    facts, report = import_index([corpora / "cdx" / name for name in names], tmp_path / "run")
    assert facts.lines > 2400
    assert not report.bad
    run = Run(FolderPlace(tmp_path), "run")
    return Lookup(lambda: [run])


def test_every_line_that_can_be_read_of_every_index_comes_in(corpora: Path, tmp_path: Path) -> None:
    files = [path for path in sorted((corpora / "cdx").rglob("*.cdx*")) if path.suffix != ".gz"]
    assert len(files) > 20
    for path in files:
        with path.open("rb") as file:
            readable = sum(isinstance(line, CdxLine) for line in parse_lines(file))
        _, report = import_index([path], tmp_path / "run")
        assert report.taken == readable, path


def test_a_cluster_of_cdxj_indexer_gives_its_lines(corpora: Path, tmp_path: Path) -> None:
    archive = next((corpora / "warc").rglob("example-iana.org-chunked.warc"), None)
    archives = [archive] if archive else sorted((corpora / "warc").rglob("*.warc.gz"))[:1]
    plain, index = io.StringIO(), io.StringIO()
    with contextlib.redirect_stderr(io.StringIO()):
        CDXJIndexer(plain, [str(path) for path in archives], sort=True).process_all()
        CDXJIndexer(
            index,
            [str(path) for path in archives],
            sort=True,
            compress=str(tmp_path / "index.cdx.gz"),
            lines=3,
            digest_records=True,
            data_out_name="index.cdx.gz",
        ).process_all()
    (tmp_path / "index.idx").write_text(index.getvalue())
    _, report = import_index([tmp_path / "index.idx"], tmp_path / "run")
    assert not report.bad
    found = [line.decode() for line in Run(FolderPlace(tmp_path), "run").scan()]
    assert found
    assert found == plain.getvalue().splitlines()


def test_pywb_finds_in_our_exports_what_we_find(
    lookup: Lookup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(Path(sys.prefix) / "peers")
    monkeypatch.setattr(sys, "path", [*sys.path[1:], sys.path[0]])  # last: what we have ourselves comes first
    sources = pytest.importorskip(
        "pywb.warcserver.index.indexsource", reason="pywb is not installed: ./test does so (tests/peers.txt)."
    )
    zipnum = pytest.importorskip("pywb.warcserver.index.zipnum")
    for form in Form:
        with (tmp_path / f"{form}.cdx").open("wb") as file:
            export_text(lookup.raw(EVERYTHING), form, file)
    export_zipnum(lookup.raw(EVERYTHING), tmp_path, "cluster", lines_in_block=50)
    tested = [sources.FileIndexSource(str(tmp_path / f"{form}.cdx")) for form in Form]
    tested.append(zipnum.ZipNumIndexSource(str(tmp_path / "cluster.idx"), {"max_blocks": 10**6}))
    urls = sorted(
        {line.url for line in lookup.search(EVERYTHING).lines if line.url and line.offset is not None}
    )
    for url in urls[::25]:
        for match in (Match.EXACT, Match.PREFIX, Match.HOST, Match.DOMAIN):
            ours = [places(line) for line in lookup.search(Query(url, match=match, limit=10**6)).lines]
            for source in tested:
                assert sorted(found_by_pywb(source, url, match)) == sorted(ours), (url, match)


def places(line: CdxLine) -> tuple[str, ...]:
    return line.key, line.timestamp, line.filename or "-", str(line.offset)


def found_by_pywb(source: Any, url: str, match: Match) -> list[tuple[str, ...]]:
    query_class = pytest.importorskip("pywb.warcserver.index.query").CDXQuery
    query = query_class({"url": url, "matchType": match.value})
    asked = {
        "url": url,
        "matchType": match.value,
        "key": query.key,
        "end_key": query.end_key,
        "limit": "100000",
    }
    start, end = query.key.decode(), query.end_key.decode()
    # A ZipNum source gives whole blocks, which pywb cuts later.
    return [
        (line["urlkey"], line["timestamp"], line["filename"], line["offset"])
        for line in source.load_index(asked)
        if start <= f"{line['urlkey']} {line['timestamp']}" < end
    ]
