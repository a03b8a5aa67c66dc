"""Which collection and which date a browser wants to see through the proxy."""

import base64
import binascii
import re
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256

from armarium.access.model import EVERYTHING
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.cdx.timestamps import moment

MOST_REMEMBERED = 10_000
LONGEST = 500  # of a user's name or word
_SEPARATORS = re.compile(r"[-:T Z./]")
_COLLECTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,199}").fullmatch


@dataclass(frozen=True)
class Choice:
    collection: str = EVERYTHING
    timestamp: str = ""  # 4 to 14 digits; empty: the newest


@dataclass(frozen=True)
class Credentials:
    """What a browser's Proxy-Authorization says: the user is a wish, the word says who it is."""

    user: str = ""
    word: str = ""

    def key(self, address: str) -> bytes:
        """By which a browser is known again; nobody can read its word from it."""
        return sha256("\0".join((address, self.user, self.word)).encode()).digest()


NOBODY = Credentials()


def credentials_of(header: str) -> Credentials:
    """RFC 7617. What cannot be read is as if nothing had been said."""
    scheme, _, encoded = header.strip().partition(" ")
    if scheme.lower() != "basic":
        return NOBODY
    try:
        said = base64.b64decode(encoded.strip(), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return NOBODY
    user, _, word = said.partition(":")
    return Credentials(user[:LONGEST].strip(), word[:LONGEST].strip())


def choice_of(user: str) -> Choice:
    """`collection`, `collection@2020`, `viewing-17`, or `@2020` for everything."""
    collection, _, date = user.partition("@")
    return chosen(collection, date)


def chosen(collection: str, date: str) -> Choice:
    """What somebody typed; raises `Refused` in words."""
    collection = collection.strip() or EVERYTHING
    if not _COLLECTION(collection):
        raise Refused(
            message("“%(name)s” cannot be the name of a collection.", name=collection[:80]),
            field="collection",
        )
    digits = _SEPARATORS.sub("", date.strip())
    if digits and (len(digits) > 14 or moment(digits) is None):
        raise Refused(
            message(
                "“%(date)s” is no date: write 2020, 2020-03, 2020-03-31 or the 14 digits of a timestamp.",
                date=date.strip()[:80],
            ),
            field="date",
        )
    return Choice(collection, digits)


class Choices:
    """What browsers have chosen on the proxy's own page; those that were not seen for longest are forgotten.

    A browser is known by its address and its credentials: two behind one address need credentials that
    differ if they want to see different dates.
    """

    def __init__(self, most: int = MOST_REMEMBERED) -> None:
        self._most = most
        self._made: OrderedDict[bytes, Choice] = OrderedDict()

    def of(self, address: str, credentials: Credentials) -> Choice:
        key = credentials.key(address)
        made = self._made.get(key)
        if made is None:
            return choice_of(credentials.user)
        self._made.move_to_end(key)
        return made

    def make(self, address: str, credentials: Credentials, choice: Choice) -> None:
        key = credentials.key(address)
        self._made[key] = choice
        self._made.move_to_end(key)
        if len(self._made) > self._most:
            self._made.popitem(last=False)
