"""Hashing of passwords with argon2id, bounded in memory."""

from functools import cache
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

#: Each hash takes 64 MiB for some hundredth of a second: a flood of sign-ins queues here instead of
#: taking the machine's memory.
_at_once = BoundedSemaphore(4)
_hasher = PasswordHasher()


def hashed(password: str) -> str:
    with _at_once:
        return _hasher.hash(password)


def matches(password_hash: str | None, password: str) -> bool:
    """Whether the password is right. Without a hash the same work is done, so that time tells nothing."""
    with _at_once:
        try:
            _hasher.verify(password_hash or _nobodys(_hasher), password)
        except (VerificationError, InvalidHashError):
            return False
    return password_hash is not None


def outdated(password_hash: str) -> bool:
    """Whether the hash was made with weaker parameters than today's."""
    return _hasher.check_needs_rehash(password_hash)


@cache
def _nobodys(hasher: PasswordHasher) -> str:
    """A hash that no password opens, made when it is first needed: importing must cost nothing.

    It tells what checking it costs, so that one of another hasher would not do.
    """
    return hasher.hash("a password that opens nothing")
