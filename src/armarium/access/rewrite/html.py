"""Pages: read tag by tag as a browser does, and changed only where an address, a style or a script stands.

The page is text in which each byte is one character. What comes out is what came in, byte for byte, but for
the insert and for what was rewritten; no tag is written anew.
"""

import re
from collections.abc import Callable

from armarium.access.rewrite.attributes import RAW_TEXT, escape_attribute, unescape_attribute
from armarium.access.rewrite.css import rewrite_css
from armarium.access.rewrite.links import Links
from armarium.access.rewrite.stream import LONGEST, Copy
from armarium.access.rewrite.tags import TagRewriter
from armarium.access.rewrite.tokens import DULL, TAG, Foreign, is_self_closing, markup_end, raw_end

# An unfinished tag of this size is looked at again only when it has doubled, or the page ends.
_PATIENCE = 4096
# The longest beginning of a token by which it can be told apart: `<![CDATA[`.
_LOOK_AHEAD = 9
_NESTED_DOCUMENTS = 3

Insert = Callable[[str], bytes] | bytes


class HtmlRewriter:
    """`head_insert` may be made when it is needed: it is then given the address of the page."""

    def __init__(
        self,
        links: Links,
        *,
        charset: str | None = None,
        head_insert: Insert = b"",
        url_rewriting: bool = True,
        xml: bool = False,
        depth: int = 0,
    ) -> None:
        self._insert = head_insert
        self._inserted = False
        self._at_root = True  # no tag has come yet
        self._rewriting = url_rewriting
        self._xml = xml
        self._depth = depth
        self._charset = charset or "utf-8"
        self._tags = TagRewriter(links, self._charset, self._document if depth < _NESTED_DOCUMENTS else None)
        self._foreign = Foreign()
        self._in_noscript = False
        self._pieces: list[str] = []
        self._size = 0
        self._patience = 0
        self._passing = False  # nothing more will be rewritten

    def feed(self, data: bytes) -> bytes:
        if self._passing:
            return data
        self._pieces.append(data.decode("latin-1"))
        self._size += len(data)
        return b"" if self._size < self._patience else self._advanced(final=False)

    def close(self) -> bytes:
        return b"" if self._passing and not self._pieces else self._advanced(final=True)

    def rewritten(self, text: str) -> str:
        """All of a page at once."""
        copy = Copy(text)
        self._run(copy, final=True)
        if not self._xml:
            self._insert_before(copy, len(text))
        return copy.up_to(len(text))

    def _advanced(self, *, final: bool) -> bytes:
        text = "".join(self._pieces)
        copy = Copy(text)
        at = self._run(copy, final=final)
        if not final and len(text) - at > LONGEST:
            self._passing = True
        if final or self._passing:
            if (at < len(text) or final) and not self._xml:
                self._insert_before(copy, at)
            at = len(text)
        rest = text[at:]
        self._pieces, self._size = [rest] if rest else [], len(rest)
        self._patience = 2 * len(rest) if len(rest) > _PATIENCE else 0
        return copy.up_to(at).encode("latin-1", "xmlcharrefreplace")

    # --- the loop

    def _run(self, copy: Copy, *, final: bool) -> int:
        """Rewrite as far as tokens are complete; the place from which on they are not."""
        text, at = copy.text, 0
        end = len(text)
        while at < end:
            if self._inserted and not self._foreign.stack and self._rewriting:
                dull = DULL.match(text, at)
                at = dull.end() if dull else at
            elif text[at] != "<":
                at = self._text(copy, at)
            if at >= end or text[at] != "<":
                continue
            found = TAG.match(text, at)
            if found is None:
                behind = self._other_markup(text, at, final)
            elif found[1]:
                self._foreign.end(found[2].lower())
                behind = found.end()
            else:
                behind = self._start_tag(found, copy, final)
            if behind < 0:
                return at
            at = behind
            if self._passing:
                return end
        return at

    def _text(self, copy: Copy, at: int) -> int:
        """Text up to the next tag; a style sheet in SVG is such text."""
        end = copy.text.find("<", at)
        if end < 0:
            end = len(copy.text)
        if self._rewriting and self._foreign.in_style:
            self._replace(copy, at, end, self._tags.style)
        return end

    def _other_markup(self, text: str, at: int, final: bool) -> int:
        """Behind a `<` that begins no complete tag; -1 where the rest must be awaited."""
        if not final and len(text) - at < _LOOK_AHEAD:
            return -1
        following = text[at + 1 : at + 2]
        if following == "/" and text[at + 2 : at + 3] == ">":
            return at + 3
        if following in ("!", "?") or (following == "/" and not _is_letter(text[at + 2 : at + 3])):
            end = markup_end(text, at, self._foreign.inside or self._xml)
        elif following == "/" or _is_letter(following):
            end = -1
        else:
            return at + 1
        return len(text) if end < 0 and final else end

    def _start_tag(self, found: re.Match[str], copy: Copy, final: bool) -> int:
        name = found[2].lower()
        text, start, end = copy.text, found.start(), found.end()
        raw = name in RAW_TEXT and self._holds_text(name, found[3])
        closing = raw_end(text, end, name) if raw else end
        if closing < 0:
            if not final:
                return -1
            closing = len(text)
        if name not in ("html", "head") and not (self._xml and self._at_root):
            self._insert_before(copy, start)
        foreign = self._foreign.start(name, found[3])
        if self._rewriting and found[3]:
            self._tags.rewrite(name, copy, found.start(3), found.end(3), foreign=foreign)
        if name == "head" or (self._xml and self._at_root and name != "html"):
            self._insert_before(copy, end)  # XML has one root, and nothing may stand before it
        self._at_root = False
        if raw and self._rewriting:
            self._content(name, found[3], copy, end, closing)
        if name == "plaintext" and not self._foreign.inside and not self._in_noscript:
            self._passing = True
        return closing

    def _holds_text(self, name: str, attributes: str) -> bool:
        if self._foreign.inside or (self._xml and is_self_closing(attributes)):
            return False
        return name != "noscript" or not self._in_noscript

    def _content(self, name: str, attributes: str, copy: Copy, start: int, end: int) -> None:
        if name == "script":
            self._replace(copy, start, end, lambda text: self._tags.script(text, attributes))
        elif name == "style":
            self._replace(copy, start, end, self._tags.style)
        elif name == "noscript":
            self._replace(copy, start, end, self._fragment)

    def _replace(self, copy: Copy, start: int, end: int, rewrite: Callable[[str], str]) -> None:
        old = copy.text[start:end]
        new = rewrite(old) if old else old
        if new != old:
            copy.replace(start, end, new)

    def _fragment(self, text: str) -> str:
        """Markup for readers without scripts; with them, it is text up to the first `</noscript`."""
        foreign, self._foreign, self._in_noscript = self._foreign, Foreign(), True
        copy = Copy(text)
        self._run(copy, final=True)
        self._foreign, self._in_noscript = foreign, False
        return copy.up_to(len(text))

    def _document(self, text: str) -> str:
        """The page in a `srcdoc`."""
        inner = HtmlRewriter(
            self._tags.links,
            charset=self._charset,
            head_insert=self._insert,
            depth=self._depth + 1,
        )
        return inner.rewritten(text)

    def _insert_before(self, copy: Copy, at: int) -> None:
        if self._inserted:
            return
        self._inserted = True
        insert = self._insert(self._tags.links.url) if callable(self._insert) else self._insert
        if insert:
            copy.replace(at, at, insert.decode("ascii"))


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalpha()


