"""Pictures of archived pages: as they were, of the archive alone, for those who may see the page."""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from armarium.access.model import OPEN, Collection, Decision, Effect, Reader
from armarium.access.pictures import queries
from armarium.access.pictures.model import Place, State, Taken, Wanted
from armarium.access.pictures.service import AGAIN, MOST_WAITING, Pictures
from armarium.access.settings import AccessSettings
from armarium.core import clock
from armarium.core.errors import NotFound
from armarium.db.database import Database
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.query import Query
from armarium.selection.settings import EntrySettings
from armarium.workflow.archive_pictures import ArchivePhotographer
from armarium.workflow.picturing import NAMES
from tests.integration.access.world import Page, World, world_of
from tests.sites.paths import paths
from tests.sites.serving import page as live_page

DRAWING = """#!/bin/sh
for one; do case $one in --screenshot=*) printf '\\377\\330\\377' > "${one#*=}";; esac; done
"""
RED = "<style>body { background: red }</style>"
needs_browser = pytest.mark.skipif(
    not any(map(shutil.which, NAMES)), reason="There is no Chromium on this machine: apt-get install chromium"
)


@pytest.fixture
def own_temporary_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where an account without a name may go too, which pytest's own folders are closed to."""
    with tempfile.TemporaryDirectory(prefix="pictures-") as name:
        Path(name).chmod(0o711)
        monkeypatch.setattr(tempfile, "tempdir", name)
        yield Path(name)


def pictures_of(database: Database, world: World, **settings: object) -> Pictures:
    chosen = AccessSettings.model_validate(settings)
    return Pictures(database, chosen, world.site.archive, world.site.policy)


class Except:
    """Everything may be seen but the captures of one address."""

    def __init__(self, key: str, decision: Decision) -> None:
        self.key = key
        self.decision = decision

    def decide(self, reader: Reader, collection: Collection, line: CdxLine) -> Decision:
        return self.decision if line.key == self.key else OPEN


HIDDEN = Decision(Effect.HIDDEN)
KEY = "test,a)/"


@needs_browser
@pytest.mark.usefixtures("own_temporary_folder")
def test_a_picture_shows_the_page_of_its_moment_and_nothing_of_the_live_web(
    database: Database, tmp_path: Path
) -> None:
    with paths({"/live.css": live_page(b"body { background: red }")}, host="127.0.0.2") as live:
        world = world_of(
            tmp_path,
            [
                Page("http://a.test/", "<link rel=stylesheet href=https://b.test/s.css>", "20200101000000"),
                Page("https://b.test/s.css", "body { background: red }", "20200101000001", "text/css"),
                Page("http://a.test/", RED, "20210101000000"),
                Page(
                    "http://a.test/", f"<link rel=stylesheet href={live.address}live.css>", "20220101000000"
                ),
                Page("http://a.test/", "", "20230101000000"),
            ],
        )
        pictures = pictures_of(database, world)
        assert [one.state for one in pictures.strip(world.view(), "http://a.test/")] == [State.ASKED] * 4
        entry = EntrySettings.model_validate({"picture_seconds": 100.0})
        photographer = ArchivePhotographer(entry, AccessSettings(), world.site.archive)
        photographer.take(pictures.waiting(), done=pictures.put, stopping=lambda: False)
        assert live.visits == []
    found = pictures.strip(world.view(), "http://a.test/")
    assert [one.state for one in found] == [State.TAKEN] * 4
    by_tls, red, by_the_live_web, white = (pictures.image(world.view(), one.place) for one in found)
    assert red.startswith(b"\xff\xd8\xff")
    assert by_tls == red != white == by_the_live_web
    assert pictures.waiting() == []
    no_style = world.under(Except("test,b)/s.css", HIDDEN)).view()
    assert [one.place for one in pictures.strip(no_style, "http://a.test/")] == [
        one.place for one in found[1:]
    ]


def test_who_may_not_see_a_capture_sees_no_picture_of_it(database: Database, tmp_path: Path) -> None:
    world = world_of(tmp_path, [Page("http://a.test/", "once")])
    pictures = pictures_of(database, world)
    (one,) = pictures.strip(world.view(), "http://a.test/")
    lines = [CdxLine(key, one.place.timestamp, {}) for key in (KEY, "test,b)/frame")]
    pictures.put(one.place, Taken(b"\xff\xd8\xff picture", lines))
    assert pictures.image(world.view(), one.place)
    alone = Decision(Effect.ALLOWED, one_reader=True)
    # The page itself, what was withdrawn of what it embeds, and what only one reader at a time may have.
    for view in (
        world.under(Except(*each)).view() for each in ((KEY, HIDDEN), ("test,b)/frame", HIDDEN), (KEY, alone))
    ):
        assert pictures.strip(view, "http://a.test/") == []
        with pytest.raises(NotFound):
            pictures.image(view, one.place)
    for key in ("test,b)/", "\0"):
        with pytest.raises(NotFound):
            pictures.image(world.view(), Place(key, one.place.timestamp))


