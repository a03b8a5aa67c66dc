"""The canonical form: two URLs with the same one lead to the same resource, by the standards, not by guess.

It decides whether a URL was already seen, so it must never make one of two pages. Only equivalences that hold
for every server are applied:

  what the URL parser does (URL Standard): small letters in scheme and host, international names in punycode,
    default port dropped, an empty path made `/`, dot segments resolved, also escaped ones, forbidden
    characters percent-encoded in the document's encoding;
  the fragment is dropped: it is never sent (RFC 9110, 7.1);
  percent-encoding is made uniform: capital letters (RFC 3986, 6.2.2.1), and unreserved characters decoded
    (RFC 3986, 6.2.2.2), unless that would make a new escape.

Not done, because some server answers differently: sorting or dropping query parameters, dropping an empty
query, an index page, a last slash, a doubled slash, `www`, a dot after the host, user and password, session
ids; changing the case of the path; decoding or encoding reserved characters; https for http.
"""

import re

from armarium.formats.url.whatwg import normal

# --- Percent-encoding: undone to the last layer as the Wayback convention wants it, or only made uniform.


_HEX = "0123456789abcdefABCDEF"
_BYTE_OF = {high + low: int(high + low, 16) for high in _HEX for low in _HEX}

# RFC 3986, 2.3: escaped or not, these mean the same; everything else may change its meaning.
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_DECODED = {hexes: chr(byte) for hexes, byte in _BYTE_OF.items() if chr(byte) in _UNRESERVED}

# The Wayback convention escapes what is not printable ASCII, the space, `#` and `%`.
_BARE = frozenset(chr(byte) for byte in range(0x21, 0x7F)) - frozenset("#%")
_UNSAFE = re.compile(r"[\0-\x20#%\x7f-\xff]")
_UNSAFE_BUT_PERCENT = re.compile(r"[\0-\x20#\x7f-\xff]")
_LOWER_ESCAPES = {chr(byte): f"%{byte:02x}" for byte in range(256)}

_KEYED = {f"%{hexes}": chr(byte).lower() for hexes, byte in _BYTE_OF.items() if chr(byte) in _BARE}
_escape = re.compile(r"%([0-9A-Fa-f]{2})")
# In small letters: what a key does not escape, and what needs the thorough way.
_bare = re.compile(r"%(?:2[124-9a-f]|[3-6][0-9a-f]|7[0-9a-e])")
_layered = re.compile(r"%(?![0-9a-f]{2})|%25")


def uniform(text: str) -> str:
    """Escapes in capital letters, unreserved characters decoded (RFC 3986, 6.2.2.1 and 6.2.2.2)."""
    return _escape.sub(_made_uniform, text) if "%" in text else text


def _made_uniform(found: re.Match[str]) -> str:
    decoded = _DECODED.get(found[1])
    if decoded is None:
        return found[0].upper()
    # `%%34%31` is a stray percent sign and two digits. Decoded, it would read as the escape `%41`.
    start = found.start()
    if decoded in _HEX and "%" in found.string[max(0, start - 2) : start]:
        return found[0].upper()
    return decoded


def keyed(text: str) -> str:
    """Unescaped until nothing is left to unescape, escaped once, in small letters: as keys of an index are.

    Characters beyond ASCII count as their bytes in UTF-8.
    """
    if not text.isascii() or _UNSAFE_BUT_PERCENT.search(text):
        text = _UNSAFE_BUT_PERCENT.sub(lambda found: _LOWER_ESCAPES[found[0]], as_bytes(text))
    small = text.lower()
    if "%" not in small:
        return small
    if _layered.search(small):
        return escaped(unescaped(text))
    return _bare.sub(_key_of, small)


def _key_of(found: re.Match[str]) -> str:
    return _KEYED[found[0]]


def escaped(text: str) -> str:
    """Escape once, in small letters; the text holds one character per byte."""
    return _UNSAFE.sub(lambda found: _LOWER_ESCAPES[found[0]], _lower(text))


def _lower(text: str) -> str:
    return text.lower() if text.isascii() else text.encode("latin-1").lower().decode("latin-1")


def as_bytes(text: str) -> str:
    """One character per byte of the UTF-8 form. Bytes that were not UTF-8 (surrogate escapes) come back."""
    if text.isascii():
        return text
    try:
        encoded = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        encoded = text.encode("utf-8", "surrogatepass")
    return encoded.decode("latin-1")


def unescaped(text: str) -> str:
    """Unescape until nothing is left to unescape; one character per byte.

    Layer after layer would take a time that grows with the square of the length (`%25252525…`). No two
    escapes overlap, so their order does not matter, and one pass over a stack gives the same answer.
    """
    text = as_bytes(text)
    once = _escape.sub(lambda found: chr(_BYTE_OF[found[1]]), text)
    if not _escape.search(once):
        return once
    stack: list[str] = []
    for letter in once:
        stack.append(letter)
        while (
            len(stack) > 2 and stack[-3] == "%" and (byte := _BYTE_OF.get(stack[-2] + stack[-1])) is not None
        ):
            stack[-3:] = chr(byte)
    return "".join(stack)


# --- The form itself.


def canonical(url: str, *, keep_fragment: bool = False) -> str:
    """The form by which a URL is known as seen; raises `InvalidUrl`.

    `keep_fragment` is for pages whose scripts show another page at each fragment, when a browser harvests.
    """
    href = normal(url)
    if not keep_fragment:
        href = href.partition("#")[0]
    made_uniform = uniform(href)
    if made_uniform is not href and made_uniform.startswith("file:"):
        return normal(made_uniform)  # `%43|` has become a drive letter, and the parser writes that `C:`
    return made_uniform
