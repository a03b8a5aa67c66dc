import pytest

from armarium.access.proxy.connection import Request
from armarium.access.proxy.request import NOBODY, Tunnel, tunnel_of, url_of
from armarium.core.errors import Refused


def _tunnel(target: str) -> Tunnel:
    return tunnel_of(Request("CONNECT", target, {}), NOBODY)


@pytest.mark.parametrize(
    ("target", "host", "origin"),
    [
        ("Example.org:443", "example.org", "https://example.org"),
        ("example.org:8443", "example.org", "https://example.org:8443"),
        ("b\xfccher.example:443", "xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ("[2001:DB8::1]:443", "2001:db8::1", "https://[2001:db8::1]"),
        ("192.0.2.1:443", "192.0.2.1", "https://192.0.2.1"),
        ("example.org.:443", "example.org", "https://example.org"),
    ],
)
def test_a_tunnel_leads_to_a_host_in_its_normal_form(target: str, host: str, origin: str) -> None:
    tunnel = _tunnel(target)
    assert (tunnel.host, tunnel.origin) == (host, origin)


@pytest.mark.parametrize(
    "target",
    [
        "example.org",
        "example.org:80",
        "example.org:25",
        "example.org:0",
        ":443",
        "a@example.org:443",
        "a/b:443",
        "example.org:99999",
        "exa mple:443",
        "example.org:443/x",
        "[::1:443",
        "",
    ],
)
def test_tunnels_to_odd_places_are_refused(target: str) -> None:
    with pytest.raises(Refused):
        _tunnel(target)


def test_inside_a_tunnel_the_host_is_that_of_the_tunnel_whatever_the_request_says() -> None:
    tunnel = _tunnel("example.org:443")
    assert url_of(Request("GET", "/a?b", {"host": "other.test"}), tunnel) == "https://example.org/a?b"


@pytest.mark.parametrize(
    "target", ["ftp://example.org/", "file:///etc/passwd", "*", "http://", "example.org", "http://a b/"]
)
def test_only_addresses_of_the_web_are_taken(target: str) -> None:
    with pytest.raises(Refused):
        url_of(Request("GET", target, {}), None)
