"""What the resolver takes from the order and from the system."""

from pathlib import Path

import pytest

from armarium.core.name_server import NameServer
from armarium.harvest.fetch.resolver import known_hosts, name_servers


def test_an_order_may_name_the_name_servers() -> None:
    assert name_servers(["192.0.2.53", "[::1]:5353"]) == [NameServer("192.0.2.53"), NameServer("::1", 5353)]


def test_what_is_no_name_server_is_refused_with_the_key() -> None:
    with pytest.raises(ValueError, match=r"fetching\.dns_servers: 'dns\.example' is no address"):
        name_servers(["192.0.2.53", "dns.example"])


def test_the_systems_table_of_names_is_read(tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("# comment\n127.0.0.1 a.example B.example # more\n\n::1 a.example\nnonsense x\n")

    assert known_hosts(file) == {"a.example": ("127.0.0.1", "::1"), "b.example": ("127.0.0.1",)}
    assert known_hosts(tmp_path / "none") == {}
