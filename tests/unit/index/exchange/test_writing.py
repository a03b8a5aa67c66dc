"""Exports: sorted, whole, and read back as what they were."""

import gzip
import hashlib
import io
from itertools import pairwise
from pathlib import Path

import pytest

from armarium.formats.cdx import parse_line
from armarium.formats.cdx.parsing import BlockLine, parse_block_line
from armarium.index.exchange import Form, export_text, export_zipnum, import_index
from armarium.index.runs import Run
from armarium.index.runs.folder import FolderPlace
from tests.unit.index.captures import capture, captures


def exported(lines: list[bytes], form: Form) -> list[bytes]:
    target = io.BytesIO()
    export_text(lines, form, target)
    return target.getvalue().split(b"\n")[:-1]


def test_cdxj_is_given_out_as_it_is() -> None:
    lines = captures(50)
    assert exported(lines, Form.CDXJ) == lines


@pytest.mark.parametrize(
    ("form", "legend"), [(Form.CDX11, b" CDX N b a m s k r M S V g"), (Form.CDX9, b" CDX N b a m s k r V g")]
)
def test_columns_have_a_legend_and_are_sorted_by_bytes(form: Form, legend: bytes) -> None:
    lines = captures(500, pages=3)
    first, *rest = exported(lines, form)
    assert first == legend
    assert len(rest) == len(lines)
    assert all(one < another for one, another in pairwise([first, *rest]))


def test_lines_of_one_moment_that_sort_otherwise_in_columns_are_sorted_again() -> None:
    # "text/html" is quoted in CDXJ: there the longer one comes first.
    lines = sorted(
        [capture("com,a)/", "2026", mime="text/html"), capture("com,a)/", "2026", mime="text/html!")]
    )
    _, *rest = exported(lines, Form.CDX11)
    assert rest == sorted(rest)


@pytest.mark.parametrize("form", [Form.CDXJ, Form.CDX11])
def test_a_zipnum_cluster_says_where_its_blocks_are(tmp_path: Path, form: Form) -> None:
    lines = captures(1000)
    facts = export_zipnum(lines, tmp_path, "part", form=form, lines_in_block=300)
    assert (facts.lines, facts.blocks) == (len(lines), -(-len(lines) // 300))
    assert (tmp_path / "part.loc").read_bytes() == b"part\tpart.cdx.gz\n"
    data = (tmp_path / "part.cdx.gz").read_bytes()
    given = [line for line in exported(lines, form) if not line.startswith(b" CDX")]
    for number, raw in enumerate((tmp_path / "part.idx").read_bytes().splitlines()):
        entry = parse_block_line(raw)
        assert isinstance(entry, BlockLine)
        assert (entry.part, entry.number) == ("part", number + 1)
        block = gzip.decompress(data[entry.offset : entry.offset + entry.length]).splitlines()
        assert block == given[number * 300 : (number + 1) * 300]
        assert block[0].startswith(entry.start.encode() + b" ")


def test_the_index_of_a_wacz_has_digests_and_names_its_file(tmp_path: Path) -> None:
    export_zipnum(captures(1000), tmp_path, "index", lines_in_block=300, wacz=True)
    meta, *entries = (tmp_path / "index.idx").read_bytes().splitlines()
    assert meta == b'!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}'
    data = (tmp_path / "index.cdx.gz").read_bytes()
    for raw in entries:
        entry = parse_block_line(raw)
        assert isinstance(entry, BlockLine)
        member = data[entry.offset : entry.offset + entry.length]
        assert entry.digest == f"sha256:{hashlib.sha256(member).hexdigest()}"
    assert not (tmp_path / "index.loc").exists()


@pytest.mark.parametrize("wacz", [False, True])
def test_our_own_clusters_come_back_as_the_same_lines(tmp_path: Path, wacz: bool) -> None:
    lines = captures(1000)
    export_zipnum(lines, tmp_path, "part", lines_in_block=300, wacz=wacz)
    _, report = import_index([tmp_path / "part.idx"], tmp_path / "run")
    assert list(Run(FolderPlace(tmp_path), "run").scan()) == lines
    assert (report.taken, report.rekeyed, dict(report.bad)) == (len(lines), 0, {})


def test_columns_come_back_with_everything_that_they_can_hold(tmp_path: Path) -> None:
    lines = captures(300)
    (tmp_path / "all.cdx").write_bytes(b"\n".join(exported(lines, Form.CDX11)) + b"\n")
    import_index([tmp_path / "all.cdx"], tmp_path / "run")
    for back, line in zip(Run(FolderPlace(tmp_path), "run").scan(), lines, strict=True):
        one, other = parse_line(back), parse_line(line)
        for name in ("key", "timestamp", "url", "mime", "status", "digest", "length", "offset", "filename"):
            assert getattr(one, name) == getattr(other, name)
