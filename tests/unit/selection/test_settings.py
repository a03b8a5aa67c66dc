"""What the settings of the live check refuse when they are read."""

from pathlib import Path

import pytest

from armarium.selection.settings import EntrySettings
from armarium.settings import load
from armarium.settings.problems import WrongSettings


def test_a_name_server_that_is_none_is_refused_with_its_key(tmp_path: Path) -> None:
    (tmp_path / "armarium.toml").write_text('[entry]\ndns_servers = ["192.0.2.53", "dns.example"]\n')
    with pytest.raises(
        WrongSettings, match=r"\[entry\] dns_servers .*'dns\.example' is no address of a name"
    ):
        load([EntrySettings], home=tmp_path, environ={})
