"""Access lists of pywb (`.aclj`), read and written.

A line is the beginning of a key, a dash, and JSON: `com,example)/path - {"access": "block"}`. `*,` is
everything, `###` behind a key makes it exact. Their order is ours in other words: the longest beginning
decides.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from armarium.access.policy import patterns
from armarium.access.policy.decisions import READERS
from armarium.access.policy.model import AddressMatch, Audience, Period, Rule, RuleEffect, Terms
from armarium.access.policy.patterns import split
from armarium.accounts.model import Role
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.formats.cdx.timestamps import moment

EVERYTHING = "*,"
EXACT = "###"
_EFFECTS = {
    "allow": RuleEffect.ALLOW,
    "allow_ignore_embargo": RuleEffect.ALLOW,
    "block": RuleEffect.RESTRICT,
    "exclude": RuleEffect.HIDE,
}
_WRITTEN = {RuleEffect.ALLOW: "allow", RuleEffect.RESTRICT: "block", RuleEffect.HIDE: "exclude"}
_UNITS = frozenset({"years", "months", "weeks", "days"})
_LATEST = "99991231235959"  # completes the first digits of a date
STAFF = frozenset(Role) - READERS


@dataclass(frozen=True)
class Line:
    """What a line becomes: rules, with a remark where they say something else than pywb would do."""

    number: int
    text: str
    terms: tuple[Terms, ...] = ()
    remarks: tuple[Message, ...] = ()
    problem: Message | None = None  # then there are no rules


def read(text: str, users: Mapping[str, Audience] | None = None) -> Iterator[Line]:
    """`users`: who is meant by the names of the list; `staff` and names of roles are known."""
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1))
    for number, line in lines:
        if not line or line.startswith("#"):
            continue
        try:
            terms, remarks = _line(line, users or {})
        except Refused as refusal:
            yield Line(number, line, problem=refusal.message)
        else:
            yield Line(number, line, tuple(terms), tuple(remarks))


def _line(line: str, users: Mapping[str, Audience]) -> tuple[list[Terms], list[Message]]:
    key, dash, rest = line.partition(" - ")
    try:
        said = json.loads(rest) if dash else None
    except ValueError:
        said = None
    if not isinstance(said, dict):
        raise Refused(message("This is no line of an access list: a key, a dash, and JSON."))
    effect = _EFFECTS.get(str(said.get("access")))
    if effect is None:
        raise Refused(message("“%(access)s” is no kind of access.", access=str(said.get("access"))[:40]))
    match, own, remarks = _address(key.strip())
    terms = Terms(
        effect=effect,
        match=match,
        pattern=patterns.of_key(own, match),
        key=own,
        captured_from=_bound(said, "after", 1),
        captured_to=_bound(said, "before", -1),
        audience=_audience(said, users),
    )
    found, more = _periods(terms, said)
    return found, [*remarks, *more]


def _address(key: str) -> tuple[AddressMatch, str, list[Message]]:
    if key in (EVERYTHING, "*"):
        return AddressMatch.EVERYTHING, "", []
    if key.endswith(EXACT):
        return AddressMatch.EXACT, _known(key[: -len(EXACT)], AddressMatch.EXACT), []
    if ")" in key:
        return AddressMatch.PREFIX, _known(key, AddressMatch.PREFIX), []
    if not key.endswith(","):
        raise Refused(message("The key ends within a host: end it with a comma, or with )/."))
    domain = f"{key[:-1]})/"
    name = patterns.of_key(domain, AddressMatch.HOST)
    told = message("The rule covers %(host)s itself, too, not only the hosts below it.", host=name)
    # Of a top-level domain there is no host.
    return AddressMatch.DOMAIN, _known(domain, AddressMatch.DOMAIN), [told] if "," in key[:-1] else []


def _known(key: str, match: AddressMatch) -> str:
    """The key, if our own canonical form of the address is the same: else it would never be found."""
    found = patterns.read(patterns.of_key(key, match), match).key
    if found != key and found.rstrip("/") != key.rstrip("/"):
        raise Refused(message("No address has this key; the nearest would be %(key)s.", key=found))
    return key


def _audience(said: Mapping[str, Any], users: Mapping[str, Audience]) -> Audience:
    user = str(said.get("user") or "")
    if not user:
        return Audience()
    if user in users:
        return users[user]
    if user == "staff":
        return Audience(roles=STAFF)
    if user in set(Role):
        return Audience(roles=frozenset({Role(user)}))
    told = message("Nobody knows who “%(user)s” is: say it with --user.", user=user[:40])
    raise Refused(told)


def _bound(said: Mapping[str, Any], name: str, step: int) -> str:
    """pywb leaves the moment itself out on both sides; ours are included."""
    if name not in said:
        return ""
    at = moment(str(said[name]))
    if at is None:
        raise Refused(message("“%(text)s” is no date.", text=str(said[name])[:40]))
    return (at + timedelta(seconds=step)).strftime("%Y%m%d%H%M%S")


def _periods(terms: Terms, said: Mapping[str, Any]) -> tuple[list[Terms], list[Message]]:
    """`newer` and `older`: an embargo, where it can be one."""
    newer, older = said.get("newer"), said.get("older")
    if newer is None and older is None:
        return [terms], []
    if newer is not None and older is None and terms.effect is not RuleEffect.ALLOW:
        hidden = terms.effect is RuleEffect.HIDE
        told = [message("While the embargo lasts, readers are told that it exists.")] if hidden else []
        return [_embargo(terms, newer)], told
    if older is not None and newer is None and terms.effect is RuleEffect.ALLOW:
        return [terms, _embargo(terms, older)], [message("This becomes two rules: allow, and an embargo.")]
    raise Refused(message("Only young captures can be under embargo: this rule cannot be said here."))


def _embargo(terms: Terms, said: object) -> Terms:
    if not isinstance(said, dict) or not said or not said.keys() <= _UNITS:
        raise Refused(message("A length has years, months, weeks or days."))
    if not all(isinstance(amount, int) and 0 <= amount < 10_000 for amount in said.values()):
        raise Refused(message("A length has years, months, weeks or days."))
    days = said.get("days", 0) + 7 * said.get("weeks", 0)
    period = Period(said.get("years", 0), said.get("months", 0), days)
    return replace(terms, effect=RuleEffect.EMBARGO, embargo=period)


# Writing ----------------------------------------------------------------------------------------------


def written(rules: Iterable[Rule]) -> tuple[str, list[Rule]]:
    """The list, in the order that pywb needs, and the rules that cannot be said in it."""
    lines, left_out = [], []
    for rule in rules:
        said = _said(rule.terms)
        if said is None:
            left_out.append(rule)
        else:
            text = json.dumps(said, ensure_ascii=False)
            lines += [f"{key} - {text}" for key in _written_keys(rule.terms)]
    return "".join(f"{line}\n" for line in sorted(lines, reverse=True)), left_out


def _said(terms: Terms) -> dict[str, Any] | None:
    narrowed = terms.audience.weight or terms.collection or terms.valid_from or terms.valid_until
    if narrowed or terms.one_reader or terms.no_downloads or split(terms.key)[1]:
        return None
    if terms.captured_from and terms.captured_to:
        return None  # pywb takes one of the two
    said: dict[str, Any] = {"access": _WRITTEN.get(terms.effect, "block"), "url": terms.pattern}
    if terms.effect is RuleEffect.EMBARGO:
        units = {"years": terms.embargo.years, "months": terms.embargo.months, "days": terms.embargo.days}
        said["newer"] = {unit: amount for unit, amount in units.items() if amount}
    if terms.captured_to:
        said["before"] = _first_after(terms.captured_to)
    if terms.captured_from and (first := moment(terms.captured_from)) is not None:
        said["after"] = (first - timedelta(seconds=1)).strftime("%Y%m%d%H%M%S")
    return said


def _first_after(digits: str) -> str:
    """The first moment that is no longer of a year, a month, a day, …"""
    last = digits + _LATEST[len(digits) :]
    for day in ("31", "30", "29", "28"):
        at = moment(last if len(digits) >= len("20260131") else f"{last[:6]}{day}{last[8:]}")
        if at is not None:
            return (at + timedelta(seconds=1)).strftime("%Y%m%d%H%M%S")
    return last


def _written_keys(terms: Terms) -> list[str]:
    """pywb knows beginnings of keys only: what else a rule of ours covers needs lines of its own."""
    host = terms.key.partition(")")[0]
    match terms.match:
        case AddressMatch.EVERYTHING:
            return [EVERYTHING]
        case AddressMatch.DOMAIN:
            return [f"{host},", f"{host})/", f"{host}:"]
        case AddressMatch.HOST:
            return [f"{host})/", f"{host}:"]
        case AddressMatch.EXACT:
            return [f"{terms.key}{EXACT}"]
    folder = terms.key[:-1]
    if terms.key.endswith("/") and not folder.endswith(")"):
        return [terms.key, f"{folder}?", f"{folder}{EXACT}"]
    return [terms.key]
