import json
from enum import StrEnum
from pathlib import Path

from pydantic import SecretStr

from armarium.settings import Section, Settings, key, load
from armarium.settings.show import as_json, rows, table


class Robots(StrEnum):
    OBEY = "obey"


class WebSettings(Section, name="web"):
    """The pages."""

    port: int = key(8080, "Port.")
    open: bool = key(True, "Open.")
    robots: Robots = key(Robots.OBEY, "Robots.")
    store: Path = key(Path("a/b"), "Store.")
    names: list[str] = key(["x", "y"], "Names.")
    token: SecretStr | None = key(None, "Token.")
    other: SecretStr | None = key(None, "Other token.")


def settings(home: Path) -> Settings:
    (home / "armarium.toml").write_text("[web]\nport = 81\n")
    return load([WebSettings], home=home, environ={"ARMARIUM_WEB_TOKEN": "hunter2"})


def test_a_row_has_the_value_and_where_it_came_from(tmp_path: Path) -> None:
    found = {row.key: (row.value, row.origin) for row in rows(settings(tmp_path))}
    assert found == {
        "port": (81, "armarium.toml:2"),
        "open": (True, "default"),
        "robots": ("obey", "default"),
        "store": ("a/b", "default"),
        "names": (["x", "y"], "default"),
        "token": ("••••", "ARMARIUM_WEB_TOKEN"),
        "other": (None, "default"),
    }


def test_the_table_is_for_people(tmp_path: Path) -> None:
    lines = table(settings(tmp_path)).splitlines()
    assert lines[0].split() == ["home", str(tmp_path), "command", "line"]
    assert lines[1].split() == ["web.port", "81", "armarium.toml:2"]
    assert lines[2].split() == ["web.open", "true", "default"]
    assert lines[5].split() == ["web.names", "x,", "y", "default"]


def test_json_has_everything_and_no_secret(tmp_path: Path) -> None:
    text = json.dumps(as_json(settings(tmp_path)))
    assert "hunter2" not in text + table(settings(tmp_path)) + repr(settings(tmp_path))
    assert json.loads(text)["file"] == str(tmp_path / "armarium.toml")
    assert len(json.loads(text)["settings"]) == 7
