"""What the tutorial's pictures are held against does not change with day, machine or chance."""

import pytest

from tests.acceptance.tutorial.words import lasting


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("16 Nov 2026, 14:06:39", "3 May 2031, 07:00:01"),
        ("13 seconds ago", "just now"),
        ("In the archive: 151 kB", "In the archive: 1.4 MB"),
        ("1_1-20261017140437894-00000-vm.warc.gz", "1_1-20270101000000000-00000-other.host.warc.gz"),
        ("Collector crawler", "Collector crawler-2"),
        ("http://localhost:8070/", "http://localhost:40123/"),
    ],
)
def test_changing_parts_are_taken_out(one: str, other: str) -> None:
    assert lasting(one) == lasting(other)


def test_words_stay() -> None:
    assert lasting("Validate the  ticked\nones") == "Validate the ticked ones"
    assert lasting("State Done") != lasting("State Failed")
