"""What a browser takes a resource for: WHATWG MIME Sniffing, sections 5, 7 and 8."""

from collections.abc import Callable

from armarium.formats.media.mime_type import MimeType, parse_mime_type
from armarium.formats.media.signatures import (
    archive_type,
    audio_or_video_type,
    image_type,
    scriptable,
    unscriptable,
)

# 5.2: "read the resource header": 1445 bytes "is sufficient for deterministically computing" every type
RESOURCE_HEADER = 1445
_UNKNOWN = frozenset(("unknown/unknown", "application/unknown", "*/*"))
# 5.1: what old Apaches said about every file they did not know; exactly so, byte for byte
_APACHE_BUG = frozenset(
    (
        "text/plain",
        "text/plain; charset=ISO-8859-1",
        "text/plain; charset=iso-8859-1",
        "text/plain; charset=UTF-8",
    )
)
# 3: "binary data byte"
_BINARY = frozenset((*range(0x09), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)))
_BINARY_TABLE = bytes(sorted(_BINARY))


def _everything(_: MimeType) -> bool:
    return True


def sniff(
    data: bytes,
    content_type: str | None = None,
    *,
    provided_type: str | None = None,
    no_sniff: bool = False,
    supported: Callable[[MimeType], bool] = _everything,
) -> MimeType:
    """The "computed MIME type" of a resource.

    ``content_type`` is the header field, ``provided_type`` what another source (a file system, say) says;
    ``supported`` tells which image and audio types the browser knows.
    """
    head = data[:RESOURCE_HEADER]
    supplied = parse_mime_type(content_type or provided_type or "")
    apache = provided_type is None and content_type in _APACHE_BUG
    if supplied is not None and (supplied.is_xml or supplied.is_html):
        return supplied
    if supplied is None or supplied.essence in _UNKNOWN:
        return _essence(unknown_type(head, sniff_scriptable=not no_sniff))
    if no_sniff:
        return supplied
    if apache:
        return _essence(text_or_binary(head))
    if supported(supplied):
        matched: str | None = None
        if supplied.type == "image":
            matched = image_type(head)
        elif supplied.is_audio_or_video:
            matched = audio_or_video_type(head)
        if matched is not None:
            return _essence(matched)
    return supplied


def unknown_type(head: bytes, *, sniff_scriptable: bool = True) -> str:
    """7.1 "Identifying a resource with an unknown MIME type"."""
    found = (
        (scriptable(head) if sniff_scriptable else None)
        or unscriptable(head)
        or image_type(head)
        or audio_or_video_type(head)
        or archive_type(head)
    )
    if found is not None:
        return found
    return "application/octet-stream" if has_binary(head) else "text/plain"


def text_or_binary(head: bytes) -> str:
    """7.2 "Sniffing a mislabeled binary resource"."""
    if head.startswith((b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf")) or not has_binary(head):
        return "text/plain"
    return "application/octet-stream"


def has_binary(head: bytes) -> bool:
    """Whether there is a byte that no text has."""
    return len(head.translate(None, _BINARY_TABLE)) != len(head)


def _essence(mime: str) -> MimeType:
    major, _, minor = mime.partition("/")
    return MimeType(major, minor)
