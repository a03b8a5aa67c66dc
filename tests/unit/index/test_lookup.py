"""Looking captures up in several runs: as in one list, page by page, whatever happens to the runs."""

import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armarium.core.errors import Refused
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.parsing import capture_in
from armarium.formats.cdx.query import Collapse, Filter, Match, Operator, Query
from armarium.index.lookup import Lookup
from armarium.index.runs import MissingRun, Run, merge
from armarium.index.runs.folder import FolderPlace
from tests.unit.index.captures import capture, captures, run_of

FIRST = "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
OTHER = "sha1:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB"
PAGE = "com,site3)/page/7"


def lookup_of(folder: Path, *runs: Sequence[bytes], withdrawn: Sequence[str] = ()) -> Lookup:
    opened = [run_of(folder, f"run-{number}", sorted(set(lines))) for number, lines in enumerate(runs)]
    return Lookup(lambda: opened, lambda: withdrawn)


def all_pages(lookup: Lookup, query: Query) -> list[CdxLine]:
    found = lookup.search(query)
    lines = found.lines
    while found.resume is not None:
        found = lookup.search(Query(**{**vars(query), "resume": found.resume}))
        lines = lines + found.lines
    return lines


def values(lines: Sequence[bytes]) -> list[CdxLine]:
    return [line for line in map(capture_in, lines) if line is not None]


@given(
    seed=st.integers(0, 10**6), limit=st.integers(1, 40), reverse=st.booleans(), match=st.sampled_from(Match)
)
@settings(max_examples=30, deadline=None)
def test_pages_over_several_runs_are_the_list(seed: int, limit: int, reverse: bool, match: Match) -> None:
    lines = captures(400, seed, pages=8)
    query = Query(
        key=PAGE, to_key="com,site5)", match=match, limit=limit, reverse=reverse, from_="202602", to="202611"
    )
    with tempfile.TemporaryDirectory() as folder:
        lookup = lookup_of(Path(folder), lines[:250], lines[100::2], lines[101::2])
        start, end = query.bounds()
        within = [line for line in lines if line >= start and (end is None or line < end)]
        expected = [line for line in values(within) if "202602" <= line.timestamp[:6] <= "202611"]
        assert all_pages(lookup, query) == (expected[::-1] if reverse else expected)


def test_many_captures_of_one_moment_are_paged_without_gap_or_repetition(tmp_path: Path) -> None:
    lines = [capture("com,a)/", "20260101000000", offset=number) for number in range(30)]
    lookup = lookup_of(tmp_path, lines[::2], lines[1::2])
    for reverse in (False, True):
        offsets = [line.offset for line in all_pages(lookup, Query(key="com,a)/", limit=4, reverse=reverse))]
        assert sorted(offset for offset in offsets if offset is not None) == list(range(30))


@pytest.mark.parametrize("reverse", [False, True])
def test_pages_go_on_while_runs_are_merged_and_deleted(tmp_path: Path, reverse: bool) -> None:
    lines = captures(2000, pages=20)
    place = FolderPlace(tmp_path)
    runs = [run_of(tmp_path, f"run-{number}", lines[number::4]) for number in range(4)]
    lookup = Lookup(lambda: list(runs))
    query = Query(match=Match.RANGE, limit=150, reverse=reverse)
    seen: list[CdxLine] = []
    resume: str | None = ""
    step = 0
    while resume is not None:
        found = lookup.search(Query(**{**vars(query), "resume": resume}))
        seen += found.lines
        resume = found.resume
        if len(runs) > 1:
            merge(runs[:2], tmp_path / f"merged-{step}")
            for old in runs[:2]:
                old.place.delete(old.name)
            runs[:2] = [Run(place, f"merged-{step}")]
            step += 1
    assert seen == values(lines[::-1] if reverse else lines)


@pytest.mark.parametrize("reverse", [False, True])
def test_an_answer_goes_on_when_its_runs_vanish_in_the_middle(tmp_path: Path, reverse: bool) -> None:
    lines = captures(6000)
    old = [run_of(tmp_path, f"run-{number}", lines[number::2]) for number in range(2)]
    merge(old, tmp_path / "merged")
    current = list(old)
    lookup = Lookup(lambda: list(current))
    answer = lookup.raw(Query(match=Match.RANGE, reverse=reverse))
    seen = [next(answer) for _ in range(100)]
    current[:] = [Run(FolderPlace(tmp_path), "merged")]
    for run in old:
        run.place.delete(run.name)
    seen += answer
    assert seen == (lines[::-1] if reverse else lines)


