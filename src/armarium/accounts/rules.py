"""Decisions about accounts, as pure functions. THE permission table of Armarium is here, and only here."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network

from armarium.accounts.model import Account, Permission, Profile, Role, Source
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.core.text import is_address
from armarium.languages.catalogues import languages
from armarium.languages.speech import say

P = Permission

#: Which role may do what. A role is a kind of person (see the glossary); an account with several
#: roles may do what any of them may.
PERMISSIONS: Mapping[Role, frozenset[Permission]] = {
    Role.ADMINISTRATOR: frozenset(Permission),
    Role.ENGINEER: frozenset(
        {
            P.AUDIT_VIEW,
            P.SETTINGS_VIEW,
            P.SYSTEM_VIEW,
            P.TASKS_VIEW,
            P.TASKS_MANAGE,
            P.SELECTION_VIEW,
            P.PLANNING_VIEW,
            P.PLANNING_EDIT,
            P.PLANNING_RULES,
            P.JOBS_MANAGE,
            P.COLLECTORS_MANAGE,
            P.STORAGE_VIEW,
            P.STORAGE_READ,
            P.STORAGE_MANAGE,
            P.INDEX_VIEW,
            P.INDEX_MANAGE,
            P.ACCESS_VIEW,
            P.ACCESS_EVERYTHING,
            P.VIEWER_USE,
        }
    ),
    Role.CURATOR: frozenset(
        {
            P.SYSTEM_VIEW,
            P.TASKS_VIEW,
            P.SELECTION_VIEW,
            P.SELECTION_EDIT,
            P.SELECTION_EVERYWHERE,
            P.SELECTION_VALIDATE,
            P.SELECTION_TRANSFER,
            P.PLANNING_VIEW,
            P.PLANNING_EDIT,
            P.PLANNING_RULES,
            P.JOBS_MANAGE,
            P.STORAGE_VIEW,
            P.STORAGE_READ,
            P.INDEX_VIEW,
            P.ACCESS_VIEW,
            P.ACCESS_RULES,
            P.ACCESS_READERS,
            P.ACCESS_EVERYTHING,
            P.VIEWER_USE,
        }
    ),
    Role.PRESERVATION: frozenset(
        {
            P.AUDIT_VIEW,
            P.SYSTEM_VIEW,
            P.TASKS_VIEW,
            P.SELECTION_VIEW,
            P.PLANNING_VIEW,
            P.STORAGE_VIEW,
            P.STORAGE_READ,
            P.STORAGE_MANAGE,
            P.REPAIRS_APPROVE,
            P.INDEX_VIEW,
            P.ACCESS_VIEW,
            P.ACCESS_EVERYTHING,
        }
    ),
    Role.MANAGER: frozenset(
        {P.SYSTEM_VIEW, P.SELECTION_VIEW, P.PLANNING_VIEW, P.STORAGE_VIEW, P.INDEX_VIEW, P.ACCESS_VIEW}
    ),
    Role.LIBRARIAN: frozenset(
        {P.SELECTION_VIEW, P.SELECTION_EDIT, P.PLANNING_VIEW, P.INDEX_VIEW, P.ACCESS_VIEW, P.VIEWER_USE}
    ),
    Role.RESEARCHER: frozenset(),
    Role.READER: frozenset(),
}

ROLE_TITLES: Mapping[Role, Message] = {
    Role.ADMINISTRATOR: message("Administrator"),
    Role.LIBRARIAN: message("Content librarian"),
    Role.CURATOR: message("Digital curator"),
    Role.ENGINEER: message("Crawl engineer"),
    Role.PRESERVATION: message("Preservation expert"),
    Role.MANAGER: message("Manager"),
    Role.RESEARCHER: message("Researcher"),
    Role.READER: message("Reader"),
}

ROLE_HELP: Mapping[Role, Message] = {
    Role.ADMINISTRATOR: message("Manages accounts, settings and everything else."),
    Role.LIBRARIAN: message("Selects sites for the collections."),
    Role.CURATOR: message("Validates selections, plans harvests, checks quality."),
    Role.ENGINEER: message("Runs and monitors harvests and machines."),
    Role.PRESERVATION: message("Keeps the archive intact and readable."),
    Role.MANAGER: message("Follows progress and figures."),
    Role.RESEARCHER: message("Works with the archive as data."),
    Role.READER: message("Reads the archive."),
}

PERMISSION_TITLES: Mapping[Permission, Message] = {
    P.ACCOUNTS_VIEW: message("See accounts and their roles"),
    P.ACCOUNTS_MANAGE: message("Create and change accounts"),
    P.AUDIT_VIEW: message("Read the audit log"),
    P.SETTINGS_VIEW: message("See the settings"),
    P.SYSTEM_VIEW: message("See the state of the system"),
    P.TASKS_VIEW: message("See background tasks"),
    P.TASKS_MANAGE: message("Retry and cancel background tasks"),
    P.SELECTION_VIEW: message("See collections and records"),
    P.SELECTION_EDIT: message("Enter and change records in one's own collections"),
    P.SELECTION_EVERYWHERE: message("Change records in every collection"),
    P.SELECTION_VALIDATE: message("Validate and reject records"),
    P.SELECTION_TRANSFER: message("Transfer validated records to planning"),
    P.SELECTION_RULES: message("Change collections, their members, allowed combinations and transfer rules"),
    P.PLANNING_VIEW: message("See domains, harvests, jobs and their history"),
    P.PLANNING_EDIT: message("Change domains, seeds and harvests"),
    P.PLANNING_RULES: message("Change profiles, schedules, channels, crawler traps and custom fields"),
    P.JOBS_MANAGE: message("Pause, control, end and resubmit jobs"),
    P.COLLECTORS_MANAGE: message("Enrol, stop and remove collectors"),
    P.STORAGE_VIEW: message("See files, replicas, audits and repairs"),
    P.STORAGE_READ: message("Download files and records of the archive"),
    P.STORAGE_MANAGE: message("Change replicas, start audits and batches, import and withdraw files"),
    P.REPAIRS_APPROVE: message("Approve repairs, and decide where votes are not clear"),
    P.INDEX_VIEW: message("Find captures, and see the status of the index"),
    P.INDEX_MANAGE: message("Merge, rebuild, export and import indexes"),
    P.ACCESS_VIEW: message("See access rules and reader statistics"),
    P.ACCESS_RULES: message("Change access rules, and take captures down"),
    P.ACCESS_READERS: message("Accredit readers"),
    P.ACCESS_EVERYTHING: message("Read captures that rules keep from readers"),
    P.VIEWER_USE: message("View captures for quality, and note what is missing"),
}


def role_title(role: Role) -> str:
    """The role's name in the reader's language."""
    return say(ROLE_TITLES[role])


def permissions_of(roles: Iterable[Role]) -> frozenset[Permission]:
    return frozenset().union(*(PERMISSIONS[role] for role in roles))


# Names and profiles ---------------------------------------------------------------------------------

NAME = re.compile(r"[a-z0-9](?:[a-z0-9._@-]{0,62}[a-z0-9])?")
LONGEST_TEXT = 200


def checked(profile: Profile) -> Profile:
    """The profile with its texts trimmed, or a refusal that names the field."""
    name = profile.name.strip().lower()
    if not NAME.fullmatch(name):
        raise Refused(
            message("A name has 1 to 64 lower-case letters, digits, dots, hyphens, underscores or @ signs."),
            field="name",
        )
    display_name = profile.display_name.strip() or name
    if len(display_name) > LONGEST_TEXT or not display_name.isprintable():
        raise Refused(
            message("The full name is too long or has unprintable characters."), field="display_name"
        )
    mail = profile.mail.strip()
    if mail and not is_address(mail):
        raise Refused(message("This does not look like an email address."), field="mail")
    if profile.language and profile.language not in languages():
        raise Refused(message("This language is not available."), field="language")
    return Profile(name, display_name, mail, profile.language, profile.roles, profile.active)


# People of a directory -----------------------------------------------------------------------------

SOURCE_TITLES: Mapping[Source, Message] = {
    Source.LOCAL: message("Password"),
    Source.LDAP: message("Directory (LDAP)"),
    Source.OPENID: message("OpenID Connect"),
}


def kept_elsewhere(account: Account) -> Refused:
    return Refused(
        message(
            "The password of %(name)s is kept by the directory. Change it there.",
            name=account.name,
        ),
        field="password",
    )


def keep_roles_of_directory(before: Account, profile: Profile) -> None:
    if not before.is_local and profile.roles != before.roles:
        raise Refused(
            message(
                "The roles of %(name)s come from groups of the directory at each sign-in. Change the "
                "groups there, or the setting that maps groups to roles.",
                name=before.name,
            ),
            field="roles",
        )


# Passwords ------------------------------------------------------------------------------------------

SHORTEST_PASSWORD = 12
LONGEST_PASSWORD = 1000  # bounds the work of hashing, not the imagination


def check_password(password: str, name: str) -> None:
    """Length is what resists guessing; rules about digits and signs only make passwords worse."""
    if len(password) < SHORTEST_PASSWORD:
        raise Refused(
            message("A password needs at least %(count)s characters.", count=SHORTEST_PASSWORD),
            field="password",
        )
    if len(password) > LONGEST_PASSWORD:
        raise Refused(message("This password is too long."), field="password")
    if len(set(password)) < 5:
        raise Refused(message("This password repeats too few different characters."), field="password")
    if name and len(name) > 3 and name.lower() in password.lower():
        raise Refused(message("A password must not contain the account's name."), field="password")


# Throttling of sign-in ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Throttle:
    """After `free` failures each further attempt waits, and the wait doubles."""

    same_name: bool
    same_address: bool
    free: int


#: A person mistypes from one place; an attacker tries one name from many places, or many names from
#: one. The last two are looser, so that nobody can lock another person out cheaply.
THROTTLES = (
    Throttle(same_name=True, same_address=True, free=5),
    Throttle(same_name=False, same_address=True, free=30),
    Throttle(same_name=True, same_address=False, free=50),
)
FAILURES_REMEMBERED = timedelta(minutes=30)
SHORTEST_WAIT = timedelta(seconds=10)
LONGEST_WAIT = timedelta(minutes=15)


def origin(address: str) -> str:
    """Where failures are counted: an IPv6 customer has a whole /64 of addresses to knock from."""
    try:
        parsed = ip_address(address)
    except ValueError:  # a proxy may name its client in other ways
        return address
    return address if parsed.version == 4 else str(ip_network((parsed, 64), strict=False))


def wait_after(failures: Sequence[datetime], throttle: Throttle, now: datetime) -> timedelta:
    """How long the next attempt has to wait, given the moments of the remembered failures."""
    past = [failure for failure in failures if failure <= now]  # the clock may have been ahead
    excess = len(past) - throttle.free
    if excess < 0:
        return timedelta(0)
    pause = min(SHORTEST_WAIT * int(2 ** min(excess, 10)), LONGEST_WAIT)
    return max(timedelta(0), max(past) + pause - now)
