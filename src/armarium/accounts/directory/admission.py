"""From a person whom a directory vouches for to an account of this house, at each sign-in anew."""

from collections.abc import Mapping
from dataclasses import replace

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from armarium.accounts import queries, rules
from armarium.accounts.directory import tables as directory_queries
from armarium.accounts.directory.model import NotAdmitted, Person, Reason, Refusal, Terms
from armarium.accounts.model import Account, Profile, Role, Source
from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import SYSTEM, Actor, Via
from armarium.core.message import message
from armarium.core.text import is_address
from armarium.db.announce import announce

log = structlog.get_logger(__name__)


class Admission:
    """Works inside the transaction of the one who asks: account, groups and session come at once."""

    def __init__(self, terms: Mapping[Source, Terms]) -> None:
        self.terms = terms

    def admit(self, connection: Connection, person: Person, address: str) -> Account | Refusal:
        """The person's account with the roles of today, or why there is none; either way it is on record."""
        # Two tabs that come first at the same time must not make two accounts.
        queries.one_at_a_time(connection, f"{person.source} account {person.subject}")
        account = directory_queries.account_by_subject(connection, person.source, person.subject)
        found = self._decided(connection, person, account)
        if isinstance(found, Refusal):
            self._tell_refused(connection, person, found, account, address)
            return found
        actor = Actor(name=found.name, via=Via.PAGE, account=account.id if account else None, address=address)
        if account is None:
            account = self._awaited(connection, person)
        if account is None:
            return self._created(connection, actor, person, found)
        return self._refreshed(connection, replace(actor, account=account.id), account, person, found)

    def review(self, connection: Connection, account: Account, person: Person | None) -> bool:
        """Whether somebody who came in earlier may stay; the roles are those of today either way.

        `person`: whom the directory has under that name now.
        """
        known = directory_queries.account_by_subject(connection, account.source, account.subject or "")
        if known is None or not known.active:
            return True  # handed over, or blocked, since we looked
        if person is None or person.subject != known.subject:
            person = _without_groups(known)
        person = replace(person, name=known.name)  # nobody is renamed behind his back
        roles = self.roles_of(person)
        if roles:
            self._refreshed(connection, SYSTEM, known, person, _profile(person, known, roles))
        else:
            self._disarm(connection, SYSTEM, known, person)
        return bool(roles) or not known.roles

    def roles_of(self, person: Person) -> frozenset[Role]:
        terms = self.terms[person.source]
        return frozenset() if terms.lacks_required(person.groups) else terms.roles_of(person.groups)

    def refusal_of(self, connection: Connection, person: Person) -> Refusal | None:
        """Why the person would not be let in; nothing is written."""
        account = directory_queries.account_by_subject(connection, person.source, person.subject)
        found = self._decided(connection, person, account)
        return found if isinstance(found, Refusal) else None

    # Deciding

    def _decided(self, connection: Connection, person: Person, account: Account | None) -> Profile | Refusal:
        """The profile of the account, or why the person stays out."""
        terms, roles = self.terms[person.source], self.roles_of(person)
        if not rules.NAME.fullmatch(person.name):
            return _refusal(person, Reason.NAME_UNFIT)
        holder = queries.account_by_name(connection, person.name, lock=True)
        other = holder[0] if holder and (account is None or holder[0].id != account.id) else None
        if other and not _awaits(other, person):
            return _refusal(person, Reason.NAME_TAKEN)
        known = account or other
        if known and not known.active:
            return _refusal(person, Reason.BLOCKED)
        if known is None and not terms.creates_accounts:
            return _refusal(person, Reason.NO_ACCOUNT)
        if terms.lacks_required(person.groups):
            return _refusal(person, Reason.GROUP_MISSING)
        if not roles:
            return _refusal(person, Reason.NO_ROLE)
        return _profile(person, known, roles)

    def _awaited(self, connection: Connection, person: Person) -> Account | None:
        """An account that an administrator made for this person before the first sign-in."""
        found = queries.account_by_name(connection, person.name)
        return found[0] if found else None

    # Writing

    def _created(self, connection: Connection, actor: Actor, person: Person, profile: Profile) -> Account:
        values = {
            **profile.values(),
            "created_at": clock.now(),
            "source": person.source.value,
            "subject": person.subject,
        }
        try:
            number = queries.ACCOUNTS.add(connection, **values)
        except IntegrityError as taken:  # somebody took the name since we looked
            raise NotAdmitted(_refusal(person, Reason.NAME_TAKEN)) from taken
        directory_queries.replace_groups(connection, number, person.source, person.groups)
        account = _existing(connection, number)
        told = {**account.described(), "source": person.source.value, "groups": sorted(person.groups)}
        record(connection, replace(actor, account=number), "account.created", _subject(account), after=told)
        announce(connection, "accounts")
        return account

    def _refreshed(
        self, connection: Connection, actor: Actor, before: Account, person: Person, profile: Profile
    ) -> Account:
        old = directory_queries.groups_of(connection, before.id)
        values = {**profile.values(), "subject": person.subject}
        queries.ACCOUNTS.update(connection, before.id, **values)
        directory_queries.replace_groups(connection, before.id, person.source, person.groups)
        after = _existing(connection, before.id)
        was = {**before.described(), "groups": sorted(old)}
        now = {**after.described(), "groups": sorted(person.groups)}
        if was != now:
            record(connection, actor, "account.changed", _subject(after), before=was, after=now)
            announce(connection, "accounts")
        return after

    def _tell_refused(
        self,
        connection: Connection,
        person: Person,
        refusal: Refusal,
        account: Account | None,
        address: str,
    ) -> None:
        told = {
            "source": person.source.value,
            "reason": refusal.reason.value,
            "groups": sorted(person.groups),
        }
        log.warning("not admitted", name=person.name, subject=person.subject, address=address, **told)
        if account and refusal.reason in {Reason.NO_ROLE, Reason.GROUP_MISSING}:
            actor = Actor(name=account.name, via=Via.PAGE, account=account.id, address=address)
            self._disarm(connection, actor, account, person)
        actor = Actor(
            name=person.name, via=Via.PAGE, address=address, account=account.id if account else None
        )
        knocked_at = Subject("account", account.id if account else "", person.name)
        record(connection, actor, "account.refused", knocked_at, after=told)

    def _disarm(self, connection: Connection, actor: Actor, account: Account, person: Person) -> None:
        """Take the roles that the directory no longer gives: open sessions and tokens must not keep them."""
        named = replace(person, name=account.name)
        self._refreshed(connection, actor, account, named, _profile(named, account, frozenset()))
        queries.delete_sessions(connection, of=account.id)