def test_a_run_that_stays_missing_is_told(tmp_path: Path) -> None:
    run = run_of(tmp_path, "run", captures(50))
    run.place.delete("run")
    with pytest.raises(MissingRun):
        Lookup(lambda: [run]).search(Query(match=Match.RANGE))


def test_lines_of_withdrawn_files_are_not_found(tmp_path: Path) -> None:
    lines = captures(300)
    lookup = lookup_of(tmp_path, lines, withdrawn=["job-1.warc.gz"])
    found = all_pages(lookup, Query(match=Match.RANGE, limit=50))
    assert found == [line for line in values(lines) if line.filename != "job-1.warc.gz"]


def test_a_page_ends_at_a_line_that_is_withdrawn_afterwards(tmp_path: Path) -> None:
    lines = [
        capture("com,a)/", "20260101000000", offset=number, filename=f"{number}.warc") for number in range(9)
    ]
    run = run_of(tmp_path, "run", lines)
    withdrawn: list[str] = []
    lookup = Lookup(lambda: [run], lambda: withdrawn)
    page = lookup.search(Query(key="com,a)/", limit=3))
    withdrawn.append(page.lines[-1].filename or "")
    rest = lookup.search(Query(key="com,a)/", resume=page.resume or ""))
    assert [line.offset for line in page.lines + rest.lines] == list(range(9))


@pytest.mark.parametrize(
    "order", [{}, {"reverse": True}, {"closest": "20260105"}, {"closest": "2025"}, {"closest": "2027"}]
)
def test_pages_go_on_though_the_line_at_their_end_is_withdrawn_and_merged_away(
    tmp_path: Path, order: dict[str, Any]
) -> None:
    lines = [capture("com,a)/", f"202601{day:02}000000", filename=f"{day}.warc") for day in range(1, 10)]
    runs = [run_of(tmp_path, "run", lines)]
    lookup = Lookup(lambda: list(runs))
    page = lookup.search(Query(key="com,a)/", limit=3, **order))
    merge(runs, tmp_path / "merged", without={page.lines[-1].filename or ""})
    runs[:] = [Run(FolderPlace(tmp_path), "merged")]
    rest = lookup.search(Query(key="com,a)/", resume=page.resume or "", **order))
    assert sorted({line.to_cdxj() for line in page.lines + rest.lines}) == lines


def test_a_filter_that_nothing_passes_does_not_read_everything_at_once(tmp_path: Path) -> None:
    run = run_of(tmp_path, "run", captures(1000))
    lookup = Lookup(lambda: [run], most_examined=300)
    query = Query(match=Match.RANGE, filters=(Filter("status", "404"),))
    found = lookup.search(query)
    assert found.lines == []
    assert found.resume is not None
    assert all_pages(lookup, query) == []


def test_a_question_may_have_less_patience_than_the_index(tmp_path: Path) -> None:
    run = run_of(tmp_path, "run", captures(1000))
    query = Query(match=Match.RANGE, filters=(Filter("status", "404"),), most_examined=200)
    found = Lookup(lambda: [run]).search(query)
    assert (found.examined, found.resume is not None) == (200, True)
    assert Lookup(lambda: [run], most_examined=100).search(query).examined == 100


@pytest.mark.parametrize("limit", [1, 3, 100])
def test_lines_in_a_row_collapse_also_over_the_end_of_a_page(tmp_path: Path, limit: int) -> None:
    months = ["01", "01", "01", "02", "02", "03", "03", "03", "03"]
    lines = [capture("com,a)/", f"2026{month}{day:02}000000") for day, month in enumerate(months, 1)]
    lookup = lookup_of(tmp_path, lines)
    query = Query(key="com,a)/", limit=limit, collapse=(Collapse("timestamp", 6),))
    assert [line.timestamp[:8] for line in all_pages(lookup, query)] == ["20260101", "20260204", "20260306"]


def test_filters_apply_to_whole_exports(tmp_path: Path) -> None:
    lines = captures(200)
    lookup = lookup_of(tmp_path, lines)
    query = Query(match=Match.RANGE, filters=(Filter("filename", "job-2", Operator.CONTAINS),))
    assert list(lookup.raw(query)) == [line for line in lines if b"job-2" in line]


