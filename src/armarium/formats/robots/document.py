"""A robots.txt that was read: what it says to whom, and why."""

import math
import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from armarium.formats.robots.rules import Rule, RuleSet

# --- Names of crawlers: in the file, of our own, and how the two meet.


# RFC 9309, 2.2: identifier = 1*(%x2D / %x41-5A / %x5F / %x61-7A) ; "-", "A" to "Z", "_", "a" to "z"
_IDENTIFIER = re.compile(r"[A-Za-z_-]+")
_NAME_END = re.compile(r"[\s/]")
_WORD_END = re.compile(r"[\s/;,()+]+")

ANYONE = "*"


def valid_product_token(name: str) -> bool:
    """Whether a crawler may go by this name: RFC 9309, 2.2.1 allows only letters, ``-`` and ``_``."""
    return _IDENTIFIER.fullmatch(name) is not None


def name_in_file(value: str, *, whole: bool) -> str:
    """The name that a user-agent line gives, in lower case; empty when it gives none."""
    # "* but not others": a star followed by a blank is the group for everyone, as in Google's parser.
    if value[:1] == ANYONE and (len(value) == 1 or value[1].isspace()):
        return ANYONE
    if whole:
        return _NAME_END.split(value, maxsplit=1)[0].lower()
    found = _IDENTIFIER.match(value)
    return found.group().lower() if found else ""


def own_names(agent: str, *, whole: bool) -> list[str]:
    """Our own name as names of the file are kept; of a whole User-Agent field, each of its words."""
    # RFC 9309, 2.2.1: "Crawlers MUST use case-insensitive matching"; the product token "SHOULD be a substring
    # in the identification string", so it is among the words.
    if not whole:
        return [agent.lower()]
    return [word for word in _WORD_END.split(agent.lower()) if word]


def family_names(name: str) -> Iterator[str]:
    """Shorter names to which a name without a group belongs: of ``a-b-c`` first ``a-b``, then ``a``."""
    for end in range(len(name) - 1, 0, -1):
        # Only where a word ends: a crawler "arm" has nothing to say about "armarium".
        if not name[end].isalpha() and name[end - 1].isalnum():
            yield name[:end]


def best_name(name: str, known: Container[str], *, families: bool) -> str | None:
    """The group that speaks to a name: its own, else that of its family."""
    if name == ANYONE:
        return None
    if name and name in known:
        return name
    if families:
        return next((shorter for shorter in family_names(name) if shorter in known), None)
    return None


# --- How a robots.txt is read where the standard leaves room, or where the web does not keep to it.


@dataclass(frozen=True, slots=True)
class Dialect:
    """Each switch is one difference between real readers of robots.txt."""

    typos: bool = True
    """Take ``disalow``, ``useragent``, ``site-map`` and longer words (``disallowed``) for what was meant."""

    missing_colon: bool = True
    """Read ``disallow /private`` as a rule: the blank stands for the colon."""

    several_words: bool = True
    """Without a colon, ``user agent some name`` still names somebody; Google wants two words, no more."""

    index_pages: bool = True
    """``Allow: /folder/index.html`` allows ``/folder/`` too: it is the same page."""

    unreserved_decoded: bool = True
    """RFC 9309, 2.2.2: ``%62%61%7A`` and ``baz`` are the same path. Google compares them as written."""

    families: bool = True
    """A name without a group of its own (``name-image``, ``name2``) belongs to the group ``name``."""

    whole_names: bool = True
    """Compare whole names; Google ends a name in the file at the first character that no name may have."""


LENIENT = Dialect()
"""The standard, and every tolerance that does not contradict it. What the harvest uses."""

STRICT = Dialect(typos=False, missing_colon=False, several_words=False, index_pages=False, families=False)
"""The letter of RFC 9309."""

GOOGLE = Dialect(several_words=False, unreserved_decoded=False, families=False, whole_names=False)
"""What Google's published parser does, for comparison."""


# --- A robots.txt that was read: what it says to whom, and why.


# A file may name as many crawlers as fit into it; the prepared rules are kept for the few that are asked for.
_PREPARED_SETS = 64
LONGEST_DELAY = 86_400.0  # seconds: who asks for more has mistyped, or wants a crawl that never ends


class Decision(NamedTuple):
    """The answer for one URL, with what it rests on."""

    allowed: bool
    line: int | None = None  # of the rule that decided; None: no rule matched
    rule: str | None = None  # that rule as written
    group: str | None = None  # name of the group that was used; None: there is none for this agent


class Directive(NamedTuple):
    """A line that the standard does not define, kept as it is."""

    line: int
    key: str  # in lower case
    value: str


class RequestRate(NamedTuple):
    """``Request-rate: 1/10s 1800-2000``: requests, seconds, and the hours at which it holds."""

    requests: int
    seconds: float
    hours: str | None = None


