"""What waits for somebody comes by mail, as often as they want, and only if there is something to say."""

from datetime import UTC, datetime, timedelta

import pytest

from armarium.notify import tables as letters_tables
from armarium.notify.settings import MailSettings, NotifySettings
from armarium.notify.tasks import Letters
from armarium.selection.digests.model import Reader, Rhythm
from armarium.selection.digests.service import Digests
from armarium.selection.model import RecordState
from armarium.selection.nominations.model import Proposal
from armarium.selection.nominations.service import Nominations
from armarium.selection.settings import SelectionSettings
from armarium.server.assembly import TASK_KINDS
from armarium.tasks.service import Tasks
from tests.integration.notify.conftest import Postbox, Serve
from tests.integration.selection.world import World, world
from tests.integration.web.steps import enter_as
from tests.site import RunningSite

MONDAY = datetime(2026, 11, 16, 5, tzinfo=UTC)


def digests(library: World, port: int = 1, channels: tuple[str, ...] = ("mail",)) -> tuple[Digests, Letters]:
    tasks = Tasks(library.database, TASK_KINDS)
    chosen = NotifySettings(channels=channels, recipients=("ops@library.example",))
    mail = MailSettings(host="localhost", port=port, sender="armarium@library.example")
    letters = Letters(library.database, tasks, chosen, mail)
    return Digests(library.database, letters, "https://staff.example"), letters


def everybody_daily(library: World, made: Digests) -> None:
    for number in library.numbers.values():
        made.choose(number, Rhythm.DAILY)


def written(library: World) -> list[tuple[str, str]]:
    with library.database.transaction() as connection:
        rows = connection.execute(letters_tables.letter.select().order_by(letters_tables.letter.c.recipient))
        return [(row.recipient, row.text) for row in rows]


def test_each_gets_what_concerns_them_and_only_once(library: World, serve: Serve) -> None:
    postbox = Postbox()
    made, letters = digests(library, serve(postbox))
    everybody_daily(library, made)
    mine = library.record(
        "https://news.example/", by=library.ada, responsible=library.numbers["ada"], title="News"
    )
    other = library.record("https://late.example/", by=library.ada, title="Late")
    library.records.comment(library.cora, mine.id, "Which pages?")
    library.records.comment(library.ada, mine.id, "All of them.")
    library.records.decide(library.cora, [mine.id], RecordState.REFUSED, "Out of scope.")
    nominations = Nominations(library.database, letters, SelectionSettings())
    nominations.nominate(library.cora.actor, Proposal("a.example", collection=library.arts.id), language="")
    assert made.write_due() == 3
    assert made.write_due() == 0
    found = dict(written(library))
    ada, ben, cora = (found[f"{name}@library.example"] for name in ("ada", "ben", "cora"))
    assert "Out of scope." in ada
    assert "cora: Which pages?" in ada
    assert "All of them." not in ada  # her own words
    assert f"https://staff.example/selection/records/{mine.id}" in ada
    assert "decision" not in ada
    assert "1 nomination waits for an answer" in ben
    assert "1 record waits for a decision" in cora
    assert other.title not in cora
    letters.carry(1)
    assert len(postbox.letters) == 1


def test_nothing_to_say_is_not_said_and_never_is_never(library: World) -> None:
    made, _ = digests(library)
    everybody_daily(library, made)
    assert made.write_due() == 0
    library.record("https://news.example/", by=library.ada)
    made.choose(library.numbers["cora"], Rhythm.NEVER)
    assert made.write_due() == 0
    assert written(library) == []


def test_without_a_mail_server_nothing_is_written_and_nothing_is_lost(library: World) -> None:
    silent, _ = digests(library, channels=("log",))
    everybody_daily(library, silent)
    library.record("https://news.example/", by=library.ada)
    assert silent.write_due() == 0
    later, _ = digests(library)
    assert later.write_due() == 1


@pytest.mark.parametrize(
    ("rhythm", "days", "due"),
    [
        (Rhythm.DAILY, None, True),
        (Rhythm.DAILY, 1, True),
        (Rhythm.DAILY, 0, False),
        (Rhythm.WEEKLY, None, True),
        (Rhythm.WEEKLY, 6, False),
        (Rhythm.WEEKLY, 8, True),
        (Rhythm.NEVER, 30, False),
    ],
)
def test_when_a_digest_is_due(rhythm: Rhythm, days: int | None, due: bool) -> None:
    before = None if days is None else MONDAY - timedelta(days=days)
    reader = Reader(1, "Ada", "ada@library.example", "", frozenset(), rhythm, before)
    assert reader.is_due(MONDAY) is due


def test_people_choose_on_a_page_of_their_own(site: RunningSite) -> None:
    library = world(site.house.database)
    library.record("https://news.example/", by=library.ada)
    cora = enter_as(site, site.house.accounts.named("cora"))
    page = cora.get("/selection/digest").text
    assert "1 record waits for a decision" in page
    assert "No mail server is set up" in page
    assert cora.submit("/selection/digest", {"rhythm": "hourly"}).status_code == 422
    assert cora.submit("/selection/digest", {"rhythm": "daily"}).status_code == 303
    assert '<option value="daily" selected>' in cora.get("/selection/digest").text
