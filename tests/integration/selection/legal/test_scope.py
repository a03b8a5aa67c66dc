"""Why a site may be collected: dated evidence that nobody can alter."""

from ipaddress import IPv4Network
from pathlib import Path

import pytest
import sqlalchemy as sa
from mmdb_writer import MMDBWriter
from netaddr import IPSet

from armarium.core.errors import Forbidden, Misconfigured, Refused, Unavailable
from armarium.core.name_server import name_server as written
from armarium.selection.legal.model import Criterion, in_scope
from armarium.selection.legal.service import LegalScope
from armarium.selection.settings import SelectionSettings
from tests.integration.selection.bulk.desk import logged
from tests.integration.selection.world import World, world
from tests.integration.web.steps import enter_as
from tests.site import RunningSite
from tests.sites.name_server import NameServer, name_server

ZONE = ("stage.example. 300 IN A 192.0.2.7", "far.example. 300 IN A 198.51.100.7")


def countries(folder: Path) -> Path:
    writer = MMDBWriter(4, "Countries", languages=["en"])
    writer.insert_network(IPSet([str(IPv4Network("192.0.2.0/24"))]), {"country": {"iso_code": "FR"}})
    writer.insert_network(IPSet([str(IPv4Network("198.51.100.0/24"))]), {"country": {"iso_code": "US"}})
    file = folder / "countries.mmdb"
    writer.to_db_file(str(file))
    return file


def test_name_and_servers_are_looked_at_and_kept_with_the_date(library: World, tmp_path: Path) -> None:
    with name_server(NameServer(ZONE)) as server:
        settings = SelectionSettings(
            national_domains=("fr",),
            national_countries=("FR",),
            location_file=countries(tmp_path),
        )
        scope = LegalScope(library.database, settings, [written(server.address)])
        near, far = library.record("https://stage.example/"), library.record("https://far.example/")
        found = {one.criterion: one for one in scope.gather(library.ada, near.id)}
        assert not found[Criterion.NAME].meets
        assert found[Criterion.SERVER].meets
        assert found[Criterion.SERVER].evidence["addresses"] == "192.0.2.7 (FR)"
        scope.gather(library.ada, far.id)
    assert in_scope(scope.notes(near.id)) is True
    assert in_scope(scope.notes(far.id)) is False
    french = library.record("https://www.gazette.fr/")
    assert in_scope(scope.notes(french.id)) is None


def test_the_newest_note_of_a_criterion_counts(library: World) -> None:
    scope = LegalScope(library.database, SelectionSettings())
    made = library.record("https://stage.example/")
    scope.note(library.ada, made.id, Criterion.POSTAL, True, "Rue de la Paix, on the page of contacts.")
    assert in_scope(scope.notes(made.id)) is True
    scope.note(library.ada, made.id, Criterion.POSTAL, False, "The page of contacts has gone.")
    assert in_scope(scope.notes(made.id)) is False
    assert len(scope.notes(made.id)) == 2


@pytest.mark.parametrize(
    "deed", ["UPDATE selection_scope_note SET meets = true", "DELETE FROM selection_scope_note"]
)
def test_the_database_refuses_to_alter_evidence(library: World, deed: str) -> None:
    made = library.record("https://stage.example/")
    LegalScope(library.database, SelectionSettings()).note(
        library.ada, made.id, Criterion.OTHER, False, "No."
    )
    with (
        pytest.raises(sa.exc.ProgrammingError, match="never changed"),
        library.database.transaction() as connection,
    ):
        connection.execute(sa.text(deed))


def test_only_members_of_the_collection_write(library: World) -> None:
    scope = LegalScope(library.database, SelectionSettings())
    made = library.record("https://stage.example/")
    with pytest.raises(Forbidden):
        scope.note(library.ben, made.id, Criterion.OTHER, True, "Mine.")
    with pytest.raises(Forbidden):  # before any name server is asked
        scope.gather(library.ben, made.id)
    assert logged(library, "selection.denied") == [("ben", "Press")] * 2
    with pytest.raises(Refused):
        scope.note(library.ada, made.id, Criterion.OTHER, True, "  ")
    assert scope.notes(made.id) == []


@pytest.mark.parametrize("host", ["10.1.2.3", "[fd00::1]", "[::ffff:192.168.1.1]", "127.0.0.1"])
def test_nothing_is_told_of_the_library_s_own_network(library: World, host: str) -> None:
    made = library.record(f"http://{host}/")
    notes = LegalScope(library.database, SelectionSettings()).gather(library.ada, made.id)
    assert [one.evidence["addresses"] for one in notes if "addresses" in one.evidence] == [""]


def test_silence_and_a_broken_file_are_told_and_nothing_is_kept(library: World, tmp_path: Path) -> None:
    made = library.record("https://stage.example/")
    broken = tmp_path / "broken.mmdb"
    broken.write_bytes(b"no database")
    with name_server(NameServer(ZONE)) as server:
        settings = SelectionSettings(location_file=broken)
        with pytest.raises(Misconfigured, match=r"broken\.mmdb"):
            LegalScope(library.database, settings, [written(server.address)]).gather(library.ada, made.id)
    with name_server(NameServer(ZONE, fails=True)) as server:
        scope = LegalScope(library.database, SelectionSettings(), [written(server.address)])
        with pytest.raises(Unavailable, match=r"stage\.example"):
            scope.gather(library.ada, made.id)
    assert scope.notes(made.id) == []


def test_the_page_shows_all_of_it_for_the_printer(site: RunningSite) -> None:
    library = world(site.house.database)
    made = library.record("https://stage.example/")
    there = f"/selection/records/{made.id}/scope"
    ada, ben = (enter_as(site, site.house.accounts.named(name)) for name in ("ada", "ben"))
    assert ada.submit(there, {"criterion": "publisher", "meets": "yes", "text": ""}).status_code == 422
    said = "<b>Lives</b> in Lyon."
    assert ada.submit(there, {"criterion": "publisher", "meets": "yes", "text": said}).status_code == 303
    page = ben.get(there).text
    assert "In the legal scope" in page
    assert "&lt;b&gt;Lives&lt;/b&gt; in Lyon." in page
    assert "Add a note" not in page
    assert ben.submit(there, {"criterion": "publisher", "text": "No."}).status_code == 403