# XML that a browser shows itself: SVG and XHTML, and the style sheets that any document names.
# Feeds and data are left alone: their readers are scripts and programs that want them as they were.


_STYLE_SHEET = re.compile(r"(<\?xml-stylesheet\b[^<>]*?\bhref\s*=\s*)(\"[^\"]*\"|'[^']*')")
# No quote in a name: then no text makes each of many beginnings look for its end behind all the others.
_TAG = re.compile(r"<([A-Za-z_][^\s/<>\"']*+)((?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+)>")
_ATTRIBUTE = re.compile(
    r"(\s)((?:xlink:)?href|src|style|xml:base|data|action|poster)(\s*=\s*)(\"[^\"]*\"|'[^']*')"
)
_STYLE = re.compile(
    r"(<(?:svg:)?style\b[^<>]*+>)((?:[^<]++|<(?!/?(?:svg:)?style\b))*+)(</(?:svg:)?style\s*>)"
)
_SVG = re.compile(r"<(?:svg:)?svg[\s>]|http://www\.w3\.org/(?:2000/svg|1999/xhtml)")
_MODS = {"image": "im_", "script": "js_", "iframe": "if_", "use": "im_"}


def rewrite_xml(text: str, links: Links) -> str:
    text = _STYLE_SHEET.sub(lambda found: found[1] + _quoted(found[2], links, "cs_"), text)
    if not _SVG.search(text[:65536]):
        return text
    text = _TAG.sub(lambda found: _tag(found, links), text)
    return _STYLE.sub(lambda found: found[1] + rewrite_css(found[2], links) + found[3], text)


def _tag(found: re.Match[str], links: Links) -> str:
    links.work_on()
    name = found[1].rpartition(":")[2].lower()
    mod = _MODS.get(name)

    def attribute(each: re.Match[str]) -> str:
        if each[2] == "style":
            quote, inner = each[4][0], unescape_attribute(each[4][1:-1])
            rewritten = rewrite_css(inner, links)
            return (
                each[0]
                if rewritten == inner
                else f"{each[1]}style{each[3]}{quote}{escape_attribute(rewritten)}{quote}"
            )
        return each[1] + each[2] + each[3] + _quoted(each[4], links, mod)

    return f"<{found[1]}{_ATTRIBUTE.sub(attribute, found[2])}>" if "=" in found[2] else found[0]


def _quoted(written: str, links: Links, mod: str | None) -> str:
    quote, inner = written[0], written[1:-1]
    plain = unescape_attribute(inner)
    archived = links.archived(plain, mod)
    return written if archived == plain else f"{quote}{escape_attribute(archived)}{quote}"
