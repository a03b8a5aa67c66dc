"""Runs in a bucket."""

from armarium.index.runs.bucket import _part

S3_TAKES = 10_000  # parts of a file


def test_the_largest_file_has_no_more_parts_than_s3_takes() -> None:
    for size in (1, 64 << 20, 78 << 30, 5 << 40):
        assert -(-size // _part(size)) <= S3_TAKES
