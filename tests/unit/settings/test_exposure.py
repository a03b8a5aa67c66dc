"""A settings file with secrets that everybody can read."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from armarium.settings import Section, key, load
from armarium.settings.load import exposure_warning


class Mail(Section, name="mail"):
    """Where mail goes."""

    password: SecretStr | None = key(None, "The password.")
    port: int = key(25, "The port.")


def warned(folder: Path, mode: int, text: str, **environ: str) -> str | None:
    file = folder / "armarium.toml"
    file.write_text(text)
    file.chmod(mode)
    return exposure_warning(load([Mail], home=folder, environ=environ))


def test_a_secret_in_a_file_that_everybody_can_read_is_warned_of(tmp_path: Path) -> None:
    said = warned(tmp_path, 0o644, '[mail]\npassword = "hunter2"\n')
    assert said is not None
    assert "mail.password" in said
    assert "chmod o-rwx" in said
    assert "hunter2" not in said


@pytest.mark.parametrize("mode", [0o600, 0o640])
def test_a_file_for_its_owner_and_group_is_fine(tmp_path: Path, mode: int) -> None:
    assert warned(tmp_path, mode, '[mail]\npassword = "hunter2"\n') is None


def test_an_open_file_without_secrets_is_fine(tmp_path: Path) -> None:
    assert warned(tmp_path, 0o644, "[mail]\nport = 26\n", ARMARIUM_MAIL_PASSWORD="hunter2") is None
