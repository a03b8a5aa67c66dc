"""Name servers, as settings and crawl orders name them."""

import pytest

from armarium.core.name_server import NameServer, name_server


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("192.0.2.53", NameServer("192.0.2.53", 53)),
        ("192.0.2.53:5353", NameServer("192.0.2.53", 5353)),
        ("2001:db8::53", NameServer("2001:db8::53", 53)),
        ("[2001:db8::53]", NameServer("2001:db8::53", 53)),
        ("[::1]:5353", NameServer("::1", 5353)),
    ],
)
def test_a_name_server_may_have_a_port(text: str, server: NameServer) -> None:
    assert name_server(text) == server


@pytest.mark.parametrize(
    "text",
    [
        "",
        "dns.example",
        "192.0.2",
        "192.0.2.53:",
        "192.0.2.53:0",
        "192.0.2.53:65536",
        "192.0.2.53:123456789",
        "[192.0.2.53",
        "[::1",
        "::1:x",
        " ::1",
    ],
)
def test_what_is_no_address_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no address of a name server; write it as 192\.0\.2\.53"):
        name_server(text)
