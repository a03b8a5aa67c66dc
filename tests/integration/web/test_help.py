"""The documentation as pages of the site."""

from armarium.accounts.model import Role
from tests.site import RunningSite


def test_the_documentation_is_read_on_the_site_by_those_who_are_signed_in(site: RunningSite) -> None:
    assert site.client().get("/help/how-to/upgrade").headers["location"].startswith("/sign-in")
    client = site.signed_in("rea", Role.READER)
    start = client.get("/help", follow_redirects=True)
    assert "Preservation expert" in start.text
    page = client.get("/help/how-to/run-in-production")
    assert '<h2 id="install">Install</h2>' in page.text
    assert 'href="#install"' in page.text
    assert client.get("/help/pictures/workflow.svg").headers["content-type"] == "image/svg+xml"
    for nowhere in ("how-to/nothing", "../pyproject.toml", "%2e%2e/pyproject.toml", "docs/README.md"):
        assert client.get(f"/help/{nowhere}").status_code == 404, nowhere


def test_help_is_found_by_its_words_and_from_the_page_that_it_explains(site: RunningSite) -> None:
    client = site.signed_in("ada")
    assert "/help/how-to/upgrade" in client.get("/help/search?q=upgrade+back+up").text
    assert "/help/how-to/upgrade" in client.get("/find?q=upgrade").text
    assert "No page of help" in client.get("/help/search?q=xyzzy").text
    assert 'href="/help/reference/permissions"' in client.get("/administration/roles").text
