"""JSONP: data in a call. The page asks for a name that it has just made up; the record has another."""

import re
from urllib.parse import parse_qsl, urlsplit

_WRAPPED = re.compile(
    r"(?:[\s\ufeff]|ï»¿|/\*.*?\*/|//[^\n]*(?:\n|\Z))*+"
    r"(?!function\b|var\b|let\b|const\b|return\b|if\b|for\b|while\b)"
    r"([\w$]+(?:\.[\w$]+|\[[\w$\"']+\])*)\s*\(\s*(?=[{\[\"]|\Z)",
    re.DOTALL,
)
_CALLBACK = re.compile(r"(?:json_?p?_?|.*)(?:callback|jsonp|cb)(?:name|_name|func)?\Z", re.IGNORECASE)
_NAME = re.compile(r"[\w$]+(?:\.[\w$]+|\[[\w$\"']+\])*\Z", re.ASCII)


def callback_in(url: str) -> str | None:
    """The name of the function that an address asks for."""
    for name, value in parse_qsl(urlsplit(url).query, keep_blank_values=True, separator="&"):
        if _CALLBACK.match(name) and _NAME.match(value):
            return value
    return None


def rewrite_jsonp(text: str, callback: str | None) -> str:
    """The same call with the name that was asked for; anything that is not such a call stays as it is."""
    if not callback or not _NAME.match(callback):
        return text
    found = _WRAPPED.match(text)
    return f"{callback}({text[found.end() :]}" if found else text
