"""The grammar of archival addresses: what stands in a path behind the name of a collection.

    20131010000506mp_/http://example.com/     a capture, and how it is to be shown
    mp_/http://example.com/                   the same, the latest
    2010-2012*/http://example.com/*           a question: the calendar, or the list of addresses below

The text is taken as it came, percent-encoded: decoding it first would confuse `%3F` with `?`.
"""

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

from armarium.formats.url import InvalidUrl, asked_for, parse

# OpenWayback allows several modifiers (`cs_js_`), and numbers in them (`cm2_`); pywb a browser (`$br:name`).
# None is long: it would stand again in every link of the page. Behind 14 digits others write milliseconds.
_REPLAY = re.compile(
    r"(\d{0,14})\d{0,6}((?:[a-z]{1,8}\d?_){1,4}|\$[a-z0-9:.-]{1,64})?/{1,3}(.+)\Z", re.DOTALL
)
_QUESTION = re.compile(
    r"(?:(json|cdxj|text|timemap(?:-[a-z]+)?)/)?(\d{0,14})\d{0,6}[*-](\d{0,14})\d{0,6}\*?/{1,3}(.+)\Z",
    re.DOTALL,
)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_ENCODED_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*)(?::|%3[aA])((?:%2[fF]|/)*)")
_WEB_SCHEME = re.compile(r"(https?|ftps?|wss?):/*", re.IGNORECASE)
_AUTHORITY = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*://(?:[^/?#@]*@)?)([^/?#:]*)(.*)\Z", re.DOTALL)


class NotArchival(ValueError):  # noqa: N818  (reads as what happened)
    """There is no address of a page in this text."""


@dataclass(frozen=True)
class Archival:
    timestamp: str  # up to 14 digits, whatever stood behind them; "" is the latest capture
    mod: str  # "" is the page in its frame; "id_" the bytes as they are; see the table in `kinds`
    url: str

    def __str__(self) -> str:
        behind = f"{self.timestamp}{self.mod}"
        return f"{behind}/{self.url}" if behind else self.url


@dataclass(frozen=True)
class Asked:
    url: str
    from_: str = ""
    to: str = ""
    prefix: bool = False  # all addresses that begin like this one
    form: str = ""  # "json", "timemap-link"…: how pywb's older addresses name the form of the answer

    def __str__(self) -> str:
        span = f"{self.from_}*{self.to}"
        return f"{self.form + '/' if self.form else ''}{span}/{self.url}{'*' if self.prefix else ''}"


def parse_archival(text: str) -> Archival | Asked:
    """What the path behind `/<collection>/`, with its query, asks for."""
    found = _QUESTION.match(text)
    if found:
        form, begin, end, url = found.groups()
        prefix = url.endswith("*")
        return Asked(repaired(url[:-1] if prefix else url), begin, end, prefix, form or "")
    found = _REPLAY.match(text)
    if found:
        return Archival(found[1], found[2] or "", repaired(found[3]))
    return Archival("", "", repaired(text))


def repaired(url: str) -> str:
    """An address as a person typed it, or a proxy squeezed it, made whole and ASCII."""
    url = asked_for(_CONTROLS.sub("", url).strip())
    if not unquote(url).strip():
        raise NotArchival("The path names no address: expected /<collection>/<timestamp>/<address>.")
    found = _ENCODED_SCHEME.match(url)
    if found:
        url = f"{found[1]}:{unquote(found[2])}{url[found.end() :]}"
        url = _WEB_SCHEME.sub(r"\1://", url, count=1)
    else:
        url = "http://" + url.lstrip("/")
    return _in_ascii(url)


def _in_ascii(url: str) -> str:
    found = _AUTHORITY.match(url)
    if found:
        url = found[1] + _host_in_ascii(found[2]) + found[3]
    return url if url.isascii() else quote(url, safe="%/:?#[]@!$&'()*+,;=-._~ \"<>\\^`{|}")


def _host_in_ascii(host: str) -> str:
    decoded = unquote(host)
    if decoded.isascii() and decoded == host:
        return host
    try:
        return parse(f"http://{decoded}/").host or host
    except InvalidUrl:
        return quote(decoded)
