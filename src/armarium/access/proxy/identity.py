"""Who asks through the proxy: by the word in the credentials, or by the address alone."""

import hmac
import secrets
import time
from collections import OrderedDict
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from threading import Lock

from armarium.access.door.site import Asking, Guest, Readers
from armarium.access.proxy.choice import Credentials
from armarium.access.proxy.sources import Words
from armarium.accounts.throttled import Throttled
from armarium.core.lately import Lately

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
            guest = self._readers.of(Asking({}, {}, address, content=True))
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
