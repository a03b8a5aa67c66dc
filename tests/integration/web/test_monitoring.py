"""Health, readiness, metrics, and who counts as near."""

from pathlib import Path

import pytest

from armarium.accounts.model import Permission, Role
from armarium.core.errors import Misconfigured
from armarium.db.database import Database
from armarium.server.assembly import SECTIONS
from armarium.settings import load
from tests.integration.web.steps import Lines, assert_clear, audited, enter, token_of, with_token
from tests.site import RunningSite, running_site

FAR = "203.0.113.7"


def test_health_and_readiness_are_for_everybody(site: RunningSite) -> None:
    client = site.client()
    assert client.get("/healthz").text == "ok\n"
    ready = client.get("/readyz")
    assert (ready.status_code, ready.json()["ready"]) == (200, True)
    assert set(ready.json()["checks"]) == {"database", "schema"}


def test_metrics_count_requests_by_route_and_not_by_address(site: RunningSite) -> None:
    client = site.client()
    for number in range(3):
        client.get(f"/api/accounts/{number}")
        client.get(f"/nothing/{number}")
    figures = client.get("/metrics").text
    assert (
        'armarium_http_requests_total{method="GET",route="/api/accounts/{number}",status="401"} 3.0'
        in figures
    )
    assert 'route="unknown",status="404"} 3.0' in figures
    assert "nothing" not in figures


def test_metrics_from_afar_need_the_permission(database: Database, tmp_path: Path) -> None:
    with running_site(database, tmp_path, ARMARIUM_WEB_METRICS_NETWORKS="192.0.2.0/24") as site:
        assert_clear(site.client().get("/metrics"), 403)
        assert_clear(enter(site, "reader", Role.READER).get("/metrics"), 403)
        assert enter(site, "boss", Role.MANAGER).get("/metrics").status_code == 200
        scraper = with_token(site, token_of(site, "boss", Permission.SYSTEM_VIEW))
        assert scraper.get("/metrics").status_code == 200


def test_a_forwarded_address_is_not_believed_without_a_trusted_proxy(lines: Lines, site: RunningSite) -> None:
    forwarded = {"X-Forwarded-For": FAR, "X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"}
    visitor = site.client()
    visitor.headers.update(forwarded)
    visitor.sign_in("ada", "wrong")
    assert {line["address"] for line in lines.with_event("sign-in refused")} == {"127.0.0.1"}
    # A proxy of which nobody told us: everybody would look near, so nobody is.
    assert_clear(visitor.get("/metrics"), 403)


def test_a_trusted_proxy_tells_who_asks(database: Database, tmp_path: Path) -> None:
    with running_site(database, tmp_path, ARMARIUM_WEB_TRUSTED_PROXIES="127.0.0.1") as site:
        site.account("ada", Role.ADMINISTRATOR)
        visitor = site.client()
        # Only the last address was seen by the proxy; the first is what the visitor claims.
        visitor.headers["X-Forwarded-For"] = f"127.0.0.1, {FAR}"
        visitor.sign_in("ada")
        assert [entry.address for entry in audited(site, "account.signed_in")] == [FAR]
        assert FAR in visitor.get("/account").text
        stranger = site.client()
        stranger.headers["X-Forwarded-For"] = FAR
        assert_clear(stranger.get("/metrics"), 403)
        stranger.headers["X-Forwarded-For"] = "not an address"
        assert_clear(stranger.get("/metrics"), 403)


def test_a_proxy_that_is_not_trusted_is_not_believed(
    database: Database, tmp_path: Path, lines: Lines
) -> None:
    with running_site(database, tmp_path, ARMARIUM_WEB_TRUSTED_PROXIES="192.0.2.1") as site:
        visitor = site.client()
        visitor.headers["X-Forwarded-For"] = FAR
        visitor.sign_in("ada", "wrong")
    assert {line["address"] for line in lines.with_event("sign-in refused")} == {"127.0.0.1"}


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("METRICS_NETWORKS", "10.0.0.1/8"),
        ("TRUSTED_PROXIES", "proxy.example"),
        ("TIME_ZONE", "Mars/Olympus"),
        ("TIME_ZONE", "Europe"),
        ("PUBLIC_URL", "archive.example"),
        ("PUBLIC_URL", "ftp://archive.example"),
        ("PUBLIC_URL", "https://archive.example/path"),
    ],
)
def test_settings_that_would_break_every_page_are_refused_at_the_start(
    tmp_path: Path, variable: str, value: str
) -> None:
    with pytest.raises(Misconfigured, match=variable.lower()):
        load(SECTIONS, home=tmp_path, environ={f"ARMARIUM_WEB_{variable}": value})


def test_a_head_request_gets_the_headers_of_the_page_and_no_body(site: RunningSite) -> None:
    with site.client() as client:
        for path in ("/healthz", "/sign-in"):
            answer = client.head(path)
            assert (answer.status_code, answer.content) == (200, b"")
    assert site.signed_in().head("/live?topic=tasks").status_code == 200
