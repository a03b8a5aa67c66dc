"""Words that the house knows: those of viewings, and API tokens."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date

from armarium.access.door.site import Guest
from armarium.access.model import Reader
from armarium.access.proxy.sources import Words
from armarium.access.reading.queries import is_accredited
from armarium.access.reading.readers import Places
from armarium.access.reading.terms import Terms
from armarium.accounts.model import Identity, Permission
from armarium.accounts.tokens import Tokens

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
