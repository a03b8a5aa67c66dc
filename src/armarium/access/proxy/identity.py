"""Who asks through the proxy: by the word in the credentials, or by the address alone."""

import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from hashlib import sha256
from threading import Lock
from typing import Protocol

from armarium.access.model import Reader
from armarium.access.proxy.request import Credentials
from armarium.access.readers.identification import Places, Terms
from armarium.access.readers.sessions import is_accredited
from armarium.access.requests.site import Caller, Guest, Readers
from armarium.accounts.model import Identity, Permission, Throttled
from armarium.accounts.tokens import Tokens
from armarium.core.lately import Lately


class Words(Protocol):
    """Who it is that shows a word."""

    def guest(self, user: str, word: str, address: str) -> Guest | None:
        """`user` is the collection, without a date: the word of a viewing is good for that viewing alone.

        None: nobody's word, or one that has ended.
        """


class NoWords:
    """Where everybody sees everything, or only addresses count: no word is good."""

    def guest(self, user: str, word: str, address: str) -> Guest | None:  # noqa: ARG002
        return None


FRESH = 4.0  # seconds: a page has a hundred parts, and each is a request of its own
MOST_GUESSERS = 5_000  # addresses that are remembered
WRONG_WORDS = 10  # from one address within a minute, before no more are heard
MINUTE = timedelta(minutes=1)


class WrongWord(Exception):  # noqa: N818  (reads as what happened)
    """The word is nobody's."""


class Identities:
    """Called from many threads."""

    def __init__(self, readers: Readers, words: Words) -> None:
        self._readers = readers
        self._words = words
        self._secret = secrets.token_bytes(32)
        self._known: Lately[bytes, Guest] = Lately(FRESH)
        self._guesses = Guesses()

    def of(self, address: str, credentials: Credentials) -> Guest:
        """Raises `WrongWord`, and `Throttled` for those who guess."""
        return self._known.get(credentials.key(address), lambda: self._found(address, credentials))

    def mark(self, address: str, credentials: Credentials, purpose: str) -> str:
        """A word that only this browser can know: what its forms carry, and whose its locks are."""
        about = purpose.encode() + b"\0" + credentials.key(address)
        return hmac.digest(self._secret, about, sha256).hex()

    def _found(self, address: str, credentials: Credentials) -> Guest:
        if credentials.word:
            self._guesses.refuse(address)
            collection = credentials.user.partition("@")[0]
            guest = self._words.guest(collection, credentials.word, address)
            if guest is None:
                self._guesses.add(address)
                raise WrongWord
        else:
            guest = self._readers.of(Caller({}, {}, address, content=True))
        # A proxy has no cookies of its own: a browser is known by its word. All those behind one address may
        # be one reading room, so without a word nobody has what only one reader at a time may have.
        visit = self.mark(address, credentials, "visit") if credentials.word else ""
        return replace(guest, reader=replace(guest.reader, visit=visit))


class Guesses:
    """Wrong words of the last minute."""

    def __init__(self) -> None:
        self._wrong: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = Lock()

    def refuse(self, address: str) -> None:
        with self._lock:
            if len(self._lately(address)) >= WRONG_WORDS:
                raise Throttled(MINUTE)

    def add(self, address: str) -> None:
        with self._lock:
            self._wrong[address] = [*self._lately(address), time.monotonic()]
            self._wrong.move_to_end(address)
            if len(self._wrong) > MOST_GUESSERS:
                self._wrong.popitem(last=False)

    def _lately(self, address: str) -> list[float]:
        since = time.monotonic() - MINUTE.total_seconds()
        return [one for one in self._wrong.get(address, []) if one > since]


SCOPES = frozenset({Permission.ACCESS_VIEW, Permission.ACCESS_EVERYTHING})  # one of them a token needs


class HouseWords:
    """Fulfils `Words`. `viewings` knows the words of viewings, `today` the day where the library is."""

    def __init__(
        self, viewings: Words, tokens: Tokens, places: Places, terms: Terms, today: Callable[[], date]
    ) -> None:
        self._viewings = viewings
        self._tokens = tokens
        self._places = places
        self._terms = terms
        self._today = today

    def guest(self, user: str, word: str, address: str) -> Guest | None:
        found = self._viewings.guest(user, word, address)
        if found is not None:
            networks = self._places.of(address)
            return replace(found, reader=replace(found.reader, networks=networks))
        identity = self._tokens.identity(word, address)
        # A token that was made for something else must not open the archive to whoever finds it.
        if identity is None or not identity.permissions & SCOPES:
            return None
        return self._by_token(identity, address)

    def _by_token(self, identity: Identity, address: str) -> Guest:
        account = identity.account
        with self._tokens.database.transaction() as connection:
            accredited = is_accredited(connection, account.id, self._today())
        reader = Reader(
            account=account.id,
            roles=account.roles,
            networks=self._places.of(address),
            accredited=accredited,
            sees_everything=identity.may(Permission.ACCESS_EVERYTHING),
        )
        if self._terms.wanted and not reader.sees_everything:
            reader = Reader()  # a proxy cannot ask whether somebody accepts the terms of use
        return Guest(reader, account.display_name or account.name, language=account.language)
