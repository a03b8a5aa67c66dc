"""What people type for an address, and under which addresses a capture is looked for among the rules.

Its key first. Then that of the address it was captured from, since a key is not always that address's own:
- a POST request has its body in its key, and a rule for an address speaks of all that was asked there;
- what is said about a page (`urn:text:https://…`, `screenshot:https://…`, `dns:…`) shows the page;
- an index that others made may have keys of its own.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from armarium.access.policy.model import AddressMatch
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.formats.cdx import CdxLine
from armarium.formats.url import InvalidUrl, Match, parse, search_range, surt, unsurt

_POSTED = re.compile(r"[?&]__wb_method=.*", re.DOTALL | re.IGNORECASE)
_WITHIN = re.compile(r"(?!https?:)[a-z][a-z0-9+.-]*:.*?(https?://.*)", re.DOTALL | re.IGNORECASE)
_OF_A_HOST = re.compile(r"(?:dns|whois):(?://[^/]*/)?([^/?#]+)", re.IGNORECASE)
_PORT_OF_IPV6 = re.compile(r"\]:[0-9]+")


def addresses_of(line: CdxLine) -> tuple[str, ...]:
    """Keys, without doubles."""
    key = line.key
    url = line.fields.get("url")
    if not url or url == "-":
        return (key, _POSTED.sub("", key)) if "__wb_method=" in key else (key,)
    plain = _plain_key(str(url))
    return (key,) if plain == key else (key, plain)


@lru_cache(maxsize=8192)  # captures of one address come in rows
def _plain_key(url: str) -> str:
    if "__" in url:
        url = _POSTED.sub("", url)
    if not url.startswith("http"):
        url = _spoken_of(url)
    if "]:" in url:  # in the key of an IPv6 address nobody can tell the port
        url = _PORT_OF_IPV6.sub("]", url, count=1)
    return surt(url)


def _spoken_of(url: str) -> str:
    if within := _WITHIN.fullmatch(url):
        return within[1]
    about = _OF_A_HOST.fullmatch(url)
    return f"http://{about[1]}/" if about else url


def split(key: str) -> tuple[str, str, str]:
    """Host, port (empty: none is named) and the rest of a key; what has no host is all rest."""
    host, bracket, rest = key.partition(")")
    if not bracket or "/" in host:
        return "", "", key
    name, colon, port = host.partition(":")
    return (name, port, rest) if colon and ":" not in port else (host, "", rest)


LONGEST = 2000  # characters: longer addresses are rare, and prefixes of them do
_SCHEME = re.compile(
    r"[a-z][a-z0-9+.-]*:(?!\d|[^/]*@)", re.IGNORECASE
)  # neither a port nor a password follows
_WEB = re.compile(r"(?:https?|ftp)://", re.IGNORECASE)
_WWW = re.compile(r"www\d*\.", re.IGNORECASE)


@dataclass(frozen=True)
class Pattern:
    text: str
    match: AddressMatch
    key: str


def read(text: str, match: AddressMatch | None = None) -> Pattern:
    """The pattern as typed; `match` says how much it covers, where its form does not decide that."""
    text = text.strip()
    if len(text) > LONGEST or not text.isprintable():
        raise _refused(message("The address is too long or has unprintable characters."))
    if match is AddressMatch.EVERYTHING or (match is None and text == "*"):
        return Pattern("*", AddressMatch.EVERYTHING, "")
    if not text or text == "*":
        raise _refused(message("Type an address, or choose that the rule covers everything."))
    url, implied = _taken_apart(text)
    if not _SCHEME.match(url):
        url = f"http://{url}"
    chosen = match or implied
    _check(url, text, chosen)
    return Pattern(text, chosen, _key(url, chosen))


def of_key(key: str, match: AddressMatch) -> str:
    """What one types for a key."""
    if match is AddressMatch.EVERYTHING:
        return "*"
    host, _, rest = key.partition(")")
    name = _with_port(host)
    if match is AddressMatch.DOMAIN:
        return f"*.{name}"
    if match is AddressMatch.HOST:
        return name
    address = f"{name}{rest}" if ")/" in key else unsurt(key)
    if match is AddressMatch.EXACT and rest == "/":
        return f"http://{address}"  # without it the host would be meant
    return f"{address}*" if match is AddressMatch.PREFIX and not address.endswith("/") else address


def covered(match: AddressMatch, key: str) -> Message:
    """In words, what a rule with this address covers."""
    host, _, rest = split(key)
    if match is AddressMatch.EVERYTHING:
        return message("Everything.")
    if not host:
        if match is AddressMatch.EXACT:
            return message("Only %(address)s.", address=key)
        return message("Everything that starts with %(address)s.", address=key)
    name = _with_port(key.partition(")")[0])
    if match is AddressMatch.DOMAIN:
        return message("All pages of %(host)s and all its hosts.", host=name)
    if match is AddressMatch.HOST or (match is AddressMatch.PREFIX and rest == "/"):
        return message("All pages of %(host)s, with and without www.", host=name)
    if match is AddressMatch.EXACT:
        return message(
            "Only the page %(address)s, and what was sent to it by forms.", address=f"{name}{rest}"
        )
    if rest.endswith("/"):
        return message("The folder %(address)s and everything below it.", address=f"{name}{rest}")
    return message("All addresses that start with %(address)s.", address=f"{name}{rest}")


def ranges(match: AddressMatch, key: str) -> list[tuple[str, str]]:
    """Where in the index captures of it lie, if anywhere: first key, and first no longer of the range.

    They may hold others, too: whether a rule speaks of a capture, the rule says.
    """
    if match is AddressMatch.EVERYTHING:
        return [("", "")]
    host, port, rest = split(key)
    if not host:
        return [(key, _after(key))]
    if match in (AddressMatch.DOMAIN, AddressMatch.HOST):
        rest = "/"
    plain = host + (f":{port}" if port else "")
    if match is AddressMatch.EXACT:
        # Behind the key stands a space, or what was sent by a form. Else a home page would be its host.
        page = f"{plain}){rest}"
        found = [(page, f"{page}!"), *((f"{page}{mark}__wb_", f"{page}{mark}__wb`") for mark in "&?")]
        return found if port else [*found, (f"{host}:", f"{host};")]
    folder = rest[:-1] if rest.endswith("/") and rest != "/" else rest
    found = [(f"{plain}){folder}", _after(f"{plain}){folder}"))]
    if not port:  # any port: these stand together, behind the host alone
        found.append((f"{host}:", f"{host};"))
    if match is AddressMatch.DOMAIN:
        found.append((f"{host},", f"{host}-"))
    return found


def _after(key: str) -> str:
    return key[:-1] + chr(ord(key[-1]) + 1)


def _taken_apart(text: str) -> tuple[str, AddressMatch]:
    """The address without asterisks, and how much of the archive somebody means who types it so."""
    if text.startswith("*."):
        return text[2:].removesuffix("/*").removesuffix("/"), AddressMatch.DOMAIN
    if text.endswith("*"):
        return text[:-1], AddressMatch.PREFIX
    if _SCHEME.match(text) and not _WEB.match(text):
        return text, AddressMatch.EXACT
    path = _WEB.sub("", text, count=1).partition("/")[2]
    if not path:
        # Who takes a home page's address out of a browser means that page, and not all of its host.
        page = "?" in text or _WEB.match(text)
        return text, AddressMatch.EXACT if page else AddressMatch.HOST
    return text, AddressMatch.PREFIX if path.endswith("/") else AddressMatch.EXACT


def _key(url: str, match: AddressMatch) -> str:
    if match is AddressMatch.PREFIX:
        return search_range(url, Match.PREFIX)[0]
    key = surt(url)
    return key if match is AddressMatch.EXACT else key.partition(")")[0] + ")/"


def _check(url: str, text: str, match: AddressMatch) -> None:
    if "*" in url:
        raise _refused(message("Put an asterisk at the end of an address, or as *. before a domain."))
    opaque = _SCHEME.match(url) and not _WEB.match(url)
    if opaque and match in (AddressMatch.HOST, AddressMatch.DOMAIN):
        raise _refused(
            message("This address has no host. Choose this page only, or all addresses that start like this.")
        )
    if not opaque:
        _check_host(url, text)
    if match is AddressMatch.DOMAIN and _WWW.match(_WEB.sub("", url)):
        # In the index www is not part of a host, so the rule would cover much more than it says.
        told = message("Leave out www: *.example.org covers www.example.org and all other hosts.")
        raise _refused(told)


def _check_host(url: str, text: str) -> None:
    try:
        parsed = parse(url)
    except InvalidUrl as invalid:
        told = message("“%(text)s” is not an address, host or domain.", text=text[:100])
        raise _refused(told) from invalid
    if not (parsed.host or "").strip("."):
        raise _refused(message("“%(text)s” is not an address, host or domain.", text=text[:100]))


def _with_port(host: str) -> str:
    name, port, _ = split(f"{host})")
    if ":" in name:
        return f"[{name}]"
    return ".".join(reversed(name.split(","))) + (f":{port}" if port else "")


def _refused(told: Message) -> Refused:
    return Refused(told, field="pattern")
