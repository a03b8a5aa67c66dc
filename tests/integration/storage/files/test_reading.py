"""What is read is right, from whichever copy; what is not is said, and looked into."""

import gzip
import io
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest
from sqlalchemy import Engine, event

from armarium.core.actor import SYSTEM
from armarium.core.errors import NotFound, Refused
from armarium.storage.files.copies import CHECK, NoGoodCopy
from armarium.storage.files.reading import Reader
from armarium.storage.model import File
from tests.integration.storage.files.world import World, read_all

NAME = "a-1.warc.gz"


def member(number: int, digest: str | None = None) -> bytes:
    block = f"block {number} ".encode() * 500
    head = (
        "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.example/\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012}>\r\n"
        "WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: text/plain\r\n"
        f"WARC-Block-Digest: sha256:{digest or sha256(block).hexdigest()}\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + block + b"\r\n\r\n", mtime=0)


MEMBERS = [member(number) for number in range(20)]
CONTENT = b"".join(MEMBERS)
OFFSET = len(b"".join(MEMBERS[:10]))
LENGTH = len(MEMBERS[10])


@pytest.fixture
def file(world: World) -> File:
    return world.store(NAME, CONTENT)


def damage(world: World, replica: str, offset: int) -> None:
    content = bytearray(world.path(replica, NAME).read_bytes())
    content[offset] ^= 1
    world.overwrite(replica, NAME, bytes(content))


def test_a_file_is_read_and_sought_in(world: World, file: File) -> None:
    with world.reader.open(NAME) as opened:
        assert opened.read(3) == CONTENT[:3]
        assert opened.seek(-5, io.SEEK_END) == len(CONTENT) - 5
        assert opened.read() == CONTENT[-5:]
        assert opened.read() == b""
        with pytest.raises(ValueError, match="no byte"):
            opened.seek(-1)
    assert b"".join(world.reader.pieces(NAME)) == CONTENT
    assert b"".join(world.reader.pieces(NAME, 5, 9)) == CONTENT[5:9]
    assert b"".join(world.reader.pieces(NAME, 5, 10**9)) == CONTENT[5:]


def test_the_primary_is_read_first(world: World, file: File) -> None:
    world.path("b", NAME).unlink()

    assert read_all(world.reader.open(NAME)) == CONTENT
    assert world.events("read-failed") == []


def test_where_a_copy_is_gone_the_next_is_read_and_the_first_looked_into(world: World, file: File) -> None:
    world.path("a", NAME).unlink()

    for _ in range(3):
        assert read_all(world.reader.open(NAME)) == CONTENT

    assert world.deferred(CHECK) == [{"file": file.id, "replica": world.replicas.named("a").id}]
    assert len(world.events("read-failed")) == 1


def test_where_a_copy_ends_too_early_the_next_goes_on_at_the_same_byte(world: World, file: File) -> None:
    world.overwrite("a", NAME, CONTENT[:100])

    with world.reader.open(NAME) as opened:
        assert opened.read() == CONTENT
    assert len(world.events("read-failed")) == 1


def test_a_replica_that_is_away_is_noted_and_no_copy_blamed(world: World, file: File) -> None:
    world.unmount("a")

    assert read_all(world.reader.open(NAME)) == CONTENT
    assert world.deferred(CHECK) == []
    assert world.replicas.details(world.replicas.named("a").id).away_since is not None


def test_a_file_that_nobody_has_is_not_opened(world: World, file: File) -> None:
    world.path("a", NAME).unlink()
    world.unmount("b")

    with pytest.raises(NoGoodCopy, match="No copy of a-1"):
        world.reader.open(NAME)


def test_a_file_is_fetched_only_if_it_is_right(world: World, file: File) -> None:
    target = world.home / "target"
    damage(world, "a", 50)
    world.reader.fetch(NAME, target)
    assert target.read_bytes() == CONTENT
    assert len(world.events("read-failed")) == 1

    target.unlink()
    damage(world, "b", 60)
    with pytest.raises(NoGoodCopy):
        world.reader.fetch(NAME, target)
    assert [path.name for path in world.home.iterdir() if "target" in path.name] == []


def test_a_whole_file_that_is_wrong_does_not_come_to_its_end(world: World, file: File) -> None:
    damage(world, "a", 50)

    with pytest.raises(NoGoodCopy):
        b"".join(world.reader.pieces(NAME))
    assert world.deferred("storage.check") == [{"file": file.id, "replica": world.replicas.named("a").id}]


def test_a_record_is_taken_from_the_copy_in_which_it_is_whole(world: World, file: File) -> None:
    damage(world, "a", OFFSET + LENGTH // 2)

    record = world.reader.record(NAME, OFFSET)
    assert record.record_id == "<urn:uuid:00000000-0000-0000-0000-000000000010>"
    assert record.block.read() == b"block 10 " * 500
    assert world.reader.record_bytes(NAME, OFFSET, LENGTH) == MEMBERS[10]
    assert len(world.events("read-failed")) == 1
    assert world.reader.record(NAME, 0).block.read() == b"block 0 " * 500
    assert len(world.events("read-failed")) == 1


def test_a_record_that_is_damaged_everywhere_is_not_given_out(world: World, file: File) -> None:
    damage(world, "a", OFFSET + LENGTH // 2)
    damage(world, "b", OFFSET + LENGTH // 2)

    with pytest.raises(NoGoodCopy):
        world.reader.record(NAME, OFFSET)
    with pytest.raises(NoGoodCopy):
        world.reader.record_bytes(NAME, OFFSET, LENGTH)


def test_a_record_that_came_damaged_into_the_archive_is_given_out_as_it_came(world: World) -> None:
    wrong = member(1, digest="0" * 64)
    torn = bytearray(member(2))
    torn[len(torn) // 2] ^= 1
    world.store(NAME, wrong + bytes(torn))

    assert world.reader.record(NAME, 0).block.read() == b"block 1 " * 500
    assert world.reader.record_bytes(NAME, len(wrong), len(torn)) == bytes(torn)
    assert world.events("read-failed") == []


def test_a_record_comes_in_pieces_from_the_copy_in_which_it_is_whole(world: World, file: File) -> None:
    damage(world, "a", OFFSET + LENGTH // 2)

    assert b"".join(world.reader.record_pieces(NAME, OFFSET, LENGTH)) == MEMBERS[10]
    assert b"".join(world.reader.record_pieces(NAME, OFFSET, LENGTH, 5, 9)) == MEMBERS[10][5:10]
    damage(world, "b", OFFSET + LENGTH // 2)
    with pytest.raises(NoGoodCopy):
        world.reader.record_pieces(NAME, OFFSET, LENGTH)


def test_a_file_with_a_record_that_came_damaged_is_read_whole_once_in_a_while(world: World) -> None:
    torn = bytearray(member(1))
    torn[len(torn) // 2] ^= 1
    world.store(NAME, bytes(torn))
    read: list[str] = []
    world.replicas.hook = lambda replica, step: read.append(replica) if step == "before sums" else None

    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(world.reader.record_bytes, NAME, 0, len(torn)) for _ in range(8)]
        assert {one.result() for one in asked} == {bytes(torn)}
    assert read == ["a"]

    damage(world, "a", 0)
    assert world.reader.record_bytes(NAME, 0, len(torn)) == bytes(torn)
    assert read == ["a", "a", "b"]


def test_where_no_record_begins_there_is_none(world: World, file: File) -> None:
    with pytest.raises(NotFound, match="is no record"):
        world.reader.record(NAME, OFFSET + 1)
    with pytest.raises(Refused):
        world.reader.record_bytes(NAME, OFFSET, len(CONTENT))


def test_a_withdrawn_file_is_not_given_out_but_can_be_repaired(world: World, file: File) -> None:
    world.files.withdraw(SYSTEM, file.id, "a court said so")

    with pytest.raises(NotFound, match="withdrawn"):
        world.reader.open(NAME)
    with pytest.raises(NotFound, match="withdrawn"):
        world.reader.record(NAME, 0)
    world.reader.fetch(NAME, world.home / "target")
    assert (world.home / "target").read_bytes() == CONTENT


def test_an_empty_file_is_a_file(world: World) -> None:
    world.store("empty.warc", b"")

    assert read_all(world.reader.open("empty.warc")) == b""
    assert b"".join(world.reader.pieces("empty.warc")) == b""
    world.reader.fetch("empty.warc", world.home / "target")
    assert (world.home / "target").read_bytes() == b""


def test_who_reads_much_does_not_ask_the_database_for_every_record(
    world: World, file: File, request: pytest.FixtureRequest
) -> None:
    patient, asked = Reader(world.files, world.replicas, remember=3600), []

    def note(*facts: object) -> None:
        asked.append(facts[2])

    assert patient.record_bytes(NAME, OFFSET, LENGTH) == MEMBERS[10]
    event.listen(Engine, "before_cursor_execute", note)
    request.addfinalizer(lambda: event.remove(Engine, "before_cursor_execute", note))
    assert patient.record_bytes(NAME, 0, len(MEMBERS[0])) == MEMBERS[0]
    assert not asked
    assert world.reader.record_bytes(NAME, OFFSET, LENGTH) == MEMBERS[10]
    assert asked
