"""What storage relies on, whatever the kind of replica."""

import hashlib
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from blake3 import blake3

from armarium.core.clock import now
from armarium.core.errors import Refused
from armarium.storage.backends.place import (
    Altered,
    Away,
    Different,
    Missing,
    Place,
    SourceUnreadable,
    Stranger,
)
from armarium.tasks.failure import TaskStopped
from tests.integration.storage.backends.worlds import ARCHIVE, CONTENT, NAME, World

OTHER = bytes(reversed(CONTENT))  # of the same size
MARKER = "armarium-replica.json"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_file_that_was_put_has_its_sums(world: World) -> None:
    world.put()
    found = world.place.sums(NAME, algorithms=("sha256", "blake3"))
    assert (found.size, found.sha256) == (len(CONTENT), sha256(CONTENT))
    assert found.blake3 == blake3(CONTENT).hexdigest()
    assert world.place.sums(NAME).blake3 == ""
    assert world.unfinished() == []


def test_an_empty_file_can_be_put(world: World) -> None:
    world.put(b"")
    assert world.place.sums(NAME).sha256 == sha256(b"")


def test_putting_a_file_twice_changes_nothing(world: World) -> None:
    world.put()
    before = world.behind.all_keys()
    world.put()
    assert world.behind.all_keys() == before


def test_another_content_under_the_same_name_is_refused_and_nothing_touched(world: World) -> None:
    world.put()
    before = world.behind.read(world.key())
    for other in (OTHER, CONTENT + b"more", b""):
        with pytest.raises(Different, match=NAME):
            world.put(other)
    assert world.behind.read(world.key()) == before
    assert world.unfinished() == []


def test_a_source_that_is_not_what_was_registered_gets_no_name(world: World) -> None:
    facts, path = world.source()
    for wrong in (replace(facts, sha256=sha256(b"")), replace(facts, size=facts.size + 1)):
        with pytest.raises(Altered, match="not the file that was registered"):
            world.place.put(wrong, path)
    assert world.place.look(NAME) is None
    assert world.unfinished() == []


def test_a_source_that_is_not_there_says_so_of_the_source(world: World) -> None:
    facts, path = world.source()
    path.unlink()
    with pytest.raises(SourceUnreadable, match="source-"):
        world.place.put(facts, path)


def test_a_put_that_is_to_stop_leaves_no_name(world: World) -> None:
    facts, path = world.source()
    with pytest.raises(TaskStopped):
        world.place.put(facts, path, stopping=lambda: True)
    assert world.place.look(NAME) is None
    assert world.unfinished() == []


def test_of_many_that_put_one_name_at_once_one_content_wins(racing_world: World) -> None:
    world = racing_world
    sources = [world.source(content, NAME + suffix) for content, suffix in ((CONTENT, "a"), (OTHER, "b"))]

    def put(number: int) -> str:
        facts, path = sources[number % 2]
        try:
            world.again().put(replace(facts, name=NAME), path)
        except Different:
            return "refused"
        return facts.sha256

    with ThreadPoolExecutor(6) as threads:
        outcomes = set(threads.map(put, range(6)))
    winner = world.place.sums(NAME).sha256
    assert outcomes == {winner, "refused"}


def test_a_name_that_is_not_there_is_missing(world: World) -> None:
    assert world.place.look(NAME) is None
    with pytest.raises(Missing, match=NAME):
        world.place.sums(NAME)


def test_a_copy_can_be_looked_at(world: World) -> None:
    world.put()
    held = world.place.look(NAME)
    assert held is not None
    assert (held.name, held.size) == (NAME, len(CONTENT))
    assert abs(held.modified - now()) < timedelta(minutes=5)


def test_a_name_that_is_no_plain_word_is_refused(world: World) -> None:
    facts, path = world.source()
    verbs: list[Callable[[str], object]] = [
        lambda name: world.place.put(replace(facts, name=name), path),
        world.place.sums,
        world.place.look,
        world.place.address,
        lambda name: world.place.set_aside(name, sha256=""),
    ]
    for name in ("../etc", "a/b", ".hidden", "", "a\\b", "a\n", "x" * 300, "ä"):
        for verb in verbs:
            with pytest.raises(Refused):
                verb(name)


def test_all_copies_are_listed_once_and_the_list_can_be_taken_up_after_a_name(world: World) -> None:
    expected = {f"file-{number}{end}": number for number in range(12) for end in ("", ".gz", "-x")}
    for name, number in expected.items():
        world.put(b"x" * number, name)
    world.behind.write("files/zz/stranger.warc", b"laid here by somebody")
    world.behind.write("sums/00/stranger.json", b"laid here by somebody")
    world.behind.write("thumbs.db", b"laid here by somebody")
    met: list[Stranger] = []
    whole = list(world.place.names("", met.append))
    assert {held.name: held.size for held in whole} == expected
    other = "sums" if world.key().startswith("files/") else "files"
    shelved = {"files": "files/zz/stranger.warc", "sums": "sums/00/stranger.json"}
    del shelved[other]
    assert {one.key: one.size for one in met} == {
        "thumbs.db": 21,
        **dict.fromkeys(shelved.values(), 21),
        other: -1,
    }
    for at in (0, 7, len(whole) - 1):
        assert list(world.place.names(after=whole[at].name)) == whole[at + 1 :]


