"""Secrets that must be read again."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import SecretStr

from armarium.accounts.vault import FILE, Vault, VaultSettings
from armarium.core.errors import Misconfigured


def vault(home: Path, key: str | None = None) -> Vault:
    return Vault(VaultSettings(key=SecretStr(key) if key else None), home)


def test_what_is_locked_can_be_opened_again_with_the_key_of_the_data_folder(tmp_path: Path) -> None:
    locked = vault(tmp_path).lock(b"open sesame", "credential 1")
    assert b"sesame" not in locked
    assert vault(tmp_path).open(locked, "credential 1") == b"open sesame"


def test_the_key_is_for_its_owner_alone(tmp_path: Path) -> None:
    vault(tmp_path).derived("anything")
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


def test_a_secret_put_in_another_place_cannot_be_opened(tmp_path: Path) -> None:
    locked = vault(tmp_path).lock(b"open sesame", "credential 1")
    with pytest.raises(Misconfigured, match="locked with another key"):
        vault(tmp_path).open(locked, "credential 2")


def test_an_altered_secret_cannot_be_opened(tmp_path: Path) -> None:
    locked = bytearray(vault(tmp_path).lock(b"open sesame", "credential 1"))
    locked[-1] ^= 1
    with pytest.raises(Misconfigured):
        vault(tmp_path).open(bytes(locked), "credential 1")


def test_another_key_opens_nothing(tmp_path: Path) -> None:
    locked = vault(tmp_path, "aa" * 32).lock(b"open sesame", "x")
    assert vault(tmp_path, "AA" * 32).open(locked, "x") == b"open sesame"
    with pytest.raises(Misconfigured):
        vault(tmp_path, "ab" * 32).open(locked, "x")


@pytest.mark.parametrize("key", ["", "abc", "aa" * 31, "zz" * 32])
def test_a_key_that_is_none_is_said_so(tmp_path: Path, key: str) -> None:
    with pytest.raises(Misconfigured, match="64 hexadecimal digits"):
        Vault(VaultSettings(key=SecretStr(key or " ")), tmp_path).derived("x")


def test_processes_that_start_at_the_same_time_agree_on_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        keys = set(pool.map(lambda _: vault(tmp_path).derived("x"), range(64)))
    assert len(keys) == 1
    assert [file.name for file in (tmp_path / "secrets").iterdir()] == ["archive-key"]
