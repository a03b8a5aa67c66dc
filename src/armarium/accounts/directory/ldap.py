"""The directory: find a person as the account that searches, then let the person prove the password."""

import re
import ssl
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import structlog
from ldap3 import ANONYMOUS, BASE, NONE, SIMPLE, SUBTREE, Connection, Server, Tls
from ldap3.core.exceptions import LDAPException, LDAPInvalidDnError, LDAPSASLPrepError
from ldap3.core.results import (
    RESULT_INVALID_CREDENTIALS,
    RESULT_NO_SUCH_OBJECT,
    RESULT_SIZE_LIMIT_EXCEEDED,
    RESULT_SUCCESS,
)
from ldap3.utils.dn import parse_dn

from armarium.accounts import rules
from armarium.accounts.directory.model import Person, tidy
from armarium.accounts.directory.settings import DirectorySettings
from armarium.accounts.model import Source
from armarium.core.errors import Refused, Unavailable
from armarium.core.message import message

# --- What entries of a directory say, read as this house needs it.


Raw = Mapping[str, list[bytes]]


class Entry:
    """One entry: its distinguished name, and its attributes by their names in small letters."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self.dn = str(found["dn"])
        raw: Raw = found["raw_attributes"]
        self._values = {name.lower(): values for name, values in raw.items()}

    def texts(self, attribute: str) -> list[str]:
        return [value.decode("utf-8", "replace") for value in self._values.get(attribute.lower(), [])]

    def text(self, attribute: str) -> str:
        return tidy(next(iter(self.texts(attribute)), ""))

    def subject(self, attribute: str) -> str:
        """What stays the same about the person for ever; a directory that does not tell it is of no use."""
        if attribute.lower() == "dn":
            return normal(self.dn)
        values = self._values.get(attribute.lower(), [])
        if len(values) != 1 or not values[0]:
            raise Unavailable(
                message(
                    "The directory does not tell the attribute %(attribute)s of %(name)s. Set "
                    "directory.subject_attribute to one that everybody has, and let the account that "
                    "searches read it.",
                    attribute=attribute,
                    name=self.dn,
                )
            )
        if attribute.lower() == "objectguid" and len(values[0]) == 16:
            return str(UUID(bytes_le=values[0]))  # as the tools of Active Directory write it
        return values[0].decode("utf-8", "backslashreplace").replace("\0", "")


def person_of(entry: Entry, groups: Iterable[str], settings: DirectorySettings) -> Person:
    return Person(
        source=Source.LDAP,
        subject=entry.subject(settings.subject_attribute),
        name=entry.text(settings.name_attribute).lower(),
        display_name=entry.text(settings.display_name_attribute),
        mail=entry.text(settings.mail_attribute),
        groups=frozenset(name for group in groups if (name := tidy(group))),
    )


def attributes_of_person(settings: DirectorySettings) -> list[str]:
    wanted = [settings.name_attribute, settings.display_name_attribute, settings.mail_attribute]
    if settings.subject_attribute.lower() != "dn":
        wanted.append(settings.subject_attribute)
    return [*wanted, settings.member_of] if settings.member_of else wanted


# Distinguished names --------------------------------------------------------------------------------


def parts(dn: str) -> tuple[tuple[str, str], ...]:
    """The parts of a distinguished name, comparable; none if it is malformed."""
    try:
        return tuple((name.strip().lower(), value.strip().casefold()) for name, value, _ in parse_dn(dn))
    except (LDAPInvalidDnError, IndexError):
        return ()


def normal(dn: str) -> str:
    return ",".join(f"{name}={value}" for name, value in parts(dn)) or dn


def named_below(dns: Iterable[str], base: str) -> Iterator[str]:
    """Names of the groups that lie below a place: a group of the same name elsewhere is another one."""
    place = parts(base)
    for dn in dns:
        found = parts(dn)
        if len(found) > len(place) and found[len(found) - len(place) :] == place:
            yield parse_dn(dn)[0][1]


# --- The directory: find a person as the account that searches, then let the person prove the password.


# --- Filters of a search, with what strangers typed made harmless (RFC 4515).


# RFC 4515, section 3: these must be written as a backslash and two hexadecimal digits. All that is not plain
# ASCII is written so too: then no server has an opinion of its own about it. And spaces, which ldap3 drops at
# the ends.
PLAIN = re.compile(r"[A-Za-z0-9!\"#$%&'+,\-./:;<=>?@\[\]^_`{|}~]")


def escaped(value: str) -> str:
    return "".join(letter if PLAIN.fullmatch(letter) else _written(letter) for letter in value)


def _written(letter: str) -> str:
    return "".join(f"\\{byte:02x}" for byte in letter.encode("utf-8", "surrogatepass"))


def filled(pattern: str, values: Mapping[str, str]) -> str:
    """The filter with its placeholders filled, in one pass: a value is never read as a placeholder."""
    return re.sub(r"\{(\w+)\}", lambda found: escaped(values[found[1]]), pattern)


# --- The directory: find a person as the account that searches, then let the person prove the password.


log = structlog.get_logger(__name__)

AT_ONCE = 4  # more would take the threads that serve everybody else, should the directory become slow
MOST_GROUPS = 1000
NOT_THE_PERSONS_FAULT = frozenset({51, 52, 80})  # RFC 4511, section 4.1.9: busy, unavailable, other


class Guarded(Tls):
    """TLS by Python's own rules: ldap3 itself checks names after the fact, and addresses not at all."""

    def __init__(self, context: ssl.SSLContext, host: str) -> None:
        super().__init__(validate=ssl.CERT_REQUIRED)
        self._context = context
        self._host = host

    def wrap_socket(self, connection: Any, do_handshake: bool = False) -> None:  # noqa: ARG002
        connection.socket = self._context.wrap_socket(connection.socket, server_hostname=self._host)


