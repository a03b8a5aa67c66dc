"""What every answer says to the browser, and what no page contains."""

import re
from html.parser import HTMLParser

import pytest

from armarium.accounts.model import Role
from armarium.core.actor import SYSTEM
from armarium.web.templating import static_address
from tests.integration.web.routes import routes_of
from tests.integration.web.steps import enter
from tests.site import Client, RunningSite


class Inline(HTMLParser):
    """Finds scripts and styles that stand in the page itself, and addresses on other hosts."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "style" or (tag == "script" and "src" not in given) or tag in {"base", "object", "embed"}:
            self.found.append(f"<{tag}>")
        for name, value in attrs:
            if name == "style" or name.startswith("on"):
                self.found.append(f"<{tag} {name}=…>")
            if name in {"href", "src", "action", "formaction"} and not re.match(
                r"[/#?]|mailto:", value or ""
            ):
                self.found.append(f"<{tag} {name}={value}>")
            if name in {"href", "src", "action"} and (value or "").startswith("//"):
                self.found.append(f"<{tag} {name}={value}>")


def pages(site: RunningSite, client: Client) -> list[str]:
    """The addresses of all pages, errors included."""
    link = site.house.accounts.password_link(SYSTEM, 1).key
    special = {"/live", "/metrics", "/healthz", "/readyz", "/administration/audit.csv"}
    found = [
        r.path for r in routes_of(site.app) if r.method == "GET" and not r.is_api and r.path not in special
    ]
    assert client.get("/account").status_code == 200
    return [path.replace("{number}", "1").replace("{key}", link) for path in found] + ["/nothing/here"]


def test_no_page_has_scripts_or_styles_of_its_own(site: RunningSite) -> None:
    chief, stranger = enter(site, "chief", Role.ADMINISTRATOR), site.client()
    for client in (chief, stranger):
        for path in pages(site, chief):
            parser = Inline()
            parser.feed(client.get(path).text)
            assert parser.found == [], path


def test_every_answer_keeps_to_itself(site: RunningSite) -> None:
    chief = enter(site, "chief", Role.ADMINISTRATOR)
    paths = [*pages(site, chief), "/healthz", "/api/me", "/api/nothing", "/static/live.js", "/static/nothing"]
    for path in paths:
        answer = chief.get(path)
        headers = answer.headers
        policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
        assert policy["default-src"] == "'none'"
        assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'"
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] in {"same-origin", "strict-origin", "no-referrer"}
        if 'method="post"' in answer.text:  # a form would be sent from the origin "null", and be refused
            assert headers["referrer-policy"] != "no-referrer", path
        assert headers["x-request-id"]
        assert "server" not in headers
        if not path.startswith("/static/live"):
            assert headers["cache-control"] == "no-store", path
    refused = chief.get("/sign-in", headers={"Host": "evil.example"})
    assert refused.status_code == 400
    assert "content-security-policy" in refused.headers


def test_versioned_files_are_kept_for_a_year_and_others_a_minute(site: RunningSite) -> None:
    client = site.client()
    versioned = client.get(static_address("live.js"))
    assert versioned.headers["cache-control"] == "public, max-age=31536000, immutable"
    again = client.get(static_address("live.js"), headers={"If-None-Match": versioned.headers["etag"]})
    assert again.status_code == 304
    assert again.headers["cache-control"] == "public, max-age=31536000, immutable"
    for other in ("/static/live.js", "/static/live.js?v=", "/static/live.js?v=ofanotherversion"):
        assert client.get(other).headers["cache-control"] == "public, max-age=60", other


@pytest.mark.parametrize(
    "path", ["/static/../settings.py", "/static/%2e%2e/settings.py", "/static/..%2fapp.py"]
)
def test_nothing_outside_the_static_folder_is_served(site: RunningSite, path: str) -> None:
    answer = site.client().get(path)
    assert answer.status_code == 404
    assert "import" not in answer.text


def test_what_people_wrote_is_text_on_every_page(site: RunningSite) -> None:
    chief = enter(site, "chief", Role.ADMINISTRATOR)
    attack = "<img src=x onerror=alert(1)>\"'"
    chief.submit("/account/profile", {"display_name": attack, "mail": "", "language": ""})
    for _ in range(5):
        site.client().sign_in(attack, "wrong")
    for path in (
        *pages(site, chief),
        "/administration/accounts?q=" + attack,
        "/administration/audit?who=" + attack,
    ):
        assert "<img src=x" not in chief.get(path).text, path
    wrong = {"name": attack, "display_name": attack, "mail": attack, "language": attack, "roles": attack}
    assert "<img src=x" not in chief.submit("/administration/accounts/new", wrong).text


def test_an_error_page_has_no_form_that_would_fail(site: RunningSite) -> None:
    """Whether somebody is signed in may be unknown there, and the form's token would be the wrong one."""
    for client in (enter(site, "ada"), site.client()):
        answer = client.get("/nothing/here")
        assert "<form" not in answer.text
        assert "set-cookie" not in answer.headers


def test_answers_are_not_held_back_by_nagles_delay(site: RunningSite) -> None:
    client = site.client()
    client.get("/healthz")
    seconds = [client.get("/healthz").elapsed.total_seconds() for _ in range(60)]
    # The delay is 40 ms for all but the first few; a busy machine is slow for some, but not for all.
    assert sorted(seconds)[10] < 0.035
