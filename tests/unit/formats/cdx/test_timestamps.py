"""The digits that people write into addresses, and the moments that they mean."""

import pytest

from armarium.formats.cdx.timestamps import clipped, moment


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2", "29991231235959"),
        ("19", "19991231235959"),
        ("201", "20191231235959"),
        ("2013", "20130101000000"),
        ("20130", "20130101000000"),
        ("20131", "20131001000000"),
        ("20139", "20131201000000"),
        ("2013123", "20131230000000"),
        ("20130231", "20130228000000"),
        ("20130630256199", "20130630235959"),
        ("20130630120000", "20130630120000"),
        ("0", "09991231235959"),
        ("0000", "00010101000000"),
        ("99999999999999", "99991231235959"),
    ],
)
def test_what_is_missing_is_padded_and_what_is_impossible_clipped(written: str, meant: str) -> None:
    assert clipped(written) == meant
    assert moment(meant) is not None
