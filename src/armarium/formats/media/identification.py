"""One answer about a payload from its bytes, its declaration and its name."""

import enum
import os
import sys
from importlib.util import find_spec
from typing import NamedTuple

from armarium.core.late import LateModule
from armarium.formats.media.magic import HEAD_BYTES, binary_type
from armarium.formats.media.mime_type import MimeType, parse_mime_type
from armarium.formats.media.names import compatible, extension_type, same_type
from armarium.formats.media.sniffing import (
    RESOURCE_HEADER,
    TEXT_BYTES,
    has_binary,
    sniff,
    style_or_script,
    text_type,
)
from armarium.formats.text import Kind, decode

# --- Format identifiers of the PRONOM registry, through siegfried (the package ``pygfried``).
#
# This is the one module of ``formats`` that touches the system, and here is why: siegfried reads files by
# their
# path only. The bytes are put into a file that exists in memory (``memfd_create``) and whose path is that of
# the open descriptor. Nothing is written to a disk, and nothing is left behind. Where this is not possible
# (another system than Linux, or ``pygfried`` is not installed) there is simply no answer.


# An optional dependency. It brings threads of its own, which do not survive a fork: imported when first used.
AVAILABLE = sys.platform == "linux" and find_spec("pygfried") is not None
pygfried = LateModule("pygfried")

_UNKNOWN = ("UNKNOWN", "")


class Match(NamedTuple):
    """What siegfried says about a file."""

    puid: str  # "fmt/471"
    mime: str  # of the registry; may be empty
    by_bytes: bool  # a signature or a container was recognised, not only that it is text
    basis: str  # in siegfried's words


def pronom_match(data: bytes) -> Match | None:
    """The best match for a file's bytes; None when there is none or siegfried is not there."""
    if not AVAILABLE or not data:
        return None
    descriptor = os.memfd_create("payload")
    try:
        with os.fdopen(descriptor, "wb", closefd=False) as file:
            file.write(data)
        found = pygfried.identify(f"/proc/self/fd/{descriptor}", True)
    except (OSError, RuntimeError, ValueError, pygfried.GoError, pygfried.EmptySourceError):
        return None  # siegfried's own failures: an identifier is a help, never a condition
    finally:
        os.close(descriptor)
    return _best(found)


def _best(found: object) -> Match | None:
    files = found.get("files", []) if isinstance(found, dict) else []
    matches = files[0].get("matches", []) if files else []
    for match in matches:
        if match.get("id", "") not in _UNKNOWN:
            basis = match.get("basis", "")
            by_bytes = "byte match" in basis or "container" in basis or "xml match" in basis
            return Match(match["id"], match.get("mime", "").split(",")[0].strip(), by_bytes, basis)
    return None


# --- One answer about a payload from its bytes, its declaration and its name.


__all__ = ["HEAD_BYTES", "Agreement", "Basis", "Media", "identify"]


class Basis(enum.StrEnum):
    """From what the type is known."""

    SIGNATURE = "signature"  # bytes that only this format has
    CONTENT = "content"  # text that reads like this format
    DECLARED = "declared"  # the server said so, and nothing contradicts
    NAME = "name"  # the extension says so, and nothing contradicts
    NONE = "none"  # only: text, or not text


class Agreement(enum.StrEnum):
    """How the declared type fits the one we believe."""

    SAME = "same"
    COMPATIBLE = "compatible"  # one is a kind of the other: a ZIP that is an office document
    DIFFERENT = "different"
    UNDECLARED = "undeclared"


class Media(NamedTuple):
    """What a payload is."""

    mime: str
    puid: str | None  # PRONOM identifier, where known
    basis: Basis
    declared: str | None  # the essence of the declared type; None: none, or not a type
    agreement: Agreement
    browser: str  # what a browser would take it for


# PRONOM knows these by their extension only, which a payload does not carry.
_TEXT_PUIDS = {
    "text/css": "x-fmt/224",
    "text/javascript": "x-fmt/423",
    "application/json": "fmt/817",
    "text/csv": "x-fmt/18",
    "text/html": "fmt/96",
    "text/xml": "fmt/101",
    "text/plain": "x-fmt/111",
    "text/markdown": "fmt/1149",
    "text/calendar": "fmt/387",
    "text/vcard": "fmt/395",
}
_PLAIN_PUID = "x-fmt/111"
_NOTHING = "application/x-empty"


