"""The keys of a collector lie in a file that only it reads."""

from pathlib import Path

import pytest

from armarium.collector.identity import new_identity, read_identity, write_identity
from armarium.core.errors import Misconfigured


def test_who_has_no_file_is_nobody(tmp_path: Path) -> None:
    assert read_identity(tmp_path / "key") is None


def test_keys_are_kept_before_the_server_knows_them(tmp_path: Path) -> None:
    file = tmp_path / "secrets" / "key"
    made = new_identity(file, "alpha")
    found = read_identity(file)
    assert found is not None
    assert (found.name, found.server_key) == ("alpha", None)
    assert found.keys.public_signing == made.keys.public_signing
    assert file.stat().st_mode & 0o777 == 0o600


def test_the_key_of_the_server_is_kept_too(tmp_path: Path) -> None:
    file = tmp_path / "key"
    write_identity(file, new_identity(file, "alpha").enrolled("beta", {"kty": "OKP"}))
    found = read_identity(file)
    assert found is not None
    assert (found.name, found.server_key) == ("beta", {"kty": "OKP"})


def test_a_damaged_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("{")
    with pytest.raises(Misconfigured, match="enrol the collector again"):
        read_identity(tmp_path / "key")
