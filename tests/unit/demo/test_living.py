"""Words of the house, and what it is told of the real archive: nothing."""

from pathlib import Path

import pytest

from armarium.core.errors import Refused
from armarium.demo.folder import DemoFolder
from armarium.demo.living import environment, held, last_complaint


def test_variables_of_the_real_archive_do_not_reach_the_demonstration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARMARIUM_DATABASE_URL", "postgresql://the/real/one")
    monkeypatch.setenv("ARMARIUM_HOME", "/the/real/one")
    found = environment(DemoFolder(tmp_path))
    assert found["ARMARIUM_HOME"] == str(tmp_path)
    assert "ARMARIUM_DATABASE_URL" not in found


def test_only_one_demonstration_at_a_time_is_in_a_folder(tmp_path: Path) -> None:
    folder = DemoFolder(tmp_path / "data-demo")
    with held(folder), pytest.raises(Refused, match="runs already"), held(folder):
        pass
    with held(folder):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("{}\narmarium: The port is taken.\n", "The port is taken."),
        ("{}\narmarium: One.\narmarium: Two:\n  line 3\n{}\n", "Two: line 3"),
        ("{}\n", "it did not say why."),
        ("", "it did not say why."),
    ],
)
def test_the_last_complaint_is_told_whole(tmp_path: Path, written: str, told: str) -> None:
    (tmp_path / "log").write_text(written)
    assert last_complaint(tmp_path / "log") == told


def test_a_log_that_is_not_there_says_nothing(tmp_path: Path) -> None:
    assert last_complaint(tmp_path / "log") == "it did not say why."
