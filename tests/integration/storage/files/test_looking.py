"""Finding files in the register."""

import pytest

from armarium.core.errors import NotFound
from armarium.storage.files.catalogue import Catalogue
from armarium.storage.files.model import CopiesSought, FileFilter
from armarium.storage.model import FileState
from tests.integration.storage.files.world import World


def test_files_are_found_by_what_is_known_of_them(world: World) -> None:
    one = world.store("job-1.warc.gz", b"one", job=1, harvest=7)
    two = world.store("job_2.warc.gz", b"two", job=2, harvest=7)
    waiting = world.register("job-3.warc.gz", b"three", job=3)

    def found(**wanted: object) -> list[str]:
        files, amount = Catalogue(world.database).page(FileFilter(**wanted), limit=10)  # type: ignore[arg-type]
        assert amount.files == len(files)
        return [file.name for file in files]

    assert found() == [waiting.name, two.name, one.name]
    assert found(text="JOB_") == [two.name]
    assert found(text=one.sha256[:12].upper()) == [one.name]
    assert found(job=1) == [one.name]
    assert found(harvest=7) == [two.name, one.name]
    assert found(state=FileState.STORING) == [waiting.name]
    a = world.replicas.named("a").id
    assert found(replica=a) == [waiting.name, two.name, one.name]
    assert found(copies=CopiesSought.UNFINISHED) == [waiting.name]
    second, amount = Catalogue(world.database).page(FileFilter(), limit=1, offset=1)
    assert (second, amount.files) == ([two], 3)
    assert Catalogue(world.database).figures().storing == 1


def test_stored_files_come_in_the_order_of_their_numbers(world: World) -> None:
    files = [world.store(f"f{number}.warc", b"x") for number in range(3)]
    world.register("g.warc", b"y")

    assert [file.name for file in world.files.stored_after(0, 2)] == ["f0.warc", "f1.warc"]
    assert [file.name for file in world.files.stored_after(files[1].id, 2)] == ["f2.warc"]


def test_places_come_in_the_order_of_the_bytes_with_the_preferred_one_first(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("armarium.storage.files.service.NAMES_AT_ONCE", 2)
    for name in ("b.warc", "B.warc", "a_1.warc", "a-1.warc", "a.warc"):
        world.store(name, b"x")

    found = list(world.files.places())

    assert [place.name for place in found] == ["B.warc", "a-1.warc", "a.warc", "a_1.warc", "b.warc"]
    assert found[0].addresses == (str(world.path("a", "B.warc")), str(world.path("b", "B.warc")))
    assert [place.name for place in world.files.places("a.warc")] == ["a_1.warc", "b.warc"]


def test_what_was_done_to_a_file_is_told_newest_first(world: World) -> None:
    file = world.store("a.warc", b"x")

    assert [event.kind for event in world.files.events_of(file.id, limit=10)] == ["stored", "registered"]


def test_what_is_not_there_is_said_so(world: World) -> None:
    for ask in (world.files.get, world.files.details, world.files.store):
        with pytest.raises(NotFound):
            ask(4711)
    with pytest.raises(NotFound):
        world.files.named("nothing.warc")
