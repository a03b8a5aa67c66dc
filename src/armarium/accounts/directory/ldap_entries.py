"""What entries of a directory say, read as this house needs it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID

from ldap3.core.exceptions import LDAPInvalidDnError
from ldap3.utils.dn import parse_dn

from armarium.accounts.directory.model import Person, tidy
from armarium.accounts.directory.settings import DirectorySettings
from armarium.accounts.model import Source
from armarium.core.errors import Unavailable
from armarium.core.message import message

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
