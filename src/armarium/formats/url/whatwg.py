"""URLs as browsers understand them: https://url.spec.whatwg.org/.

Two parsers stand behind one interface. url-py is several times as fast, but was seen to differ from the
standard in the cases of `_only_ada` below and in schemes other than http and https, and it refuses a few
URLs that it should not. ada passes every case of the Web Platform Tests. So url-py answers for plain http
and https links, which is nearly all a crawler meets, and ada for everything else and whenever url-py
refuses.
"""

import codecs
import re
from functools import lru_cache
from typing import NamedTuple

import ada_url
import url as url_py

# --- Queries in the encoding of their document.
#
# Links in a page of 1998 in ISO-8859-1 lead to `?q=%E9t%E9`, not to `?q=%C3%A9t%C3%A9`: a browser
# percent-encodes the query of a URL in the encoding of the document (URL Standard, query state; host and path
# are always UTF-8). Neither parser knows this, so the query is encoded here before they see it.


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


# --- URLs as browsers understand them: https://url.spec.whatwg.org/.


_drive_letter = re.compile(r"[/\\][A-Za-z]:").search
_FAST_SCHEMES = ("http://", "https://")

# The parts of a serialised URL. It is normal already, so this cannot fail: an `@`, `/`, `?` or `#` that is
# not a delimiter has been percent-encoded by the parser.
_split = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*):"
    r"(?://(?:(?P<username>[^/?#:@]*)(?::(?P<password>[^/?#@]*))?@)?"
    r"(?P<host>\[[^]]*\]|[^:/?#]*)(?::(?P<port>[0-9]+))?)?"
    r"(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?(?:#(?P<fragment>.*))?",
    re.DOTALL,
).fullmatch

_REASONS: dict[type[url_py.URLError], str] = {
    url_py.EmptyHost: "it names no host",
    url_py.IdnaError: "its host name is not a valid domain name",
    url_py.InvalidDomainCharacter: "its host name holds a character that no host name may hold",
    url_py.InvalidIPv4Address: "its host looks like an IPv4 address and is none",
    url_py.InvalidIPv6Address: "its host looks like an IPv6 address and is none",
    url_py.InvalidPort: "its port is not a number from 0 to 65535",
    url_py.RelativeURLWithoutBase: "it is relative: it has no scheme such as https:",
    url_py.RelativeURLWithCannotBeABaseBase: "it is relative, and its base cannot be a base",
}


class InvalidUrl(ValueError):  # noqa: N818  (reads as what happened)
    """The standard says failure: no browser would follow this."""

    def __init__(self, url: str, reason: str) -> None:
        self.url = url
        self.reason = reason
        super().__init__(f"{url!r} is not a URL: {reason}")


class Url(NamedTuple):
    """A parsed URL; what is absent is None, what is present and empty is an empty string."""

    href: str  # the normal form of the whole
    scheme: str  # small letters, without the colon
    username: str
    password: str
    host: str | None  # small letters, international names in punycode, IPv6 in brackets
    port: int | None  # None where it is the default of the scheme
    path: str
    query: str | None
    fragment: str | None

    def __str__(self) -> str:
        return self.href


def parse(text: str, encoding: str = "utf-8") -> Url:
    """Parse an absolute URL; raises `InvalidUrl`. `encoding` is that of the document it stands in."""
    return _parts(normal(text, encoding))


def normal(text: str, encoding: str = "utf-8") -> str:
    """The URL as a browser would write it; raises `InvalidUrl`."""
    if encoding != "utf-8" or not text.isascii():
        text = encode_query(_scalar(text), encoding)
    reason = ""
    if not _only_ada(text, len("https:")):
        try:
            href = str(url_py.URL.parse(text))
        except url_py.URLError as error:
            reason = _reason(error)
        else:
            if href.startswith(_FAST_SCHEMES):
                return href
    try:
        return ada_url.normalize_url(text)
    except ValueError:
        raise InvalidUrl(text, reason or _reason_for(text)) from None


def resolve(base: str, reference: str, encoding: str = "utf-8") -> str:
    """The URL to which `reference`, found in a document at `base`, leads; raises `InvalidUrl`.

    `encoding` is the document's: a browser percent-encodes the query of a link in it.
    """
    if encoding != "utf-8" or not reference.isascii():
        reference = encode_query(_scalar(reference), encoding, base)
    parsed_base = _fast_base(base)
    if parsed_base is not None and not _only_ada(reference):
        try:
            href = str(parsed_base.join(reference))
        except url_py.URLError:
            pass  # it refuses some that it should not: ada decides
        else:
            if href.startswith(_FAST_SCHEMES):
                return href
    try:
        return ada_url.join_url(_scalar(base), reference)
    except ValueError:
        raise InvalidUrl(reference, _reason_for(reference, base)) from None


def _only_ada(text: str, behind: int = 0) -> bool:
    """Whether url-py may stray from the standard; a colon before that place is the scheme's.

    `^` in a path is now percent-encoded (path percent-encode set), and a segment that looks like a Windows
    drive letter may be shortened away in any scheme but file. Tabs and line ends are removed by the parser
    first, and could hide either. (One pattern for all of them takes as long as the parser.)
    """
    return (
        "^" in text
        or "|" in text
        or "\t" in text
        or "\n" in text
        or "\r" in text
        or (text.find(":", behind) >= 0 and _drive_letter(text) is not None)
    )


@lru_cache(maxsize=256)  # a page is the base of all its links
def _fast_base(base: str) -> url_py.URL | None:
    """The base as url-py has it, if url-py can be trusted with it."""
    try:
        parsed = url_py.URL.parse(normal(base))
    except (InvalidUrl, url_py.URLError):
        return None
    if parsed.scheme not in ("http", "https") or _only_ada(parsed.path):
        return None
    return parsed


def _parts(href: str) -> Url:
    found = _split(href)
    assert found is not None, href
    scheme, username, password, host, port, path, query, fragment = found.groups()
    if host is None and path.startswith("/.//"):
        # URL serializing: "/." keeps a path that begins with two slashes from reading as a host.
        path = path[2:]
    number = int(port) if port else None
    return Url(href, scheme, username or "", password or "", host, number, path, query, fragment)


def _scalar(text: str) -> str:
    """Web IDL, USVString: a surrogate without its other half becomes U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _reason(error: url_py.URLError) -> str:
    return _REASONS.get(type(error), "it cannot be parsed")


def _reason_for(reference: str, base: str | None = None) -> str:
    """Why ada refused, in url-py's words: ada gives none."""
    try:
        if base is None:
            url_py.URL.parse(reference)
        else:
            url_py.URL.parse(_scalar(base)).join(reference)
    except url_py.URLError as error:
        return _reason(error)
    return "it cannot be parsed"
