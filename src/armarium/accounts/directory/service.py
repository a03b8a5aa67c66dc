"""The directories of this house: those that the settings name, and what comes of their word."""

from typing import TYPE_CHECKING

from armarium.accounts.directory.admission import Admission
from armarium.accounts.directory.model import Person
from armarium.accounts.directory.openid import OpenId
from armarium.accounts.directory.settings import DirectorySettings, OpenIdSettings
from armarium.accounts.model import Source
from armarium.core.late import late
from armarium.db.database import Database

if TYPE_CHECKING:  # most houses have no directory
    from armarium.accounts.directory.ldap import Ldap
else:
    Ldap = late("armarium.accounts.directory.ldap:Ldap")


class Directories:
    def __init__(self, database: Database, ldap: DirectorySettings, openid: OpenIdSettings) -> None:
        self.ldap = Ldap(ldap) if ldap.url else None
        self.openid = OpenId(database, openid) if openid.issuer else None
        self.admission = Admission({Source.LDAP: ldap.terms, Source.OPENID: openid.terms})

    def proven(self, name: str, password: str) -> Person | None:
        """The person of the directory whose name and password these are."""
        return self.ldap.proven(name, password) if self.ldap else None

    @property
    def sources(self) -> list[Source]:
        """By which ways people can sign in here."""
        ways = {Source.LOCAL: True, Source.LDAP: self.ldap, Source.OPENID: self.openid}
        return [source for source, there in ways.items() if there]
