"""What the resolver takes from the order and from the system."""

from pathlib import Path

import pytest

from armarium.harvest.fetch.dns_query import NameServer
from armarium.harvest.fetch.resolver import known_hosts, name_server


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


@pytest.mark.parametrize("text", ["", "dns.example", "192.0.2", "192.0.2.53:", "[::1", "::1:x"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="dns_servers"):
        name_server(text)


def test_the_systems_table_of_names_is_read(tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("# comment\n127.0.0.1 a.example B.example # more\n\n::1 a.example\nnonsense x\n")

    assert known_hosts(file) == {"a.example": ("127.0.0.1", "::1"), "b.example": ("127.0.0.1",)}
    assert known_hosts(tmp_path / "none") == {}
