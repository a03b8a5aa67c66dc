"""Readers replay and librarians work while two collectors upload, and nobody meets an error.

A short form of the benchmark, for every test run; its figures are made by `python -m bench.load`.
"""

from pathlib import Path

import pytest

from bench.load.__main__ import Size, furnished, measured
from bench.load.table import number_of

SMALL = Size(readers=20, librarians=4, seconds=20, calm=0, rush=0, papers=2, records=300, think=(0.5, 2.0))


@pytest.mark.timeout(600)
def test_readers_and_librarians_meet_no_error_while_collectors_upload(tmp_path: Path) -> None:
    with furnished(tmp_path, SMALL) as (there, plan):
        result = measured(there, plan, SMALL)
        there.wait(lambda: there.stored()[0] > result.before)
    told = result.load.told
    assert not result.errors, "\n".join(result.errors)
    kinds = set(told["readers"]["times"]) | set(told["librarians"]["times"])
    assert {"frame", "page", "picture", "style or script", "sign in"} <= kinds
    assert number_of(told["readers"]) > SMALL.readers * 10
    assert number_of(told["librarians"]) > SMALL.librarians
