"""Who asks, on either origin, and whether they have accepted the terms of use."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from armarium.access.model import Reader
from armarium.access.readers.cookies import Cookies, Purpose, Seals
from armarium.access.readers.sessions import Known, ReaderSessions
from armarium.access.requests.site import Caller, Guest
from armarium.access.settings import AccessSettings
from armarium.accounts.model import Permission
from armarium.accounts.rules import permissions_of
from armarium.core.errors import Misconfigured
from armarium.core.message import message


class Terms:
    """Read once, at the start: what somebody accepted must be what others accept."""

    def __init__(self, settings: AccessSettings) -> None:
        self._texts = _texts(settings)

    @property
    def wanted(self) -> bool:
        return bool(self._texts)

    @property
    def mark(self) -> str:
        """Changes with the terms: new ones have to be accepted anew, in whatever language they were read."""
        return sha256(repr(sorted(self._texts.items())).encode()).hexdigest()[:16] if self._texts else ""

    def paragraphs(self, language: str) -> list[str]:
        text = self._texts.get(language) or self._texts.get("", "")
        return [part.strip() for part in text.replace("\r\n", "\n").split("\n\n") if part.strip()]


def _texts(settings: AccessSettings) -> dict[str, str]:
    """By language; empty: for all that have none of their own."""
    if settings.terms_file is None:
        return {"": settings.terms} if settings.terms.strip() else {}
    file = settings.terms_file
    others = file.parent.glob(f"{file.stem}.*{file.suffix}")
    return {"": _read(file)} | {each.stem.removeprefix(f"{file.stem}."): _read(each) for each in others}


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise Misconfigured(
            message(
                "The terms of use cannot be read from %(file)s: %(reason)s. Mend the file, or change "
                "access.terms_file.",
                file=str(file),
                reason=str(problem),
            )
        ) from problem


LANGUAGE = "armarium_language"


class Places(Protocol):
    """In which networks of the library an address lies."""

    def of(self, address: str) -> frozenset[int]: ...


@dataclass(frozen=True)
class Claims:
    """What the cookies of a request prove."""

    session: int = 0  # 0: nobody has signed in
    visit: str = ""  # the word of this visit
    staff: bool = False  # the session is one of the staff site
    terms: str = ""  # the mark of the terms that were accepted
    since: int = 0  # second in which the session began: numbers come again where a backup is restored


class LiveReaders:
    """Fulfils `requests.site.Readers`."""

    def __init__(
        self, sessions: ReaderSessions, seals: Seals, cookies: Cookies, terms: Terms, places: Places
    ) -> None:
        self._sessions = sessions
        self._seals = seals
        self._cookies = cookies
        self._terms = terms
        self._places = places

    def of(self, asking: Caller) -> Guest:
        shown = self.shown(asking)
        known = self._known(shown, asking)
        if known is None:
            word = "" if shown.session else shown.visit  # the word of a session that has ended holds nothing
            return Guest(self._outside(shown, Reader(networks=self._places.of(asking.address), visit=word)))
        reader = self._reader(known, asking, shown.visit)
        account = known.account
        name = account.display_name or account.name
        # What was chosen in this browser goes before what the account says.
        language = "" if LANGUAGE in asking.cookies else account.language
        return Guest(self._outside(shown, reader), name, known.session, language)

    def shown(self, asking: Caller) -> Claims:
        if asking.content:
            return self._shown_content(asking)
        cookies = asking.cookies
        if facts := self._seals.opened(Purpose.READING, cookies.get(self._cookies.reading)):
            number, since = facts["session"], facts["since"]
            shown = Claims(number, self.word_of(number, since), bool(facts.get("staff")), since=since)
        elif visit := cookies.get(self._cookies.visit):
            shown = Claims(visit=self._seals.word("visit", visit))
        else:
            return Claims()
        accepted = self._seals.opened(Purpose.TERMS, cookies.get(self._cookies.terms))
        if accepted and accepted["visit"] == shown.visit:
            return replace(shown, terms=accepted["terms"])
        return shown

    def has_accepted(self, shown: Claims) -> bool:
        return not self._terms.wanted or shown.terms == self._terms.mark

    def word_of(self, session: int, since: int) -> str:
        return self._seals.word("session", f"{session} {since}")

    def _shown_content(self, asking: Caller) -> Claims:
        facts = self._seals.opened(Purpose.CONTENT, asking.cookies.get(self._cookies.content))
        return from_facts(facts) if facts else Claims()

    def _known(self, shown: Claims, asking: Caller) -> Known | None:
        if not shown.session:
            return None
        renew = by_a_person(asking)
        return self._sessions.known(shown.session, shown.since, renew=renew, staff=shown.staff)

    def _reader(self, known: Known, asking: Caller, visit: str) -> Reader:
        account = known.account
        return Reader(
            account=account.id,
            roles=account.roles,
            networks=self._places.of(asking.address),
            accredited=known.accredited,
            sees_everything=Permission.ACCESS_EVERYTHING in permissions_of(account.roles),
            visit=visit,
        )

    def _outside(self, shown: Claims, reader: Reader) -> Reader:
        """Whoever has not accepted the terms may see what anybody may, and nothing for being who they are."""
        if reader.sees_everything or self.has_accepted(shown):
            return reader
        return Reader(visit=reader.visit)


def facts_of(shown: Claims) -> dict[str, Any]:
    """For a ticket, and for the cookie of the content's origin."""
    return {
        "session": shown.session,
        "visit": shown.visit,
        "staff": int(shown.staff),
        "terms": shown.terms,
        "since": shown.since,
    }


def from_facts(facts: dict[str, Any]) -> Claims:
    return Claims(facts["session"], facts["visit"], bool(facts["staff"]), facts["terms"], facts["since"])


def by_a_person(asking: Caller) -> bool:
    """Whether somebody did something, or a page refreshed itself: only the first keeps a session alive.

    Archived pages ask for their parts for ever; of theirs only those navigations count that a person began
    (Fetch Metadata: Sec-Fetch-User). Browsers that do not tell are believed.
    """
    headers = asking.headers
    if "x-part" in headers:
        return False
    if not asking.content or "sec-fetch-mode" not in headers:
        return True
    return headers.get("sec-fetch-user") == "?1"


# When somebody who has not signed in begins to read: counted without a cookie that would tell them again.


ARRIVING = frozenset({"none", "cross-site"})  # typed or from a bookmark, or led here by another site


def begins(headers: Mapping[str, str], own: tuple[str, ...]) -> bool:
    """Whether a page of the readers' origin was reached from elsewhere (Fetch Metadata, Referer).

    `own`: the addresses of our origins, which lead to each other. A browser that does not say where it
    comes from counts if it names no page before this one.
    """
    came_from = headers.get("referer", "")
    if came_from.startswith(own):
        return False
    if "sec-fetch-site" not in headers:
        return not came_from and "text/html" in headers.get("accept", "")
    is_page = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return is_page and headers["sec-fetch-site"] in ARRIVING
