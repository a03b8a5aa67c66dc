"""Rows for analysis: sorted, whole, and the same bytes whatever way they came together."""

from pathlib import Path

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from armarium.index.chain import rows
from armarium.index.chain.rows import Provenance, tables_of_lines, tables_of_part, write_rows
from armarium.index.runs.folder import FolderPlace

NOBODY = Provenance(None, None, None)


def line(key: str, second: int, file: str, offset: int, mime: str = "text/html") -> bytes:
    url = f"http://www.{key}.example/"
    return (
        f'example,{key},www)/ 202601010000{second:02} {{"url": "{url}", "mime": "{mime}", "status": "200", '
        f'"digest": "sha1:AAAA", "length": "9", "offset": "{offset}", "filename": "{file}"}}'
    ).encode()


def written(path: Path, *sources: list[bytes], without: frozenset[str] = frozenset()) -> bytes:
    tables = [tables_of_lines(sorted(source), NOBODY) for source in sources]
    write_rows(tables, path, without=without)
    return path.read_bytes()


def test_a_row_says_what_the_line_says(tmp_path: Path) -> None:
    lines = [line("a", 7, "a.warc.gz", 100)]
    rows_written = write_rows([tables_of_lines(lines, Provenance(1, 2, 3))], tmp_path / "rows")
    [row] = pq.read_table(tmp_path / "rows").to_pylist()
    assert rows_written == 1
    assert row["time"].isoformat() == "2026-01-01T00:00:07+00:00"
    assert (row["tld"], row["registered_domain"], row["scheme"]) == ("example", "a.example", "http")
    assert (row["digest_algorithm"], row["digest"]) == ("sha1", "AAAA")
    assert (row["job"], row["harvest"], row["accession"]) == (1, 2, 3)
    assert (row["offset"], row["length"], row["filename"]) == (100, 9, "a.warc.gz")


CAPTURES = st.lists(
    st.builds(
        lambda key, second, file, offset, mime: (key, second, file, offset, mime),
        st.sampled_from("abc"),
        st.integers(0, 3),
        st.sampled_from(["1.warc", "2.warc", "3.warc"]),
        st.integers(0, 30),
        st.sampled_from(["text/html", "image/png"]),
    ),
    unique_by=lambda capture: (capture[2], capture[3]),
    min_size=1,
    max_size=40,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CAPTURES, st.sampled_from([2, 5, 1000]))
def test_the_bytes_do_not_depend_on_the_way(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    captures: list[tuple[str, int, str, int, str]],
    group: int,
) -> None:
    monkeypatch.setattr(rows, "GROUP", group)
    files = {
        name: [line(*one) for one in captures if one[2] == name] for name in ("1.warc", "2.warc", "3.warc")
    }
    at_once = written(tmp_path / "all", *files.values())
    written(tmp_path / "some", files["3.warc"], files["1.warc"])
    parts = tables_of_part(FolderPlace(tmp_path), "some")
    write_rows([tables_of_lines(sorted(files["2.warc"]), NOBODY), parts], tmp_path / "then")
    assert (tmp_path / "then").read_bytes() == at_once
    found = pq.read_table(tmp_path / "all").to_pylist()
    order = [tuple(row[name] for name in rows.ORDER) for row in found]
    assert order == sorted(order)
    assert len(order) == len(captures)


def test_rows_of_a_withdrawn_file_are_left_out(tmp_path: Path) -> None:
    one, two = [line("a", 1, "1.warc", 0)], [line("a", 1, "2.warc", 0), line("b", 1, "2.warc", 50)]
    written(tmp_path / "both", one, two)
    part = tables_of_part(FolderPlace(tmp_path), "both")
    write_rows([part], tmp_path / "left", without=frozenset({"2.warc"}))
    assert (tmp_path / "left").read_bytes() == written(tmp_path / "one", one)
