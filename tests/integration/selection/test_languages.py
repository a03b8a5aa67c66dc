"""Selection in the five languages: every page answers, and people may type their own words."""

import pytest

from armarium.accounts.model import Role
from armarium.core.errors import Refused
from armarium.languages.catalogues import languages
from armarium.languages.speech import speaking
from armarium.selection.bulk.forms import responsible_named
from armarium.selection.bulk.model import NOBODY as NOBODY_CHOSEN
from armarium.selection.exchange.model import Mode
from armarium.selection.exchange.service import Imports
from armarium.selection.search.labels import meant, typed
from armarium.selection.search.model import ME, NOBODY
from tests.integration.selection.world import World
from tests.site import Client, RunningSite

PAGES = (
    "/selection/tray",
    "/selection/enter",
    "/selection/records?q=a&responsible=me&state=refused&created_from=2020-01-01&origin=entry",
    "/selection/records/new",
    "/selection/records/1",
    "/selection/records/1/edit",
    "/selection/records/1/move",
    "/selection/records/1/findings",
    "/selection/records/1/scope",
    "/selection/searches",
    "/selection/bulk",
    "/selection/bulk/new?which=all&search=q%3Da",
    "/selection/nominations",
    "/selection/findings",
    "/selection/import",
    "/selection/import/1",
    "/selection/export",
    "/selection/collections",
    "/selection/collections/1",
    "/selection/matrix",
    "/selection/transfer",
    "/selection/transfer/runs",
    "/selection/mapping",
    "/selection/digest",
)


def speaker(site: RunningSite, code: str) -> Client:
    client = site.signed_in(f"root-{code}", Role.ADMINISTRATOR)
    client.cookies.set("armarium_language", code)
    return client


@pytest.mark.parametrize("code", sorted(languages()))
def test_every_page_answers(library: World, site: RunningSite, code: str) -> None:
    library.record("https://choir.example/", title="Choir")
    imports: Imports = site.app.state.services.get(Imports)
    kept = imports.keep(library.cora, "list.csv", iter([b"address;what\nnowhere;1\n"]), Mode.TRIAL, None)
    imports.run(kept.id)
    client = speaker(site, code)
    for page in PAGES:
        answer = client.get(page)
        assert answer.status_code == 200, page
        assert f'lang="{code}"' in answer.text


def test_people_type_me_and_nobody_in_their_own_words(library: World, site: RunningSite) -> None:
    library.record("https://choir.example/", title="Choir", responsible=library.numbers["ada"])
    library.record("https://opera.example/", title="Opera")
    client = speaker(site, "fr")
    found = client.get("/selection/records", params={"responsible": "Personne"}).text
    assert "Opera" in found
    assert "Choir" not in found
    assert 'value="personne"' in found
    for code in languages():
        with speaking(code):
            assert [meant(typed(one)) for one in (ME, NOBODY)] == [ME, NOBODY]
            assert (meant("nobody"), meant("ada")) == ("nobody", "ada")
            assert responsible_named(typed(NOBODY), site.house.accounts) == NOBODY_CHOSEN
    with pytest.raises(Refused), speaking("en"):
        responsible_named("personne", site.house.accounts)


def test_a_question_in_words_has_the_punctuation_of_its_language(library: World, site: RunningSite) -> None:
    library.record("https://choir.example/", title="Choir")
    page = speaker(site, "fr").get("/selection/bulk/new?which=all&search=q%3Dchoir").text
    assert "Texte\N{NO-BREAK SPACE}: choir" in page
