"""Keeps secrets out of the logs, and turns every value into plain text, numbers and lists of them."""

import math
import re
from collections.abc import Mapping
from datetime import date

from structlog.typing import EventDict, WrappedLogger

MASK = "***"
LONGEST_TEXT = 10_000  # characters; a visitor who sends megabytes must not fill the disk with our lines
LONGEST_TRACEBACK = 60_000
DEEPEST = 6  # levels of nesting; also ends a structure that contains itself
MOST_ITEMS = 200

SECRET_KEY = re.compile(r"passw(or)?d|passphrase|token|secret|authorization|cookie|csrf", re.IGNORECASE)

_NAME = r"(?:passw(?:or)?d|token|secret|csrf|cookie|credential|api[_-]?key)"
# Every repetition is bounded or anchored at rare text: these run over input of strangers.
_IN_TEXT: tuple[tuple[re.Pattern[str], str], ...] = (
    # An unquoted "/" or "?" in a password is wrong, yet operators write it: take all up to the last "@".
    (
        re.compile(r"(postgres(?:ql)?(?:\+\w{1,20})?://[^\s:/?#@]{0,200}):[^\s\"']{0,500}@", re.IGNORECASE),
        rf"\1:{MASK}@",
    ),
    # RFC 3986, 3.2.1: userinfo ends at the "@" of the authority, which ends at "/", "?" or "#".
    (re.compile(r"(://[^\s:/?#@]{0,200}):[^\s/?#]{0,1000}@"), rf"\1:{MASK}@"),
    # Query strings, forms and libpq's "password=…".
    (
        re.compile(
            rf"({_NAME}[\w-]{{0,30}}=)(?:'[^']{{0,1000}}'|[^\s&;,'\"]{{1,1000}})",
            re.IGNORECASE,
        ),
        rf"\1{MASK}",
    ),
    # JSON and Python's own way to print a mapping.
    (
        re.compile(
            rf"({_NAME}[\w-]{{0,30}}[\"'][ ]?:[ ]?[\"'])[^\"'\r\n]{{1,1000}}",
            re.IGNORECASE,
        ),
        rf"\1{MASK}",
    ),
    (re.compile(r"((?:authorization|cookie): ?)[^\r\n]{1,4000}", re.IGNORECASE), rf"\1{MASK}"),
    (re.compile(r"\b(Bearer )[\w.~+/=-]{1,4000}"), rf"\1{MASK}"),
)


def mask_secrets(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Structlog processor: the last one before a renderer."""
    return {str(key): _entry(str(key), value) for key, value in event.items()}


def masked_text(text: str, longest: int = LONGEST_TEXT) -> str:
    shortened = len(text) > longest
    # Cut only after masking: half a URL would no longer look like one. The margin bounds the work.
    text = text[: longest * 2]
    for pattern, replacement in _IN_TEXT:
        text = pattern.sub(replacement, text)
    return text[:longest] + "…" if shortened else text


def _entry(key: str, value: object) -> object:
    if key in ("exception", "stack") and isinstance(value, str):
        return masked_text(value, LONGEST_TRACEBACK)
    return _under(key, value, depth=0)


def _under(key: str, value: object, depth: int) -> object:
    if SECRET_KEY.search(key) and not (value is None or isinstance(value, bool)):
        return MASK
    return _plain(value, depth)


def _plain(value: object, depth: int) -> object:
    match value:
        case None | bool() | int():
            return value
        case float():
            return value if math.isfinite(value) else str(value)  # JSON has no NaN
        case str():
            return masked_text(str(value))
        case bytes() | bytearray():
            return masked_text(bytes(value[: LONGEST_TEXT * 2]).decode(errors="backslashreplace"))
        case date():
            return value.isoformat()
    if depth >= DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        return {str(k): _under(str(k), v, depth + 1) for k, v in list(value.items())[:MOST_ITEMS]}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item, depth + 1) for item in list(value)[:MOST_ITEMS]]
    return masked_text(str(value))
