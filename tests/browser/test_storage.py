"""The pages of files and replicas in a browser: sound at every width, and usable by their words."""

from pathlib import Path

from playwright.sync_api import Page, expect

from armarium.accounts.model import Role
from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.storage.files.queries import change_copy
from armarium.storage.model import RepairState
from tests.browser.conftest import NewPage
from tests.browser.soundness import EVERY_LOOK, assert_all_sound, assert_sound
from tests.browser.steps import enter
from tests.integration.storage.files.world import World
from tests.integration.storage.outside import Outside, forget, warc
from tests.site import RunningSite

NAME = "1-3-20261115120000-00001-collector.national-library.example.warc.gz"


def test_files_and_replicas_are_accessible_and_fit_their_width(
    page: Page, site: RunningSite, database: Database, tmp_path: Path
) -> None:
    world = World(database, tmp_path / "archive")
    file, away = world.store(NAME, warc(), job=1), world.replicas.named("b")
    world.register(f"later-{NAME}", warc(b"more"))
    with database.transaction() as connection:
        change_copy(connection, file.id, away.id, state="corrupt", error="It gave other bytes.")
    world.replicas.note_away(away, "Its disk is not mounted.")
    site.account("ada", Role.PRESERVATION)
    enter(page, site, "ada")
    shown = [f"/storage/files/{file.id}", f"/storage/replicas/{away.id}", "/storage/replicas/new?kind=s3"]
    assert_all_sound(page, ("/storage/replicas/new", *shown))


def test_a_record_is_downloaded_and_a_replica_retired_without_scripts(
    new_page: NewPage, site: RunningSite, database: Database, tmp_path: Path
) -> None:
    world = World(database, tmp_path / "archive")
    content = warc()
    file = world.store(NAME, content)
    site.account("ada", Role.PRESERVATION)
    page = new_page(scripts=False)
    enter(page, site, "ada")
    page.goto(f"/storage/files/{file.id}")
    page.get_by_text("Download one record").click()
    page.get_by_label("Offset of the record").fill("0")
    with page.expect_download() as begun:
        page.get_by_role("button", name="Download record").click()
    assert content.startswith(begun.value.path().read_bytes())
    page.goto(f"/storage/replicas/{world.replicas.named('b').id}/edit")
    page.get_by_label("Type its name to confirm").fill("b")
    page.get_by_role("button", name="Retire").click()
    expect(page.get_by_text("b was retired.")).to_be_visible()


def test_the_votes_of_a_rebuild_are_seen_and_confirmed_many_at_a_time(
    page: Page, site: RunningSite, database: Database, tmp_path: Path
) -> None:
    world = Outside(database, tmp_path / "archive")
    for number in range(2):
        world.store(f"{number}{NAME}", warc())
    forget(world)
    for number in range(2):
        world.overwrite("a", f"{number}{NAME}", b"")
    world.rebuild.run(SYSTEM)
    site.account("ada", Role.PRESERVATION)
    enter(page, site, "ada")
    file = world.files.named(f"0{NAME}")
    page.goto(f"/storage/repairs/{world.found_repairs(file)[0].id}")
    assert_sound(page, *EVERY_LOOK)
    page.goto("/storage/repairs?state=waiting")
    assert_sound(page, *EVERY_LOOK)
    page.get_by_text("Approve, decide or reject several").click()
    page.get_by_label("All 2 repairs listed").check()
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Done: 2.")).to_be_visible()
    assert world.found_repairs(file)[0].state is RepairState.APPROVED
