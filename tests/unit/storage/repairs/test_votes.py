"""What the content of a copy says of it."""

import gzip
import io

import pytest

from armarium.formats.validation import RULES
from armarium.storage.repairs.rules import Content, Worth
from armarium.storage.repairs.votes import DAMAGES, weigh
from armarium.tasks.context import never
from armarium.tasks.failure import TaskStopped
from tests.integration.storage.outside import record, warc

DIGEST = "WARC-Block-Digest: sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"  # hello
RESOURCE = (DIGEST, "WARC-Target-URI: http://a.example/", "Content-Type: text/plain")
WHOLE = record("resource", b"hello", *RESOURCE)


@pytest.mark.parametrize(
    ("content", "worth", "records"),
    [
        (b"", Worth.NOTHING, 0),
        (bytes(5000), Worth.NOTHING, 0),
        (b"no archive at all", Worth.NOTHING, 0),
        (gzip.compress(b"no archive at all", mtime=0), Worth.NOTHING, 0),
        (warc(), Worth.WHOLE, 2),
        (warc()[:-10], Worth.DAMAGED, 2),
        (warc() + bytes(100), Worth.DAMAGED, 2),
        (warc() + warc(), Worth.DAMAGED, 4),
        (WHOLE, Worth.WHOLE, 1),
        (WHOLE.replace(b"hello", b"jello"), Worth.DAMAGED, 1),
        (WHOLE[:-6], Worth.DAMAGED, 1),
        (WHOLE.replace(b"2026-01-02T", b"2026-01-02 "), Worth.WHOLE, 1),  # so it was written, in all copies
    ],
)
def test_content_is_worth_what_can_be_read_of_it(content: bytes, worth: Worth, records: int) -> None:
    found = weigh(io.BytesIO(content), "a.warc.gz", never)
    assert (found.worth, found.records) == (worth, records)
    assert bool(found.problem) == (worth is not Worth.WHOLE)
    assert bool(found.damages) == (worth is Worth.DAMAGED)
    assert Content.read(found.facts()) == found


def test_every_damage_counts() -> None:
    repeated = warc() + warc()
    sound, cut = (weigh(io.BytesIO(one), "a.warc.gz", never) for one in (repeated, repeated[:-1]))
    assert (sound.worth, sound.records) == (cut.worth, cut.records)
    assert sound.exceeds(cut)
    assert not cut.exceeds(sound)


def test_a_cut_file_begins_as_the_whole_one_and_another_does_not() -> None:
    whole, cut, other = (
        weigh(io.BytesIO(one), "a.warc", never)
        for one in (WHOLE * 2, WHOLE, WHOLE.replace(b"resource", b"metadata"))
    )
    assert whole.begins == cut.begins != other.begins
    assert whole.ends == cut.ends


def test_every_damage_is_one_that_the_validator_knows() -> None:
    assert set(RULES) >= DAMAGES


def test_a_long_file_is_left_when_the_process_has_to_end() -> None:
    with pytest.raises(TaskStopped):
        weigh(io.BytesIO(warc()), "a.warc.gz", lambda: True)
