"""All that a process needs to let readers in, put together."""

from dataclasses import dataclass
from functools import cached_property

from armarium.access.readers.cookies import Cookies, Seals
from armarium.access.readers.identification import LiveReaders, Places, Terms
from armarium.access.readers.locks import LiveLocks
from armarium.access.readers.pages import PageMaker, ReaderPages
from armarium.access.readers.sessions import ReaderSessions
from armarium.access.readers.tickets import TicketPages, Tickets
from armarium.access.settings import AccessSettings
from armarium.access.statistics.counting import LiveUses
from armarium.accounts.sessions import Sessions


@dataclass(frozen=True)
class ReaderServices:
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
    def tickets(self) -> Tickets:
        return Tickets(self.settings, self.seals, self.cookies, self.readers)

    @cached_property
    def ticket_pages(self) -> TicketPages:
        return TicketPages(self.settings, self.seals, self.cookies)

    @cached_property
    def pages(self) -> ReaderPages:
        return ReaderPages(
            self.sessions,
            self.seals,
            self.cookies,
            self.terms,
            self.readers,
            self.locks,
            self.tickets,
            self.page,
        )