@dataclass(slots=True)
class Group:
    """User-agent lines and the rules after them."""

    rules: list[Rule] = field(default_factory=list)


@dataclass(slots=True)
class Extras:
    """Lines of a group beyond the standard (crawl-delay and the like), for the names right above them."""

    lines: list[Directive] = field(default_factory=list)


@dataclass(slots=True)
class Addressee:
    """All that a file says to one name; groups of the same name are one (RFC 9309, 2.2.1)."""

    groups: list[Group] = field(default_factory=list)
    extras: list[Extras] = field(default_factory=list)


_RATE = re.compile(r"(\d{1,9})\s*/\s*(\d{1,9})\s*([smhd]?)[a-z]*(?:\s+(\d{4}\s*-\s*\d{4}))?", re.IGNORECASE)
_UNIT_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


class Robots:
    """What ``parse`` gives: ask ``allowed``, ``crawl_delay``, ``request_rate``; look at ``sitemaps``."""

    def __init__(self, dialect: Dialect = LENIENT) -> None:
        self.dialect = dialect
        self.sitemaps: list[str] = []
        self.others: list[Directive] = []  # host, clean-param and everything that is no rule
        self.html = False  # a page came instead of a robots.txt
        self.cut = False  # the file is longer than the part that was read
        self._addressees: dict[str, Addressee] = {}
        self._prepared: dict[str, RuleSet] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Names that the file speaks to, in lower case, in its order."""
        return tuple(self._addressees)

    def addressee(self, name: str) -> Addressee:
        """What is said to a name; made when the name is new."""
        return self._addressees.setdefault(name, Addressee())

    def group_for(self, agent: str | Sequence[str]) -> str | None:
        """Name of the group for an agent. Of several names the first that the file knows is taken."""
        for one in [agent] if isinstance(agent, str) else agent:
            words = own_names(one, whole=self.dialect.whole_names)
            found = [best_name(word, self._addressees, families=self.dialect.families) for word in words]
            # Of the words of a User-Agent field the longest known one is the name: "mozilla" is everybody's.
            if named := [name for name in found if name is not None]:
                return max(named, key=len)
        return ANYONE if ANYONE in self._addressees else None

    def allowed(self, agent: str | Sequence[str], url: str) -> Decision:
        """Whether an agent may fetch a URL. The URL's host is not looked at: the file is that host's."""
        name = self.group_for(agent)
        if name is None:
            return Decision(allowed=True)
        rule = self._rules(name).match(url)
        if rule is None:
            return Decision(allowed=True, group=name)
        return Decision(rule.allow, rule.line, rule.text, name)

    def crawl_delay(self, agent: str | Sequence[str]) -> float | None:
        """Seconds between requests that the file asks of an agent, a day at most; the longest where it asks
        twice.
        """
        return max(
            (delay for one in self._extras(agent, "crawl-delay") if (delay := _seconds(one.value))),
            default=None,
        )

    def request_rate(self, agent: str | Sequence[str]) -> RequestRate | None:
        """The first understandable ``Request-rate`` for an agent."""
        return next((rate for one in self._extras(agent, "request-rate") if (rate := _rate(one.value))), None)

    def extensions(self, agent: str | Sequence[str]) -> list[Directive]:
        """Every line beyond the standard that stands in the group of an agent."""
        return self._extras(agent, None)

    def _extras(self, agent: str | Sequence[str], key: str | None) -> list[Directive]:
        name = self.group_for(agent)
        if name is None:
            return []
        extras = self._addressees[name].extras
        return [line for extra in extras for line in extra.lines if key in (None, line.key)]

    def _rules(self, name: str) -> RuleSet:
        prepared = self._prepared.get(name)
        if prepared is None:
            if len(self._prepared) >= _PREPARED_SETS:
                self._prepared.clear()
            rules = [rule for group in self._addressees[name].groups for rule in group.rules]
            prepared = self._prepared[name] = RuleSet(
                rules, decoded=self.dialect.unreserved_decoded, index_pages=self.dialect.index_pages
            )
        return prepared


def _seconds(value: str) -> float | None:
    try:
        seconds = float(value.split()[0].removesuffix("s").replace(",", "."))
    except (ValueError, IndexError):
        return None
    return min(seconds, LONGEST_DELAY) if math.isfinite(seconds) and seconds >= 0 else None


def _rate(value: str) -> RequestRate | None:
    found = _RATE.match(value)
    if found is None or int(found[1]) == 0 or int(found[2]) == 0:
        return None
    seconds = int(found[2]) * _UNIT_SECONDS[found[3].lower()]
    requests = int(found[1])
    return RequestRate(requests, min(float(seconds), requests * LONGEST_DELAY), found[4])
