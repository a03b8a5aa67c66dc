"""What somebody is told to type."""

from pathlib import Path

import pytest

from armarium.demo.ports import called


def test_in_a_checkout_it_is_called_by_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert called() == "./run demo"
    assert called("--anew", "--web-port", "8071") == "./run demo --anew --web-port 8071"


def test_where_armarium_is_installed_it_is_called_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "armarium").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert called("--clean") == "armarium demo --clean"
