"""HTML pages, and what is written like them: XHTML, SVG, MathML.

One pass over the tokens of a page, without a tree: an address counts wherever a start tag holds it, nesting
costs nothing, and the order is that of the page. docs/decisions/link-extraction.md has the figures.
"""

import re
from collections.abc import Callable, Iterable

from turbohtml import Token, TokenType, tokenize

from armarium.formats.url import InvalidUrl, resolve
from armarium.harvest.extract.addresses import is_absolute, is_address, is_page
from armarium.harvest.extract.attributes import (
    ANY,
    ATTRIBUTES,
    LOADING,
    PLAIN,
    QUIET,
    Way,
    hop_of_meta,
    hop_of_relation,
    plain_of,
    srcset_urls,
)
from armarium.harvest.extract.css import css_urls
from armarium.harvest.extract.findings import Findings
from armarium.harvest.extract.headers import refresh_url
from armarium.harvest.extract.javascript import script_addresses
from armarium.harvest.extract.json_document import (
    import_map,
    json_references,
    linked_data,
    speculation_rules,
)
from armarium.harvest.model import Hop

Attributes = list[tuple[str, str]]

_MAX_DEPTH = 3  # a page inside noscript inside srcdoc …
_START = TokenType.START_TAG
_COMMENT = TokenType.COMMENT
# Elements whose content is text to a tokenizer, and more than text to a crawler.
_RAW = frozenset(("script", "style", "noscript", "noframes", "noembed"))
_ENDING = _RAW | {"form"}  # elements of which the end matters
_SCRIPTS = frozenset(("", "module", "text/javascript", "application/javascript", "application/x-javascript",
                      "text/ecmascript", "application/ecmascript", "text/jscript"))  # fmt: skip
_DATA = frozenset(("application/json", "text/json"))
_ADDRESS_PARAMETERS = frozenset(("movie", "src", "filename", "url", "data", "file", "image", "href"))
_conditional = re.compile(r"\[if\b[^\]]*+\]>(.*)<!\[endif\]", re.DOTALL).match
_space_or_comma = re.compile(r"[\s,]+").split


