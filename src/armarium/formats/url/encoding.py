"""Queries in the encoding of their document.

Links in a page of 1998 in ISO-8859-1 lead to `?q=%E9t%E9`, not to `?q=%C3%A9t%C3%A9`: a browser
percent-encodes the query of a URL in the encoding of the document (URL Standard, query state; host and path
are always UTF-8). Neither parser knows this, so the query is encoded here before they see it.
"""

import codecs
import re

# Encoding Standard: what a label means to a browser, where Python means something narrower by it.
_BROWSER_CODECS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "ks_c_5601": "cp949",
    "gb2312": "gbk",
    "shift_jis": "cp932",
}
# URL Standard, "get an output encoding": a query is never encoded in these.
_NEVER_FOR_OUTPUT = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7")
# Query state: "url is not special or its scheme is ws or wss: encoding is UTF-8".
_SCHEME = re.compile(r"[\0-\x20]*([A-Za-z][A-Za-z0-9+.\t\n\r-]*):")
_ENCODABLE = frozenset({"http", "https", "ftp", "file"})
_REMOVED = re.compile(r"[\t\n\r]")  # basic URL parser, step 3
_C0_OR_SPACE = "".join(map(chr, range(0x21)))
_UNSAFE = re.compile(rb"[^!$-;=?-~]")  # the query percent-encode set: C0, space, ", #, <, >, beyond ~
# Characters that Python's codec would encode and a browser's does not, or encodes as another.
_EXCEPTIONS = {
    "cp932": {0x2212: "\uff0d"},  # Encoding Standard 12.3.2: the minus sign as the full-width one
    "gb18030": {0xE5E5: "%26%2358853%3B"},  # Encoding Standard 10.2.2: no such character
    # Encoding Standard 12.2.2: they would change the state of a reader.
    "iso2022_jp": dict.fromkeys((0x0E, 0x0F, 0x1B), "%26%2365533%3B"),
}


def _as_reference(error: UnicodeError) -> tuple[str, int]:
    """What the encoding lacks becomes `&#…;`, itself percent-encoded ("percent-encode after encoding")."""
    assert isinstance(error, UnicodeEncodeError)
    missing = error.object[error.start : error.end]
    return "".join(f"%26%23{ord(letter)}%3B" for letter in missing), error.end


_REFERENCE = "armarium-url-reference"
codecs.register_error(_REFERENCE, _as_reference)  # the only way to stay linear: one pass of the codec


def encode_query(text: str, encoding: str, base: str = "") -> str:
    """The URL, or reference against `base`, with its query percent-encoded in `encoding`."""
    codec = _codec(encoding)
    if codec is None or _scheme(text, base) not in _ENCODABLE:
        return text
    head, hash_sign, fragment = text.partition("#")
    path, question_mark, query = head.partition("?")
    if query.isascii() and codec != "iso2022_jp":  # which has a meaning for some controls
        return text
    if not hash_sign:
        query = query.rstrip(_C0_OR_SPACE)  # basic URL parser, step 1.2
    return path + question_mark + _percent_encoded(query, codec) + hash_sign + fragment


def _codec(encoding: str) -> str | None:
    """The codec for output, or None where that is UTF-8, as for a label that nobody knows."""
    if encoding == "utf-8":
        return None
    try:
        name = codecs.lookup(encoding).name
        name = _BROWSER_CODECS.get(name, name)
        "".encode(name)  # some names are of transformations, not of encodings
    except (LookupError, ValueError):
        return None
    return None if name in _NEVER_FOR_OUTPUT else name


def _scheme(text: str, base: str) -> str:
    found = _SCHEME.match(text) or _SCHEME.match(base)
    return _REMOVED.sub("", found[1]).lower() if found else ""


def _percent_encoded(query: str, codec: str) -> str:
    query = _REMOVED.sub("", query).translate(_EXCEPTIONS.get(codec, {}))
    encoded = query.encode(codec, _REFERENCE)
    return _UNSAFE.sub(lambda found: b"%%%02X" % found[0][0], encoded).decode("ascii")
