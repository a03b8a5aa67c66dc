"""Readers replay and librarians work while two collectors upload, and nobody meets an error.

A short form of the benchmark, for every test run, and a longer one with --all; its figures are made by
`python -m bench.load`.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bench.load.__main__ import Result, Size, furnished, measured
from bench.load.table import number_of

LONG = Size(readers=20, librarians=4, seconds=20, calm=0, rush=0, papers=2, records=300, think=(0.5, 2.0))
SHORT = replace(LONG, readers=10, librarians=2, seconds=5, papers=1, records=100)
MOST = 10  # stretches of time, on a machine that is busy with other things
KINDS = {"frame", "page", "picture", "style or script", "sign in"}


@pytest.mark.timeout(900)
def test_readers_and_librarians_meet_no_error_while_collectors_upload(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    size = LONG if request.config.getoption("--all") else SHORT
    with furnished(tmp_path, size) as (there, plan):
        results: list[Result] = []
        while not results or (missing(results) and len(results) < MOST):
            results.append(measured(there, plan, size))
        there.wait(lambda: there.stored()[0] > results[0].before)
    for result in results:
        assert not result.errors, "\n".join(result.errors)
    assert not missing(results)
    assert sum(number_of(result.load.told["readers"]) for result in results) > size.readers * 5
    assert sum(number_of(result.load.told["librarians"]) for result in results) > size.librarians


def missing(results: Sequence[Result]) -> set[str]:
    """What nobody has asked for yet."""
    told = [result.load.told for result in results]
    return KINDS - {kind for one in told for who in ("readers", "librarians") for kind in one[who]["times"]}
