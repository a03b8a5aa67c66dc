"""The form of a page by which people log in: where it goes, and what a browser would send with it.

Comes in: the page, its address, and what a curator entered for fields of the form.
Goes out: the form filled in, with the hidden fields and tokens that the page holds.

It never raises for what a page says. The page is hostile: where a form may be sent is the caller's to decide.
"""

import codecs
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from turbohtml import Token, TokenType, tokenize

from armarium.formats.text import Kind, decode
from armarium.formats.url import InvalidUrl, resolve

Attributes = Mapping[str, str | None]

MOST_FIELDS = 1000
# Fields that a browser sends only when they are pressed or ticked.
PRESSED = frozenset(("submit", "image", "button", "reset", "file"))
TICKED = frozenset(("checkbox", "radio"))
# What Python calls otherwise.
CODECS = {"iso-8859-8-i": "iso-8859-8", "windows-874": "cp874", "x-mac-cyrillic": "mac-cyrillic"}


@dataclass
class LoginForm:
    action: str
    fields: list[tuple[str, str]] = field(default_factory=list)  # in the order of the page
    encoding: str = "utf-8"
    has_password: bool = False
    button: tuple[str, str] | None = None  # the first one: what Enter would press

    def filled(self, given: Mapping[str, str]) -> bytes:
        """What is sent: the fields of the page, those given in their place, and then the button."""
        sent = [(name, given.get(name, value)) for name, value in self.fields]
        known = {name for name, _ in sent}
        sent += [(name, value) for name, value in given.items() if name not in known]
        if self.button and self.button[0] not in known | given.keys():
            sent.append(self.button)
        return urlencode(sent, encoding=self.encoding, errors="xmlcharrefreplace").encode()


def login_form(page: bytes, charset: str | None, url: str, given: Mapping[str, str]) -> LoginForm | None:
    """The form that has most of the given fields, one for a password before others; None: none has any."""
    decoded = decode(page, declared_charset=charset, kind=Kind.HTML)
    best: LoginForm | None = None
    best_fit = (0, False)
    for form in _forms(decoded.text, url):
        names = {name for name, _ in form.fields}
        fit = (len(names & given.keys()), form.has_password)
        if fit > best_fit and fit[0]:
            best, best_fit = form, fit
    if best:
        best.encoding = _output_encoding(decoded.encoding)
    return best


def _output_encoding(encoding: str) -> str:
    """In which a browser sends a form of such a page: UTF-8, where a text in the encoding has no form."""
    codec = CODECS.get(encoding, encoding)
    try:
        codecs.lookup(codec)
    except LookupError:
        return "utf-8"
    return "utf-8" if codec.startswith(("utf-16", "utf-32")) else codec


def _forms(text: str, url: str) -> Iterator[LoginForm]:
    """Those that send what is typed in the body of a request; others would put it into an address."""
    base, form, reader = url, None, None
    for token in tokenize(text):
        if token.tag == "form":
            if form is not None:
                yield form
            form = _opened(dict(token.attrs or ()), base, url) if token.type is TokenType.START_TAG else None
            reader = _Fields(form) if form is not None else None
        elif reader is not None and form is not None and len(form.fields) < MOST_FIELDS:
            reader.take(token)
        elif token.tag == "base" and token.type is TokenType.START_TAG:
            base = _resolved(url, dict(token.attrs or ()).get("href") or "") or base
    if form is not None:
        yield form


def _opened(attributes: Attributes, base: str, url: str) -> LoginForm | None:
    if (attributes.get("method") or "get").strip().lower() != "post":
        return None
    written = (attributes.get("action") or "").strip()
    action = _resolved(base, written) if written else url
    return LoginForm(action) if action else None


def _resolved(base: str, reference: str) -> str:
    try:
        return resolve(base, reference.strip()) if reference.strip() else ""
    except InvalidUrl:
        return ""


class _Fields:
    """Reads the fields of one form."""

    def __init__(self, form: LoginForm) -> None:
        self._form = form
        self._sent = form.fields
        self._select = ""  # the one that is open, by name, of which an option was not seen yet
        self._chosen = ""  # likewise, once one was
        self._long = ""  # the textarea that is open

    def take(self, token: Token) -> None:
        if token.type is TokenType.TEXT and self._long:
            self._sent[-1] = (self._long, self._sent[-1][1] + (token.data or ""))
        elif token.type is TokenType.END_TAG:
            if token.tag == "select":
                self._select = self._chosen = ""
            elif token.tag == "textarea":
                self._long = ""
        elif token.type is TokenType.START_TAG and "disabled" not in (attributes := dict(token.attrs or ())):
            self._begun(token.tag or "", attributes, attributes.get("name") or "")

    def _begun(self, tag: str, attributes: Attributes, name: str) -> None:
        if tag == "option":
            self._option(attributes)
        elif tag == "select":
            self._select = name
        elif tag == "textarea" and name:
            self._long = name
            self._sent.append((name, ""))
        elif tag in ("input", "button") and name:
            kind = (attributes.get("type") or ("submit" if tag == "button" else "text")).strip().lower()
            self._input(kind, name, attributes)

    def _option(self, attributes: Attributes) -> None:
        """Of a list the one that is selected, or else the first."""
        value = attributes.get("value") or ""
        if self._select:
            self._sent.append((self._select, value))
            self._select, self._chosen = "", self._select
        elif self._chosen and "selected" in attributes:
            self._sent[-1] = (self._chosen, value)

    def _input(self, kind: str, name: str, attributes: Attributes) -> None:
        value = attributes.get("value") or ""
        if kind == "submit" and self._form.button is None:
            self._form.button = (name, value)
        elif kind in TICKED:
            if "checked" in attributes:
                self._sent.append((name, value or "on"))
        elif kind not in PRESSED:
            self._sent.append((name, value))
            self._form.has_password |= kind == "password"
