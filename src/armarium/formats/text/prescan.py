"""What an HTML page says about its encoding: HTML Standard, 13.2.3.2, "prescan a byte stream"."""

import re

from armarium.formats.text.labels import whatwg_encoding

# "The user agent may … prescan the first 1024 bytes".
PRESCAN_BYTES = 1024
# A meta element further on is found by the parser, which then begins again ("change the encoding"). Nobody
# wants to look through a whole page for it.
LATE_BYTES = 65_536

_SPACE = b"\t\n\x0c\r "
_META = re.compile(rb"<meta[\t\n\x0c\r /]", re.IGNORECASE)
_TAG = re.compile(rb"</?[a-z]", re.IGNORECASE)
_RAW_TEXT = re.compile(
    rb"<(script|style|title|textarea|noscript|xmp|iframe|template)[\t\n\x0c\r />]", re.IGNORECASE
)
_NAME_END = re.compile(rb"[\t\n\x0c\r >]")
_QUOTED = {0x22: b'"', 0x27: b"'"}
_XML = re.compile(rb"<\?xml[^>]{0,200}?\sencoding\s*=\s*([\"'])([A-Za-z0-9._:-]{1,64})\1")


def declared_in_html(data: bytes) -> str | None:
    """The encoding that a page declares in a meta element or an XML declaration, by the standard's order."""
    head = data[:PRESCAN_BYTES]
    # "Prescan for UTF-16 XML declarations"
    if head.startswith(b"<\0?\0x\0"):
        return "utf-16le"
    if head.startswith(b"\0<\0?\0x"):
        return "utf-16be"
    found = _scan(head, late=False) or declared_in_xml(head)
    if found is None and len(data) > PRESCAN_BYTES:
        found = _scan(data[:LATE_BYTES], late=True)
    return found


def declared_in_xml(data: bytes) -> str | None:
    """The encoding of an XML declaration ("get an XML encoding"), which must be the very first thing."""
    found = _XML.match(data, 0, PRESCAN_BYTES)
    if found is None:
        return None
    encoding = whatwg_encoding(found[2].decode("ascii"))
    # It was read as ASCII, so it cannot be UTF-16.
    return "utf-8" if encoding in ("utf-16be", "utf-16le") else encoding


def _scan(data: bytes, *, late: bool) -> str | None:
    """The loop of the algorithm. Late: what a parser takes for text (scripts, titles) is passed over."""
    at = 0
    lower = data.lower() if late else b""
    while (at := data.find(b"<", at)) >= 0:
        if data.startswith(b"<!--", at):
            # The two hyphens of the end may be those of the beginning: "<!-->" is a whole comment.
            end = data.find(b"-->", at + 2)
            if end < 0:
                return None
            at = end + 3
        elif _META.match(data, at):
            at, encoding = _meta(data, at + 5)
            if encoding is not None:
                return encoding
        elif late and (raw := _RAW_TEXT.match(data, at)):
            end = lower.find(b"</" + raw[1].lower(), at)
            if end < 0:
                return None
            at = end + 2
        elif _TAG.match(data, at):
            at = _after_tag(data, at)
        elif data[at + 1 : at + 2] in (b"!", b"/", b"?") and at + 1 < len(data):
            end = data.find(b">", at)
            if end < 0:
                return None
            at = end + 1
        else:
            at += 1
    return None


def _after_tag(data: bytes, at: int) -> int:
    """Position after a tag that is not a meta: its attributes are read so that quoted ``>`` do not end it."""
    end = _NAME_END.search(data, at)
    if end is None:
        return len(data)
    at = end.start()
    attribute: tuple[bytes, bytes] | None = (b"", b"")
    while attribute is not None:
        at, attribute = _attribute(data, at)
    return at


def _meta(data: bytes, at: int) -> tuple[int, str | None]:
    """Read a meta element's attributes; the encoding it declares, if it does."""
    seen: set[bytes] = set()
    pragma = False
    need_pragma: bool | None = None
    charset: str | None = None
    known = False
    while True:
        at, attribute = _attribute(data, at)
        if attribute is None:
            break
        name, value = attribute
        if name in seen:
            continue
        seen.add(name)
        if name == b"http-equiv":
            pragma = pragma or value == b"content-type"
        elif name == b"content" and not known:
            label = charset_in_content(value)
            if label is not None and (encoding := whatwg_encoding(label)):
                charset, known, need_pragma = encoding, True, True
        elif name == b"charset":
            charset, known, need_pragma = whatwg_encoding(value.decode("latin-1")), True, False
    if need_pragma is None or (need_pragma and not pragma) or charset is None:
        return at, None
    if charset in ("utf-16be", "utf-16le"):
        return at, "utf-8"
    return at, "windows-1252" if charset == "x-user-defined" else charset


def _attribute(data: bytes, at: int) -> tuple[int, tuple[bytes, bytes] | None]:
    """ "Get an attribute": name and value in lower case, or None at the end of the tag or of the data."""
    while at < len(data) and data[at] in b"\t\n\x0c\r /":
        at += 1
    if at >= len(data) or data[at] == 0x3E:
        return at, None
    begin = at
    while at < len(data) and not (data[at] == 0x3D and at > begin) and data[at] not in b"\t\n\x0c\r />":
        at += 1
    name = data[begin:at].lower()
    while at < len(data) and data[at] in _SPACE:
        at += 1
    if at >= len(data) or data[at] != 0x3D:
        return at, (name, b"")
    at += 1
    while at < len(data) and data[at] in _SPACE:
        at += 1
    return _value(data, at, name)


def _value(data: bytes, at: int, name: bytes) -> tuple[int, tuple[bytes, bytes] | None]:
    if at >= len(data):
        return at, None
    if quote := _QUOTED.get(data[at]):
        end = data.find(quote, at + 1)
        if end < 0:
            return len(data), None  # the data end inside the value: nothing can be known
        return end + 1, (name, data[at + 1 : end].lower())
    end_found = _NAME_END.search(data, at)
    end = end_found.start() if end_found else len(data)
    return end, (name, data[at:end].lower())


_CHARSET = re.compile(rb"charset[\t\n\x0c\r ]*=[\t\n\x0c\r ]*", re.IGNORECASE)


def charset_in_content(value: bytes) -> str | None:
    """ "Extracting a character encoding from a meta element": the label inside a content attribute."""
    found = _CHARSET.search(value)
    if found is None or found.end() >= len(value):
        return None
    rest = value[found.end() :]
    if quote := _QUOTED.get(rest[0]):
        end = rest.find(quote, 1)
        return rest[1:end].decode("latin-1") if end > 0 else None
    return re.split(rb"[\t\n\x0c\r ;]", rest, maxsplit=1)[0].decode("latin-1")