def test_a_bad_copy_is_moved_aside_and_its_name_is_free_again(world: World) -> None:
    facts = world.put(OTHER)
    bad = world.behind.read(world.key())
    aside = world.place.set_aside(NAME, sha256=facts.sha256)
    assert aside == f"aside/{NAME}.{facts.sha256[:16]}"
    assert world.behind.read(aside) == bad
    assert world.place.look(NAME) is None
    world.put()
    assert [held.name for held in world.place.names()] == [NAME]


def test_nothing_that_was_moved_aside_is_overwritten(world: World) -> None:
    facts = world.put()
    first = f"aside/{NAME}.{facts.sha256[:16]}"
    world.behind.write(first, b"an earlier one")
    assert world.place.set_aside(NAME, sha256=facts.sha256) == first + ".1"
    assert world.behind.read(first) == b"an earlier one"
    world.put()
    world.place.set_aside(NAME, sha256=facts.sha256)  # the same bad bytes again
    assert world.behind.read(first) == b"an earlier one"
    assert world.place.look(NAME) is None


def test_a_copy_that_is_not_what_was_judged_stays_where_it_is(world: World) -> None:
    facts = world.put()
    for judged in (sha256(OTHER), ""):
        with pytest.raises(Different, match="not the one that was examined"):
            world.place.set_aside(NAME, sha256=judged)
    assert world.place.sums(NAME).sha256 == facts.sha256


def test_moving_aside_what_is_missing_says_so(world: World) -> None:
    with pytest.raises(Missing):
        world.place.set_aside(NAME, sha256=sha256(CONTENT))


def verbs_that_ask(world: World, place: Place) -> None:
    facts, path = world.source()
    for verb in (
        place.check,
        lambda: place.put(facts, path),
        lambda: place.sums(NAME),
        lambda: place.look(NAME),
        lambda: list(place.names()),
        lambda: place.set_aside(NAME, sha256=facts.sha256),
        lambda: place.sweep(now()),
    ):
        with pytest.raises(Away):
            verb()


def test_without_its_marker_a_replica_is_away_and_nothing_is_judged(world: World) -> None:
    world.put()
    before = world.behind.all_keys()
    world.behind.delete(MARKER)
    verbs_that_ask(world, world.again())
    assert world.behind.all_keys() == [key for key in before if key != MARKER]


def test_what_is_gone_with_the_marker_is_not_missing(world: World) -> None:
    """The disk is unmounted just after the marker was seen."""
    world.put()
    world.place.check()
    world.behind.delete(world.key())
    world.behind.delete(MARKER)
    with pytest.raises(Away, match="Mount its disk"):
        world.place.sums(NAME)
    world.place.claim(ARCHIVE)
    world.place.check()
    world.behind.delete(MARKER)
    with pytest.raises(Away):
        world.place.look(NAME)


def test_a_replica_of_another_archive_is_left_alone(world: World) -> None:
    world.behind.write(MARKER, json.dumps({"archive": "another", "replica": "one"}).encode())
    before = world.behind.all_keys()
    place = world.again()
    with pytest.raises(Away, match="of archive another"):
        place.claim(ARCHIVE)
    verbs_that_ask(world, place)
    assert world.behind.all_keys() == before


def test_a_damaged_marker_makes_a_replica_away(world: World) -> None:
    world.behind.write(MARKER, b'{"archive": ')
    with pytest.raises(Away, match="damaged"):
        world.again().check()


def test_claiming_twice_is_fine(world: World) -> None:
    before = world.behind.read(MARKER)
    assert json.loads(before) == {"archive": ARCHIVE, "replica": "one"}
    world.again().claim(ARCHIVE)
    assert world.behind.read(MARKER) == before
    assert world.unfinished() == []


def test_what_was_left_unfinished_is_swept_and_no_copy(world: World) -> None:
    world.put()
    world.behind.write("incoming/0123", b"half a file")
    assert world.place.sweep(now() - timedelta(days=1)) == 0
    assert world.place.sweep(now() + timedelta(days=1)) == 1
    assert world.unfinished() == []
    assert world.place.sums(NAME).sha256 == sha256(CONTENT)


def test_the_address_leads_to_the_copy(world: World) -> None:
    world.put()
    assert world.place.address(NAME).endswith(world.key())
    assert world.place.address(NAME).startswith(("/", "s3://archive/tests/"))
