"""All that a process needs to let readers in, put together."""

from dataclasses import dataclass
from functools import cached_property

from armarium.access.reading.cookies import Cookies
from armarium.access.reading.desk import Desk, PageMaker
from armarium.access.reading.entrance import Entrance
from armarium.access.reading.locks import LiveLocks
from armarium.access.reading.readers import LiveReaders, Places
from armarium.access.reading.seals import Seals
from armarium.access.reading.sessions import ReaderSessions
from armarium.access.reading.terms import Terms
from armarium.access.reading.threshold import Threshold
from armarium.access.reading.use.counting import LiveUses
from armarium.access.settings import AccessSettings
from armarium.accounts.sessions import Sessions


@dataclass(frozen=True)
class Hall:
    settings: AccessSettings
    accounts: Sessions
    seals: Seals  # the same key on every machine: the vault derives it
    places: Places
    zone: str
    page: PageMaker

    @cached_property
    def cookies(self) -> Cookies:
        return Cookies(self.settings)

    @cached_property
    def terms(self) -> Terms:
        return Terms(self.settings)

    @cached_property
    def sessions(self) -> ReaderSessions:
        return ReaderSessions(self.accounts, self.settings, self.zone)

    @cached_property
    def readers(self) -> LiveReaders:
        return LiveReaders(self.sessions, self.seals, self.cookies, self.terms, self.places)

    @cached_property
    def locks(self) -> LiveLocks:
        return LiveLocks(self.accounts.database, self.settings)

    @cached_property
    def uses(self) -> LiveUses:
        return LiveUses(self.accounts.database, self.zone)

    @cached_property
    def entrance(self) -> Entrance:
        return Entrance(self.settings, self.seals, self.cookies, self.readers)

    @cached_property
    def threshold(self) -> Threshold:
        return Threshold(self.settings, self.seals, self.cookies)

    @cached_property
    def desk(self) -> Desk:
        return Desk(
            self.sessions,
            self.seals,
            self.cookies,
            self.terms,
            self.readers,
            self.locks,
            self.entrance,
            self.page,
        )