class Page:
    """Reads one page into findings."""

    def __init__(self, findings: Findings, *, javascript: bool, follow_nofollow: bool) -> None:
        self._findings = findings
        self._javascript = javascript
        self._follow_nofollow = follow_nofollow
        self._special = _SPECIAL if follow_nofollow else _SPECIAL | _UNLESS_NOFOLLOW
        self.links_count = True  # False: the page asked that its links be not followed
        self._based = False
        self._form = ""  # the action of a form that has no field so far
        self.bound = False  # whether something was, or counts from, the base of the page

    @property
    def depends_on_page(self) -> bool:
        """Whether what was read so far would mean something else on another page, or what follows would."""
        return self.bound or bool(self._form)

    def read(self, text: str, depth: int = 0) -> None:
        """Take in a page, or a part of one."""
        self.take(tokenize(text), depth, comments=depth < _MAX_DEPTH and "[if" in text)

    def take(self, tokens: Iterable[Token], depth: int = 0, *, comments: bool = True) -> None:
        """Take in what the tokenizer gives; `comments`: whether one of them may be for a certain browser."""
        raw = ""
        raw_attributes: Attributes = []
        element = self.element
        for token in tokens:
            attributes = token.attrs
            if attributes:
                # Most elements have a class and nothing else.
                if len(attributes) > 1 or attributes[0][0] != "class":
                    element(token.tag or "", attributes, depth)
            elif attributes is None:  # no tag
                if raw:
                    self._raw_text(raw, raw_attributes, token.data or "", depth)
                elif comments and token.type is _COMMENT:
                    self._comment(token.data or "", depth)
                continue
            if (tag := token.tag) in _ENDING:
                begins = token.type is _START
                if tag == "form":
                    self._form_ends(begins=begins)
                else:
                    raw = tag if begins and tag is not None else ""
                    raw_attributes = attributes

    def element(self, tag: str, attributes: Attributes, depth: int = 0) -> None:
        """Take in a start tag."""
        special = self._special.get(tag)
        if special is not None and not special(self, tag, dict(attributes)):
            return
        plain = PLAIN.get(tag) or plain_of(tag)
        take = self._findings.add if self.links_count else self.add
        for name, value in attributes:
            if (known := plain.get(name)) is not None:
                hop, context = known
                if not take(value, hop, context):
                    self.add(value, hop, context)
            elif name not in QUIET:
                self._attribute(tag, name, value, depth)

    def add(self, reference: str, hop: Hop, context: str) -> bool:
        """Take an address where one belongs, or the script that stands in its place."""
        if hop is Hop.LINK and not self.links_count:
            return True
        if not self._findings.add(reference, hop, context) and reference[:11].lower() == "javascript:":
            self._script(reference[11:], context)
        return True

    def _attribute(self, tag: str, name: str, value: str, depth: int) -> None:
        rule = ATTRIBUTES.get(tag, ANY).get(name)
        if rule is None:
            self._unknown(tag, name, value)
            return
        context = f"{tag}/@{name}"
        way = rule.way
        if way is Way.SRCSET or way is Way.LAZY_SRCSET:
            for url in srcset_urls(value):
                if way is Way.SRCSET or tag in LOADING or is_address(url):
                    self.add(url, rule.hop, context)
        elif way is Way.STYLE:
            self._style(value, context)
        elif way is Way.LAZY:
            if "url(" in value:
                self._style(value, context)
            elif (tag in LOADING and " " not in value.strip()) or is_address(value.strip()):
                self.add(value, rule.hop, context)
        elif way is Way.GUESS:
            # The bare name of a page is an address in a menu to jump by; elsewhere it may be only a name.
            certain = tag == "option" or "/" in value or not is_page(value.strip())
            if is_address(value.strip(), certain=certain):
                self.add(value, rule.hop, context)
        elif way is Way.PAGE and depth < _MAX_DEPTH:
            self.read(value, depth + 1)

    def _unknown(self, tag: str, name: str, value: str) -> None:
        """Attributes that no table names: handlers of events, data for scripts, paint in SVG."""
        if name.startswith("on"):
            self._script(value, f"{tag}/@{name}")
        elif name.startswith("data-"):
            if value.startswith("http") and is_absolute(value):
                self.add(value, Hop.SPECULATIVE, f"{tag}/@{name}")
        elif "url(" in value:
            self._style(value, f"{tag}/@{name}")

    def _style(self, css: str, context: str) -> None:
        for url in css_urls(css):
            self._findings.add(url, Hop.EMBED, context)

    def _script(self, script: str, context: str) -> None:
        if self._javascript:
            for guess in script_addresses(script):
                self._findings.add(guess.reference, Hop.SPECULATIVE, context)

    def _raw_text(self, tag: str, attributes: Attributes, text: str, depth: int) -> None:
        if tag == "style":
            self._style(text, "style/css")
        elif tag == "script":
            self._script_element(dict(attributes), text)
        elif depth < _MAX_DEPTH:
            self.read(text, depth + 1)

    def _script_element(self, attributes: dict[str, str], text: str) -> None:
        kind = attributes.get("type", "").partition(";")[0].strip().lower()
        if kind == "application/ld+json":
            for url, hop in linked_data(text):
                self.add(url, hop, "=JSON_LD")
        elif kind == "importmap":
            for url in import_map(text):
                self.add(url, Hop.EMBED, "script/importmap")
        elif kind == "speculationrules":
            for url in speculation_rules(text):
                self.add(url, Hop.LINK, "script/speculationrules")
        elif not self._javascript:
            return
        elif kind in _SCRIPTS and "vbscript" not in attributes.get("language", "").lower():
            self._script(text, "=JS_STRING")
        elif kind in _DATA:
            for url in json_references(text):
                self._findings.add(url, Hop.SPECULATIVE, "=JSON_STRING")

    def _comment(self, comment: str, depth: int) -> None:
        """What is commented out is not there, except to Internet Explorer, for which much was written."""
        found = _conditional(comment)
        if found is not None:
            self.read(found[1], depth + 1)

    # Elements of which one attribute says what another means. They return whether the others count too.

    def _link(self, _: str, values: dict[str, str]) -> bool:
        hop = hop_of_relation(values.get("rel", ""))
        if hop is not None:
            self.add(values.get("href", ""), hop, "link/@href")
            for url in srcset_urls(values.get("imagesrcset", "")):
                self.add(url, hop, "link/@imagesrcset")
        return False

    def _meta(self, _: str, values: dict[str, str]) -> bool:
        content = values.get("content", "")
        if values.get("http-equiv", "").strip().lower() == "refresh":
            self.add(refresh_url(content), Hop.REDIRECT, "meta/@content")
            return False
        name = values.get("property") or values.get("name") or values.get("itemprop") or ""
        if name.lower() == "robots" and not self._follow_nofollow:
            words = content.lower().replace(",", " ").split()
            self.links_count = self.links_count and "nofollow" not in words and "none" not in words
        hop = hop_of_meta(name.strip())
        if hop is not None and is_address(content.strip(), certain=True):
            self.add(content, hop, "meta/@content")
        return False

    def _base(self, _: str, values: dict[str, str]) -> bool:
        href = values.get("href")
        if href is not None and not self._based:
            # HTML Standard, 4.2.3: the first one counts, and only if it leads to the web.
            self._based = self.bound = True
            try:
                base = resolve(self._findings.base, href.strip(), self._findings.encoding)
            except InvalidUrl:
                return False
            if base.startswith(("http:", "https:")):
                self._findings.base = base
        return False

    def _anchor(self, _: str, values: dict[str, str]) -> bool:
        return "nofollow" not in values.get("rel", "").lower().split()

    def _plugin(self, tag: str, values: dict[str, str]) -> bool:
        """HTML 4.01, 13.3 and 13.4: `codebase` is the base of what an object or an applet is made of."""
        base = values.get("codebase", "").strip()
        archives = _space_or_comma(values.get("archive", "").strip())
        code = values.get("code", "").strip() if tag == "applet" and not archives[0] else ""
        if code and not code.endswith(".class"):
            code = code.replace(".", "/") + ".class"
        parts = [(name, values.get(name, "")) for name in ("data", "object", "classid")]
        parts += [("code", code), *(("archive", archive) for archive in archives)]
        for name, value in parts:
            if value.strip():
                self.add(self._joined(base, value.strip()), Hop.EMBED, f"{tag}/@{name}")
        if ".cab" in base.lower():  # what Internet Explorer installed for a class it did not know
            self.add(base, Hop.EMBED, f"{tag}/@codebase")
        return True

    def _joined(self, codebase: str, reference: str) -> str:
        if not codebase:
            return reference
        self.bound = True
        try:
            return resolve(resolve(self._findings.base, codebase), reference)
        except InvalidUrl:
            return ""

    def _param(self, _: str, values: dict[str, str]) -> bool:
        if values.get("name", "").lower() in _ADDRESS_PARAMETERS:
            value = values.get("value", "").strip()
            if is_address(value, certain=True):
                self.add(value, Hop.EMBED, "param/@value")
        return False

    def _form_begins(self, _: str, values: dict[str, str]) -> bool:
        """Forms are not submitted. One that has nothing to fill in is a link in the shape of a button."""
        action = values.get("action", "").strip()
        self._form = action if values.get("method", "get").lower() == "get" and is_address(action) else ""
        return True

    def _form_ends(self, *, begins: bool) -> None:
        if self._form and not begins:
            self._findings.add(self._form, Hop.LINK, "form/@action")
            self._form = ""

    def _field(self, _: str, values: dict[str, str]) -> bool:
        if self._form and values.get("name"):
            self._form = ""
        return True


_SPECIAL: dict[str, Callable[[Page, str, dict[str, str]], bool]] = {
    "link": Page._link,
    "meta": Page._meta,
    "base": Page._base,
    "object": Page._plugin,
    "applet": Page._plugin,
    "param": Page._param,
    "form": Page._form_begins,
    "input": Page._field,
    "select": Page._field,
    "textarea": Page._field,
    "button": Page._field,
}
_UNLESS_NOFOLLOW = {"a": Page._anchor, "area": Page._anchor}
