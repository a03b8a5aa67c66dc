"""The settings of the demonstration are such as the house takes, and keep to the loopback."""

from pathlib import Path

from armarium.access.settings import AccessSettings
from armarium.demo.folder import DemoFolder, Ports
from armarium.demo.furnishing import furnish
from armarium.selection.settings import EntrySettings
from armarium.server.sections import SECTIONS
from armarium.server.settings import ServerSettings
from armarium.settings import load
from armarium.web.settings import WebSettings


def test_the_house_takes_the_settings(tmp_path: Path) -> None:
    furnish(DemoFolder(tmp_path), Ports(8001, 8091, 8071, 8054))
    settings = load(SECTIONS, home=tmp_path, environ={})
    web, access = settings[WebSettings], settings[AccessSettings]
    assert (web.host, web.port, access.host, access.port) == ("127.0.0.1", 8001, "127.0.0.1", 8091)
    assert settings[EntrySettings].dns_servers == ("127.0.0.1:8054",)
    assert settings[EntrySettings].allowed_ranges == ("127.0.0.1/32",)
    assert settings[ServerSettings].collectors == 2
    assert (tmp_path / "armarium.toml").stat().st_mode & 0o077 == 0