def _awaits(account: Account, person: Person) -> bool:
    return account.source is person.source and account.subject is None


def _without_groups(account: Account) -> Person:
    """What is left of somebody whom the directory no longer has."""
    assert account.subject is not None, "found by it"
    told = account.name, account.display_name, account.mail
    return Person(account.source, account.subject, *told, groups=frozenset())


def _profile(person: Person, known: Account | None, roles: frozenset[Role]) -> Profile:
    """What the directory tells, as far as it fits; an odd mail address is no reason to stay out."""
    mail = person.mail.strip()
    display_name = person.display_name.strip()[: rules.LONGEST_TEXT]
    profile = Profile(
        name=person.name,
        display_name=display_name if display_name.isprintable() else "",
        mail=mail if is_address(mail) else "",
        language=known.language if known else "",
        roles=roles,
    )
    return rules.checked(profile)


def _existing(connection: Connection, number: int) -> Account:
    account = queries.account_by_id(connection, number)
    assert account is not None, "written a moment ago"
    return account


def _subject(account: Account) -> Subject:
    return Subject("account", account.id, account.name)


SENTENCES = {
    Reason.NAME_TAKEN: message(
        "Your name %(name)s belongs to another account of Armarium, so you cannot sign in with it this way. "
        "Ask an administrator to rename that account, or to let it sign in by the directory."
    ),
    Reason.NAME_UNFIT: message(
        "The directory calls you “%(name)s”, which cannot be the name of an account here. "
        "Tell an administrator."
    ),
    Reason.BLOCKED: message("The account %(name)s is blocked. Ask an administrator if that is a mistake."),
    Reason.NO_ACCOUNT: message(
        "The directory knows you, but there is no account for %(name)s here. Ask an "
        "administrator to create one."
    ),
    Reason.NO_ROLE: message(
        "The directory knows you as %(name)s, but none of your groups has a role here. Ask an "
        "administrator which group you need."
    ),
    Reason.GROUP_MISSING: message(
        "The directory knows you as %(name)s, but you are not in the group that may use "
        "Armarium. Ask an administrator to add you."
    ),
}


def _refusal(person: Person, reason: Reason) -> Refusal:
    return Refusal(reason, replace(SENTENCES[reason], values={"name": person.name}), person.groups)