@given(
    seed=st.integers(0, 10**6),
    limit=st.integers(1, 9),
    moment=st.sampled_from(["2026", "20260615", "20301231"]),
)
@settings(max_examples=20, deadline=None)
def test_the_nearest_captures_come_first(seed: int, limit: int, moment: str) -> None:
    lines = [line for line in captures(3000, seed, pages=10) if line.startswith(PAGE.encode() + b" ")]
    with tempfile.TemporaryDirectory() as folder:
        lookup = lookup_of(Path(folder), lines[::2], lines[1::2])
        found = all_pages(lookup, Query(key=PAGE, closest=moment, limit=limit))
    target = datetime(int(moment[:4]), int(moment[4:6] or 1), int(moment[6:8] or 1), tzinfo=UTC)
    distances = [abs((line.date or target) - target) for line in found]
    assert distances == sorted(distances)
    assert sorted(map(CdxLine.to_cdxj, found)) == lines


def test_the_closest_capture_of_an_address(tmp_path: Path) -> None:
    lookup = lookup_of(
        tmp_path,
        [capture("com,a)/", "20200101000000"), capture("com,a)/b", "20220101000000")],
        [capture("com,a)/", "20240101000000")],
    )

    def stamp(moment: str | datetime) -> str | None:
        found = lookup.closest("http://www.a.com/", moment)
        return found.timestamp if found is not None else None

    assert stamp("20210101") == "20200101000000"
    assert stamp("2023") == "20240101000000"
    assert stamp(datetime(2019, 5, 1, tzinfo=UTC)) == "20200101000000"
    assert lookup.closest("http://b.com/", "2022") is None


def test_a_closest_answer_within_dates_stays_within_them(tmp_path: Path) -> None:
    lines = [capture("com,a)/", f"{year}0101000000") for year in range(2010, 2020)]
    lookup = lookup_of(tmp_path, lines)
    for moment in ("2005", "2014", "2025"):
        found = lookup.search(Query(key="com,a)/", closest=moment, from_="2012", to="2015")).lines
        assert sorted(line.timestamp[:4] for line in found) == ["2012", "2013", "2014", "2015"]


def revisit(key: str, timestamp: str, digest: str) -> bytes:
    return capture(key, timestamp, digest=digest, mime="warc/revisit", filename="new.warc.gz")


@pytest.mark.parametrize(
    ("originals", "found"),
    [
        (["20200101000000", "20210101000000", "20230101000000"], "20210101000000"),
        (["20230101000000", "20240101000000"], "20230101000000"),
        ([], None),
    ],
)
def test_a_revisit_leads_to_the_nearest_original_before_it_or_else_behind(
    tmp_path: Path, originals: list[str], found: str | None
) -> None:
    again = revisit("com,a)/", "20220101000000", FIRST)
    noise = [capture("com,a)/", "20211231000000", digest=OTHER), revisit("com,a)/", "20211230000000", FIRST)]
    lookup = lookup_of(
        tmp_path, noise, [capture("com,a)/", when, digest=FIRST) for when in originals], [again]
    )
    line = capture_in(again)
    assert line is not None
    original = lookup.resolve(line)
    assert (original and original.timestamp) == found


def test_a_revisit_of_another_address_needs_what_its_record_says(tmp_path: Path) -> None:
    again = revisit("com,a)/", "20220101000000", FIRST)
    lookup = lookup_of(tmp_path, [capture("com,b)/x", "20200101000000", digest=FIRST)], [again])
    line = capture_in(again)
    assert line is not None
    assert lookup.resolve(line) is None
    original = lookup.resolve(line, url="http://b.com/x", date="20200101000000")
    assert original is not None
    assert original.key == "com,b)/x"


def test_a_revisit_that_names_its_original_needs_no_search(tmp_path: Path) -> None:
    line = CdxLine(
        "com,a)/",
        "20220101000000",
        {"mime": "warc/revisit", "filename": "new.warc", "orig.filename": "old.warc", "orig.offset": "77"},
    )
    original = lookup_of(tmp_path, []).resolve(line)
    assert original is not None
    assert (original.filename, original.offset, original.is_revisit) == ("old.warc", 77, False)


def test_an_original_in_a_withdrawn_file_is_none(tmp_path: Path) -> None:
    fields = {"mime": "warc/revisit", "filename": "new.warc", "orig.filename": "old.warc", "orig.offset": "7"}
    lookup = Lookup(list, lambda: {"old.warc"})
    assert lookup.resolve(CdxLine("com,a)/", "20220101000000", fields)) is None


def test_a_capture_is_its_own_original(tmp_path: Path) -> None:
    line = capture_in(capture("com,a)/", "20220101000000"))
    assert line is not None
    assert lookup_of(tmp_path, []).resolve(line) is line


def test_a_place_where_no_answer_ended_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="No answer ended there"):
        lookup_of(tmp_path, captures(5)).search(Query(match=Match.RANGE, resume="somewhere"))