def identify(
    head: bytes, *, declared: str | None = None, name: str | None = None, pronom: bool = True
) -> Media:
    """Say what a payload is, from its first ``HEAD_BYTES`` bytes (better: all of them, if it is short).

    ``pronom=False`` leaves the registry out, which costs more than all the rest.
    """
    told = parse_mime_type(declared) if declared else None
    promised = extension_type(name)
    match = pronom_match(head) if pronom else None
    mime, basis = _believed(head, told, promised, match)
    browser = sniff(head[:RESOURCE_HEADER], declared).essence
    return Media(
        mime, _puid(mime, match), basis, told.essence if told else None, _agreement(told, mime), browser
    )


def _believed(
    head: bytes, told: MimeType | None, promised: str | None, match: Match | None
) -> tuple[str, Basis]:
    if not head:
        return _NOTHING, Basis.SIGNATURE
    if found := binary_type(head):
        return _refined(found, promised, match), Basis.SIGNATURE
    marked = head.startswith((b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"<\x00?\x00", b"\x00<\x00?"))
    if has_binary(head[:RESOURCE_HEADER]) and not marked:
        return _binary(told, promised, match)
    return _text(head, told, promised, match)


def _refined(found: str, promised: str | None, match: Match | None) -> str:
    """A container by what PRONOM sees in it, or by its name: the head may not show what it contains."""
    if found in ("application/zip", "application/x-ole-storage"):
        if match is not None and match.by_bytes and match.mime and compatible(match.mime, found):
            return match.mime
        if promised is not None and compatible(promised, found) and promised != "application/octet-stream":
            return promised
    return found


def _binary(told: MimeType | None, promised: str | None, match: Match | None) -> tuple[str, Basis]:
    if match is not None and match.by_bytes and match.mime:
        return match.mime, Basis.SIGNATURE
    # A server that calls bytes text, or a page's extension on them, is wrong: no text has such bytes.
    if told is not None and not _is_text(told.essence) and told.essence != "application/octet-stream":
        return told.essence, Basis.DECLARED
    if promised is not None and not _is_text(promised):
        return promised, Basis.NAME
    return "application/octet-stream", Basis.NONE


def _text(head: bytes, told: MimeType | None, promised: str | None, match: Match | None) -> tuple[str, Basis]:
    charset = told.parameter("charset") if told else None
    text = decode(head[:TEXT_BYTES], declared_charset=charset, kind=Kind.XML).text
    essence = _one_script(told) if told else None
    if found := text_type(text):
        # A type that is a kind of what was found says more: application/ld+json, a vocabulary of XML.
        if essence is not None and essence != found and _says_more(essence, found):
            return essence, Basis.DECLARED
        return found, Basis.CONTENT
    if match is not None and match.by_bytes and match.mime:
        return match.mime, Basis.SIGNATURE
    looks = style_or_script(text)
    for one, basis in ((essence, Basis.DECLARED), (promised, Basis.NAME)):
        # "text/html" and "text/plain" are what servers say when they do not know.
        if one is not None and one not in ("text/html", "text/plain") and _is_text(one):
            return one, basis
    if looks is not None:
        return looks, Basis.CONTENT
    return _plain_text(text, essence, promised)


def _plain_text(text: str, essence: str | None, promised: str | None) -> tuple[str, Basis]:
    # Markup somewhere in it and somebody who calls it a page: then it is one, with text in front.
    if "text/html" in (essence, promised) and "<" in text:
        return "text/html", Basis.DECLARED if essence == "text/html" else Basis.NAME
    return "text/plain", Basis.NONE


def _one_script(told: MimeType) -> str:
    return "text/javascript" if told.is_javascript else told.essence


def _says_more(told: str, found: str) -> bool:
    if same_type(found, "text/xml"):
        return told.endswith("+xml")
    return found == "application/json" and told.endswith("+json")


def _is_text(mime: str) -> bool:
    kind = parse_mime_type(mime)
    if kind is None:
        return False
    return (
        kind.type == "text" or kind.is_xml or kind.is_json or kind.is_javascript or mime.endswith("mpegurl")
    )


def _puid(mime: str, match: Match | None) -> str | None:
    if (
        match is not None
        and match.by_bytes
        and (not match.mime or same_type(match.mime, mime) or compatible(match.mime, mime))
    ):
        return match.puid
    if mime in _TEXT_PUIDS:
        return _TEXT_PUIDS[mime]
    return match.puid if match is not None and match.puid != _PLAIN_PUID else None


def _agreement(told: MimeType | None, mime: str) -> Agreement:
    if told is None:
        return Agreement.UNDECLARED
    if same_type(told.essence, mime):
        return Agreement.SAME
    return Agreement.COMPATIBLE if compatible(told.essence, mime) else Agreement.DIFFERENT