def test_no_picture_is_asked_for_of_what_is_not_of_the_web(database: Database, tmp_path: Path) -> None:
    urls = ("file:///etc/passwd", "http://a.test/\x1b")
    world = world_of(tmp_path, [Page(url, "once") for url in urls])
    pictures = pictures_of(database, world)
    for url in urls:
        pictures.strip(world.view(), url)
    assert pictures.waiting() == []


def test_a_page_that_kills_the_worker_is_not_tried_again(tmp_path: Path, own_temporary_folder: Path) -> None:
    world = world_of(tmp_path, [Page("http://a.test/", "once")])
    browser = own_temporary_folder / "browser"
    browser.write_text(DRAWING)
    browser.chmod(0o755)
    noted: list[Taken | None] = []

    def done(_: Place, taken: Taken | None) -> None:
        noted.append(taken)
        raise SystemExit

    entry = EntrySettings.model_validate({"browser": str(browser)})
    photographer = ArchivePhotographer(entry, AccessSettings(), world.site.archive)
    with pytest.raises(SystemExit):
        photographer.take([Wanted(Place(KEY, "20200101000000"), "http://a.test/")], done=done, stopping=bool)
    assert noted == [None]


def test_a_list_shows_the_newest_picture_of_what_its_reader_may_see(
    database: Database, tmp_path: Path
) -> None:
    moments = ("20200101000000", "20210101000000", "20220101000000")
    world = world_of(tmp_path, [Page("http://a.test/", one, one) for one in moments])
    pictures = pictures_of(database, world)
    lines = [seen.line for seen in world.view().all(Query("http://a.test/"))]
    assert pictures.newest(world.view(), lines) == {}
    assert pictures.waiting() == []
    for one in pictures.strip(world.view(), "http://a.test/")[:2]:
        part = CdxLine("test,b)/frame", one.place.timestamp, {})
        pictures.put(one.place, Taken(b"\xff\xd8\xff picture", [part]))
    assert pictures.newest(world.view(), lines) == {"test,a)/": moments[1]}
    assert pictures.newest(world.view(), lines[:1]) == {"test,a)/": moments[0]}
    for hidden in (KEY, "test,b)/frame"):
        assert pictures.newest(world.under(Except(hidden, HIDDEN)).view(), lines) == {}


def test_a_strip_has_one_page_of_a_month_and_leaves_out_what_is_none(
    database: Database, tmp_path: Path
) -> None:
    captures = [Page("http://a.test/", str(at), f"2020{1 + at % 12:02}01000000") for at in range(24)]
    captures += [
        Page("http://a.test/", "gone", "20210101000000", status="404 Not Found"),
        Page("http://a.test/", "{}", "20210201000000", type="application/json"),
    ]
    world = world_of(tmp_path, captures)
    pictures = pictures_of(database, world)
    found = pictures.strip(world.view(), "http://a.test/", 5)
    assert [one.place.timestamp[4:6] for one in found] == ["01", "04", "07", "09", "12"]
    assert pictures_of(database, world, pictures=False).strip(world.view(), "http://a.test/") == []


def test_the_line_is_short_and_what_is_old_is_forgotten(database: Database, tmp_path: Path) -> None:
    world = world_of(tmp_path, [Page("http://a.test/", "once")])
    pictures = replace(pictures_of(database, world), settings=AccessSettings(most_pictures=100))
    with database.transaction() as connection:
        some = [Wanted(Place(f"test,a)/{at}", "20200101000000"), "") for at in range(MOST_WAITING)]
        queries.ask(connection, some, clock.now(), MOST_WAITING)
        queries.ask(connection, [Wanted(Place("test,b)/", "1"), "")], clock.now(), MOST_WAITING)
        assert queries.states(connection, [Place("test,b)/", "1")]) == {}
        for at, one in enumerate(some[:150]):
            taken = Taken(b"taken", [CdxLine(one.place.key, one.place.timestamp, {})])
            queries.put(connection, one.place, taken, clock.now() + timedelta(seconds=at))
        queries.put(connection, some[150].place, None, clock.now() - 2 * AGAIN)
    assert pictures.tidy() == 51
    with database.transaction() as connection:
        left = queries.states(connection, [one.place for one in some])
    assert [one.place for one in some if one.place not in left] == [
        *(one.place for one in some[:50]),
        some[150].place,
    ]