class Ldap:
    def __init__(self, settings: DirectorySettings) -> None:
        self.settings = settings
        self._turns = BoundedSemaphore(AT_ONCE)

    def proven(self, name: str, password: str) -> Person | None:
        """The person, if the directory has exactly one of this name and takes the password."""
        # RFC 4513, section 5.1.2: a bind with a name and no password succeeds, and proves nothing.
        if not password or "\0" in password or not rules.NAME.fullmatch(name):
            return None
        with self._turn(), self._searching() as connection:
            entry = self._entry(connection, name)
            if entry is None or not self._takes(entry.dn, password):
                return None
            return person_of(entry, self._groups(connection, entry, name), self.settings)

    def look_up(self, name: str) -> Person | None:
        """What the directory tells about a person, without any proof: for administrators."""
        with self._turn(), self._searching() as connection:
            entry = self._entry(connection, name)
            return person_of(entry, self._groups(connection, entry, name), self.settings) if entry else None

    def check(self) -> None:
        """Raise if the directory cannot be asked: connection, certificate, searching account, base."""
        with self._turn(), self._searching() as connection:
            self._search(connection, self.settings.base_dn, "(objectClass=*)", ["1.1"], 1, scope=BASE)

    # Steps

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if not self._turns.acquire(timeout=1):
            log.warning("directory has too much to do")
            raise _away()
        try:
            yield
        except (LDAPException, OSError) as problem:
            log.warning("directory failed", url=self.settings.url, reason=str(problem)[:500])
            raise _away() from problem
        finally:
            self._turns.release()

    @contextmanager
    def _searching(self) -> Iterator[Connection]:
        chosen = self.settings
        password = chosen.bind_password.get_secret_value() if chosen.bind_password else ""
        with self._opened(chosen.bind_dn, password) as connection:
            if not connection.bind():
                log.error("directory refuses the account that searches", reason=_told(connection))
                raise Unavailable(
                    message(
                        "The directory refuses the account with which Armarium searches it (%(reason)s). "
                        "An administrator has to correct directory.bind_dn and directory.bind_password.",
                        reason=_told(connection),
                    )
                )
            yield connection

    def _takes(self, dn: str, password: str) -> bool:
        with self._opened(dn, password) as connection:
            try:
                if connection.bind():
                    return True
            except LDAPSASLPrepError:  # characters that RFC 4013 lets no password have: nothing was sent
                return False
            code = connection.result["result"]
            if code in NOT_THE_PERSONS_FAULT:
                raise LDAPException(_told(connection))
            if code != RESULT_INVALID_CREDENTIALS:  # locked or expired, in the words of the directory
                log.warning("directory refuses a person", dn=dn, reason=_told(connection))
            return False

    @contextmanager
    def _opened(self, dn: str, password: str) -> Iterator[Connection]:
        """A connection on which nobody is known yet, encrypted if it shall be."""
        connection = Connection(
            self._server(),
            user=dn or None,
            password=password or None,
            authentication=SIMPLE if dn else ANONYMOUS,
            auto_referrals=False,  # another server's word is not this directory's
            receive_timeout=self.settings.answer_seconds,
            raise_exceptions=False,
            check_names=False,
        )
        connection.open(read_server_info=False)
        try:
            if self.settings.start_tls:
                connection.start_tls(read_server_info=False)
            yield connection
        finally:
            connection.unbind()

    def _server(self) -> Server:
        address = urlsplit(self.settings.url or "")
        assert address.hostname, "checked by the settings"
        secure = address.scheme == "ldaps"
        context = ssl.create_default_context(cafile=self.settings.ca_file)
        return Server(
            address.hostname,
            port=address.port or (636 if secure else 389),
            use_ssl=secure,
            tls=Guarded(context, address.hostname),
            get_info=NONE,
            connect_timeout=self.settings.connect_seconds,
        )

    def _entry(self, connection: Connection, name: str) -> Entry | None:
        chosen = self.settings
        wanted = filled(chosen.user_filter, {"name": name})
        found = self._search(connection, chosen.base_dn, wanted, attributes_of_person(chosen), 2)
        if len(found) > 1:
            log.error("directory has several people of one name", name=name, first=found[0].dn)
            raise Refused(
                message(
                    "The directory has more than one person named %(name)s, so nobody can sign in with this "
                    "name. Tell an administrator.",
                    name=name,
                )
            )
        return found[0] if found else None

    def _groups(self, connection: Connection, entry: Entry, name: str) -> list[str]:
        chosen = self.settings
        base = chosen.group_base or chosen.base_dn
        if chosen.member_of:
            return list(named_below(entry.texts(chosen.member_of), base))[:MOST_GROUPS]
        wanted = filled(chosen.group_filter, {"dn": entry.dn, "name": name})
        attribute = chosen.group_name_attribute
        found = self._search(connection, base, wanted, [attribute], MOST_GROUPS)
        return [group.text(attribute) for group in found]

    def _search(
        self,
        connection: Connection,
        base: str,
        wanted: str,
        attributes: list[str],
        most: int,
        scope: Any = SUBTREE,
    ) -> list[Entry]:
        connection.search(base, wanted, scope, attributes=attributes, size_limit=most)
        code = connection.result["result"]
        if code == RESULT_NO_SUCH_OBJECT:
            raise Unavailable(
                message(
                    "The directory has nothing at %(base)s. Correct the setting that names it.", base=base
                )
            )
        if code not in {RESULT_SUCCESS, RESULT_SIZE_LIMIT_EXCEEDED}:
            raise LDAPException(_told(connection))
        return [Entry(found) for found in connection.response or [] if found["type"] == "searchResEntry"]


def _told(connection: Connection) -> str:
    result = connection.result
    return " ".join(filter(None, (str(result["description"]), str(result["message"])[:200])))


def _away() -> Unavailable:
    return Unavailable(
        message(
            "The directory does not answer, so your password cannot be checked. Try again in a "
            "moment; local accounts can still sign in."
        )
    )
