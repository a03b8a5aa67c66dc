"""Secrets that must be read again: encrypted with a key that is not in the database.

Passwords of people are hashed and never here. What a crawler must show to a web site has to be kept so that
it can be shown; a stolen dump of the database alone reveals none of it.
"""

import os
import secrets
from collections.abc import Callable
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from pydantic import SecretStr

from armarium.core.errors import Misconfigured
from armarium.core.folders import make_private
from armarium.core.message import message
from armarium.settings import Section, key

KEY_BYTES = 32
NONCE_BYTES = 12
FILE = "secrets/archive-key"


class VaultSettings(Section, name="vault"):
    """The key with which Armarium encrypts what it must be able to read again."""

    key: SecretStr | None = key(
        None,
        "64 hexadecimal digits, the same for all machines that share a database. Empty: a key is made and "
        "kept in the data folder, which is right for one machine.",
    )


class Vault:
    """Encrypts, and derives keys for other purposes. The key is read, or made, when first needed."""

    def __init__(self, settings: VaultSettings, home: Path) -> None:
        self._settings = settings
        self._file = home / FILE
        self._key: bytes | None = None

    def lock(self, secret: bytes, about: str) -> bytes:
        """Encrypt. `about` names what it is the secret of: put elsewhere, it cannot be opened."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        return nonce + AESGCM(self.derived("vault")).encrypt(nonce, secret, about.encode())

    def open(self, locked: bytes, about: str) -> bytes:
        try:
            opened = AESGCM(self.derived("vault")).decrypt(
                locked[:NONCE_BYTES], locked[NONCE_BYTES:], about.encode()
            )
        except InvalidTag:
            raise Misconfigured(
                message(
                    "A secret in the database cannot be read: it was locked with another key. Set vault.key "
                    "to the key of the machine where it was entered, or bring back %(file)s.",
                    file=FILE,
                )
            ) from None
        return bytes(opened)

    def derived(self, purpose: str) -> bytes:
        """A key for one purpose, from which neither the others nor the first can be found."""
        return HKDF(SHA256(), KEY_BYTES, salt=None, info=b"armarium " + purpose.encode()).derive(self._read())

    def _read(self) -> bytes:
        if self._key is None:
            given = self._settings.key
            self._key = _parsed(given.get_secret_value()) if given else _kept(self._file)
        return self._key


def _parsed(text: str) -> bytes:
    try:
        found = bytes.fromhex(text.strip())
    except ValueError:
        found = b""
    if len(found) != KEY_BYTES:
        raise Misconfigured(
            message("vault.key has to be 64 hexadecimal digits. Make one with: openssl rand -hex 32")
        )
    return found


def _kept(file: Path) -> bytes:
    """The key of the data folder. Several processes may come first: all of them get the same."""
    return _parsed(_read_or_make(file, lambda: secrets.token_hex(KEY_BYTES)))


def _read_or_make(file: Path, make: Callable[[], str]) -> str:
    if not file.exists():
        make_private(file.parent)
        fresh = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as opened:
            opened.write(make())
            opened.flush()
            os.fsync(opened.fileno())
        try:
            os.link(fresh, file)  # refuses if another process was first
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return file.read_text()
