"""Session ids: the same pages under ever new addresses."""

import re
from dataclasses import dataclass, field

from armarium.formats.url.sessions import looks_like_session
from armarium.harvest.traps.memory import Samples, Table
from armarium.harvest.traps.patterns import on_host
from armarium.harvest.traps.suspicion import Seen, Suspected, TrapKind

MOST_SAME = 5  # times that a page came back with the same content under another id
MOST_AGAIN = 20  # times that it came back at all: pages often print the id in their links
_MOST_PAGES = 10_000
_MOST_GROUPS = 1000
_LONGEST_NAME = 60
_ASP_FILTER = r"/.*\((?:[A-Za-z]\()?[0-9A-Za-z]{24}\)"


@dataclass(slots=True)
class _Page:
    session: str = ""
    digest: int = 0


@dataclass(slots=True)
class _Name:
    again: int = 0
    same: int = 0
    samples: Samples = field(default_factory=Samples)
    reported: bool = False


class Sessions:
    def __init__(self) -> None:
        self._pages: Table[int, _Page] = Table(_MOST_PAGES, _Page)
        self._names: Table[tuple[str, str], _Name] = Table(_MOST_GROUPS, _Name)

    def saw(self, seen: Seen) -> Suspected | None:
        if "=" not in seen.url and "(" not in seen.url:
            return None
        session = looks_like_session(seen.url)
        if session is None:
            return None
        page = self._pages[hash(seen.url.replace(session, "", 1))]
        before, page.session = page.session, session
        was, page.digest = page.digest, seen.digest
        name = "" if session.startswith("(") else session.partition("=")[0][:_LONGEST_NAME]
        group = self._names[seen.host, name.lower()]
        group.samples.add(seen.url)
        if not before or before == session:
            return None
        group.again += 1
        group.same += was == seen.digest
        if group.reported or (group.same < MOST_SAME and group.again < MOST_AGAIN):
            return None
        group.reported = True
        return _suspected(seen, group, name)


def _suspected(seen: Seen, group: _Name, name: str) -> Suspected:
    ending = rf"/.*[?&;/]{re.escape(name)}=[0-9A-Za-z]" if name else _ASP_FILTER
    return Suspected(
        kind=TrapKind.SESSION,
        sentence=f"pages came back {group.again} times under another {name or 'session id'}, "
        f"{group.same} times with the same content",
        counts={"again": group.again, "same": group.same},
        samples=group.samples.urls,
        proposals=[on_host(seen.host) + ending],
        belongs=lambda url: looks_like_session(url) is not None,
    )
