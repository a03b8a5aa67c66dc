"""What the proxy asks of viewings."""

import gzip

import pytest

from armarium.access.model import Reader
from armarium.access.viewings.proxy_access import Recordings, ViewingWords
from armarium.accounts.model import Role
from armarium.core.errors import Forbidden, NotFound
from tests.integration.access.viewings.world import ViewerWorld

PAGE, PICTURE = "http://a.example/gone", "http://a.example/logo.png"


def reader(there: ViewerWorld, name: str, *roles: Role) -> tuple[Reader, int]:
    """Somebody with a viewing, as the proxy knows them."""
    person, actor = who = there.person(name, *roles)
    viewing = there.begin(who, 1)
    word = there.viewings.make_proxy_word(actor, person, viewing.id)
    guest = ViewingWords(there.viewings).guest(f"viewing-{viewing.id}", word, "127.0.0.1")
    assert guest is not None
    return guest.reader, viewing.id


@pytest.mark.parametrize(
    "user", ["viewing-x", "viewing-", "viewing-٣", "all", "", f"viewing-{'9' * 30}", "viewing-1"]
)
def test_no_other_user_and_no_other_word_lets_anybody_in(there: ViewerWorld, user: str) -> None:
    there.job("a.example")
    reader(there, "lea", Role.LIBRARIAN)
    for word in ("", "guess"):
        assert ViewingWords(there.viewings).guest(user, word, "127.0.0.1") is None


def test_recording_is_steered_as_by_the_commands_of_a_viewer_proxy(there: ViewerWorld) -> None:
    there.job("a.example"), there.job("b.example")
    who, number = reader(there, "lea", Role.LIBRARIAN)
    recordings = Recordings(there.viewings)
    there.viewings.note_missing(number, PAGE, "", "")
    there.viewings.note_missing(number, PICTURE, "", "")
    assert sorted(recordings.recorded(who, number)) == [PAGE, PICTURE]
    status = recordings.status(who, number)
    assert (status.recording, status.missing, tuple(status.jobs)) == (True, 2, (1,))
    recordings.record(who, number, on=False)
    there.viewings.note_missing(number, "http://a.example/later", "", "")
    recordings.clear(who, number)
    assert list(recordings.recorded(who, number)) == []
    recordings.change(who, number, [2], "Another")
    after = recordings.status(who, number)
    assert (after.title, tuple(after.jobs), after.recording) == ("Another", (2,), False)


def test_the_viewing_of_somebody_else_is_not_there(there: ViewerWorld) -> None:
    there.job("a.example")
    _, number = reader(there, "lea", Role.LIBRARIAN)
    other, _ = reader(there, "ole", Role.LIBRARIAN)
    recordings = Recordings(there.viewings)
    for asked in (recordings.status, recordings.recorded, recordings.clear):
        with pytest.raises(NotFound):
            asked(other, number)


def test_files_and_metadata_are_given_to_those_who_may(there: ViewerWorld) -> None:
    there.harvested("a.example", ["http://a.example/"])
    librarian, _ = reader(there, "lea", Role.LIBRARIAN)
    curator, _ = reader(there, "cora", Role.CURATOR)
    recordings = Recordings(there.viewings)
    text = gzip.decompress(b"".join(recordings.metadata(librarian, 1)))
    assert b"metadata://armarium/crawl/logs/crawl.log" in text
    [_, captures] = there.brought.files(1, limit=5)[0]
    assert b"WARC/1.1" in gzip.decompress(b"".join(recordings.file(curator, captures.name)))
    with pytest.raises(Forbidden):
        recordings.file(librarian, captures.name)
    with pytest.raises(Forbidden):
        recordings.metadata(Reader(), 1)
    with pytest.raises(NotFound):
        recordings.file(curator, "none.warc.gz")
