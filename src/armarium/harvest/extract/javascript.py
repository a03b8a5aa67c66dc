"""Scripts: addresses guessed from their strings.

A script says nowhere that a string is an address, so this is speculation (hop X), and most strings with a
slash are none. An absolute address is taken unless where it stands speaks against it; a path must end like a
file or stand where an address belongs (`src:`, `fetch(`); a piece that is put together with something that
only the running script knows is never taken.

An address counts from the page that runs the script, or from the script itself: where it names a module
(`import("./x.js")`, `new URL("x.wasm", import.meta.url)`), is given to `importScripts`, or begins with the
folder in which the script lies (`assets/x.js` in /shop/assets/index.js is /shop/assets/x.js). Of a script
that another script has named, no page is known: its addresses count from itself.
"""

import re
import string
from collections.abc import Iterator
from typing import NamedTuple

from armarium.formats.text import Kind
from armarium.formats.url import InvalidUrl, resolve
from armarium.harvest.extract.addresses import is_absolute, is_listed, is_path, suffix
from armarium.harvest.extract.css import css_urls
from armarium.harvest.extract.document import Document
from armarium.harvest.extract.findings import Findings
from armarium.harvest.extract.script_strings import Completion, ScriptString, replaced, script_strings
from armarium.harvest.model import Hop

_LOOK_BACK = 80
_REMARKS = 4  # before one string
_LONGEST_REMARK = 400
_GAP = 64  # between two strings of a series
_LOOK_AHEAD = 24
_LONGEST = 4096

# A script in which none of these finds anything is not read further: most inline scripts are such. (Patterns
# that begin with one character, because only then the search leaps; one for all takes ten times as long.)
_BEGINNING = r"(?:\\?/|https?:|\.\.?\\?/|\\u00|<|url\()"
_PROMISING = tuple(
    re.compile(pattern).search
    for pattern in (
        '"' + _BEGINNING,
        "'" + _BEGINNING,
        "`" + _BEGINNING,
        # The first bracket is for speed: it says no to nearly all that the second one would look at.
        r"\.(?=[acghijmpstwx][a-z34]{1,4}+[\"'`?#])(?:html?|php|aspx?|jsp|m?js|css|json|xml|pdf|txt"
        r"|jpe?g|png|gif|webp|avif|svg|mp[34]|webm|swf|ico|wasm)[\"'`?#]",
    )
)
_attribute = re.compile(
    r"<[a-zA-Z][^<>]*?\s(?:src|href|poster|data-src|background)\s*="
    r"\s*(?:\"([^\"<>]*+)\"|'([^'<>]*+)'|([^\s\"'<>]++)(?=[\s>]))"
).finditer

# Names of properties and variables that hold addresses, by how they end, in lower case.
_KEYS = (
    "src", "href", "url", "uri", "link", "image", "img", "icon", "logo", "poster", "thumb", "thumbnail",
    "file", "location", "page", "audio", "video", "background", "avatar", "swf", "movie", "pdf",
    "stylesheet", "permalink",
)  # fmt: skip
# Those that hold only the beginning of one.
_BEGINNINGS = (
    "base", "root", "prefix", "api", "ajax", "endpoint", "origin", "host", "domain", "namespace", "xmlns",
)  # fmt: skip
# And those that hold names, or a beginning.
_NAMING = ("base", "root", "prefix", "host", "domain", "type", "filenames", "docnames", "sources", "names")
# Functions that load what they are given, by their last name; and all that are called load… or preload….
_LOADING = frozenset(
    (
    "fetch", "open", "import", "importScripts", "Worker", "SharedWorker", "Request", "assign", "getJSON",
    "getScript", "ajax", "navigate", "register", "setAttribute", "attr", "prop", "Audio", "redirect",
    "goto", "popup", "openWindow", "MM_preloadImages", "MM_swapImage", "MM_openBrWindow",
)
)  # fmt: skip
_SETTING = frozenset(("setAttribute", "attr", "prop"))
_SET_ADDRESS = re.compile(r"[\"'](?:src|href|poster|data-src|data|background|xlink:href)[\"']\s*,\s*$").search
_ARRAY = "Array"  # `new Array("a.gif", "b.gif")` is a list
_PARTS = frozenset(("js", "mjs", "css", "wasm"))
_OF_MODULE = re.compile(r"\s*,\s*import\.meta\.url\b").match
# What follows the key of an entry of a map: `["Page.pdf", {…}]`.
_entry = re.compile(r"\s{0,4}+,\s{0,4}+\{").match
# What only a module can hold, outside of strings at least.
_module = re.compile(
    r"\bimport\.meta\b|\bexport\s*[{*]|\bexport\s+default\b|\b(?:import|from)\s*[\"']"
).search
# Functions that compare, search, name or report.
_COMPARING = frozenset(
    (
    "indexOf", "lastIndexOf", "test", "match", "split", "startsWith", "endsWith", "includes", "search",
    "exec", "RegExp", "require", "define", "__webpack_require__", "querySelector", "querySelectorAll",
    "closest", "matches", "getElementById", "addEventListener", "log", "warn", "error", "info", "debug",
    "Error", "TypeError", "concat", "join", "createElementNS", "setAttributeNS", "getAttributeNS",
    "lookupNamespaceURI", "hasOwnProperty", "trim", "Symbol", "deprecate", "invariant", "assert", "on",
    "off", "emit", "trigger", "post", "put", "delete", "patch", "createDocument", "hasFeature",
    "evaluate",
)
)  # fmt: skip


class Place(NamedTuple):
    """Where a string stands in its script."""

    apart: bool  # it is a piece of something, a name or one side of a comparison
    denied: bool  # what it is given to does not load it
    certain: bool  # it is where an address belongs
    own: bool  # it counts from the script, not from the page
    module: bool = False  # it is the specifier of one


_PIECE = Place(apart=True, denied=True, certain=False, own=False)
_JOINING = ("+", "-", "*", "%", "$")  # before a string
_CONTINUING = ("+", ".", "[", "(", "`")  # after one
_NAME = string.ascii_letters + string.digits + "_$.-"


class Guess(NamedTuple):
    """An address in a script."""

    reference: str
    own: bool = False


def script_addresses(script: str) -> Iterator[Guess]:
    """The strings of a script that are very likely addresses."""
    if not any(promising(script) for promising in _PROMISING):
        return
    module = _module(script) is not None
    completion = Completion(script)
    first = end = -_GAP  # where a series of strings begins, and the last one ends
    for literal in script_strings(script):
        if literal.start - end > _GAP or script[end : literal.start].strip() != ",":
            first = literal.start
        end, value = literal.end, literal.value
        if not len(value) >= 4 or ("/" not in value and "." not in value):
            continue
        if "<" in value and "=" in value:
            yield from _in_markup(value)
        elif "url(" in value:
            yield from (Guess(url) for url in css_urls(value) if _is_address(url, certain=True))
        elif (own := completion.counts_from_script(literal)) is not None:
            yield Guess(value, own)
        elif len(value) <= _LONGEST:
            yield from _considered(script, literal, first, module=module)


def _considered(script: str, literal: ScriptString, first: int, *, module: bool) -> Iterator[Guess]:
    value = literal.value
    absolute = is_absolute(value)
    if not absolute and not is_path(value, certain=True):
        return
    series = _series(script, first)
    place = _place(script, literal.start, literal.end, series)
    if place.apart or place.denied:
        return
    if place.module and not absolute and not value.startswith(("/", "./", "../")):
        return  # HTML Standard, 8.1.6.3: what an import map makes of it is told by that map alone
    if absolute:
        if value[-1] not in "=&?":
            yield Guess(value)
    elif is_path(value, certain=place.certain) or (
        series is not None and series.is_list and is_listed(value) and not _entry(script, literal.end)
    ):
        # Parts of modules, in lists that bundlers make. What a page is to show counts from the page.
        part = value.startswith(("./", "../")) and suffix(value) in _PARTS
        yield Guess(value, place.own or (module and part and not place.certain))


def _in_markup(value: str) -> Iterator[Guess]:
    """Markup that a script writes into its page; an attribute that is not closed is only a piece."""
    for found in _attribute(value):
        address = (found[1] or found[2] or found[3] or "").replace("\\/", "/").strip("\\\"'")
        if _is_address(address, certain=True):
            yield Guess(address)


def _is_address(value: str, *, certain: bool) -> bool:
    return is_absolute(value) or is_path(value, certain=certain)


class Series(NamedTuple):
    """Strings with nothing but commas between them: in a list, or given to one function."""

    is_list: bool
    name: str  # of what holds or takes them
    denied: bool
    certain: bool


def _before(script: str, start: int) -> str:
    """What stands before a string, past what tells a bundler how to treat it: `import(/* … */ "./x.js")`."""
    before = ""
    for _ in range(_REMARKS):
        before = script[max(0, start - _LOOK_BACK) : start].rstrip()
        remark = before.endswith("*/")
        start = script.rfind("/*", max(0, start - _LONGEST_REMARK), start) if remark else -1
        if start < 0:
            break
    return before


def _series(script: str, start: int) -> Series | None:
    """The one that a string begins, if it begins one."""
    before = _before(script, start)
    opening = before[-1:]
    if opening not in ("[", "("):
        return None
    before = before[:-1].rstrip()
    is_list = opening == "["
    if not is_list and _name_at_end(before) == _ARRAY:
        is_list, before = True, before.removesuffix(_ARRAY).rstrip().removesuffix("new").rstrip()
    if is_list and before[-1:] in (":", "="):
        name = _name_at_end(before.rstrip(":= ").rstrip("\"']"))
        return Series(True, name, *_judged_key(name.rpartition(".")[2].lower()))
    function = _name_at_end(before.rstrip("(") if is_list else before)
    if function.rpartition(".")[2] in _SETTING:
        return None  # what the one string means is said by the other
    return Series(is_list, function, *_judged_call(function, before))


def _place(script: str, start: int, end: int, series: Series | None) -> Place:
    before = _before(script, start)
    after = script[end : end + _LOOK_AHEAD].lstrip()
    last, following = before[-1:], after[:1]
    if last in _JOINING or following in _CONTINUING or after[:2] in ("==", "!="):
        return _PIECE
    if before.endswith(("==", "!=", "case", " in")) or (following == ":" and last != "?"):
        return _PIECE
    denied = certain = own = module = False
    if series is not None:  # HTML Standard, 10.3.1; ECMA-262, 13.3.10
        denied, certain, module = series.denied, series.certain, series.name == "import"
        own = module or series.name.rpartition(".")[2] == "importScripts"
        if series.name.rpartition(".")[2] == "URL" and _OF_MODULE(script, end, end + _LOOK_AHEAD):
            certain = own = True
    elif last == ",":
        opening = before.rfind("(")
        function = _name_at_end(before[:opening].rstrip()) if opening >= 0 else ""
        denied, certain = _judged_call(function, before)
    elif last == ":" or last == "=":
        name = _name_at_end(before.rstrip(":= ").rstrip("\"']"))
        denied, certain = _judged_key(name.rpartition(".")[2].lower())
    elif _name_at_end(before) in ("import", "from"):
        certain = own = module = True
    return Place(False, denied, certain, own, module)


def _name_at_end(text: str) -> str:
    """`a.b` of `x = a.b`."""
    return text[len(text.rstrip(_NAME)) :]


def _judged_call(function: str, before: str) -> tuple[bool, bool]:
    """Denied, certain."""
    owner, _, name = function.rpartition(".")
    if name == "replace":
        return not owner.endswith("location"), owner.endswith("location")
    if name == "get":  # of jQuery; what other objects get, be it from a map or an interface, is no page
        return False, owner.endswith(("$", "jQuery"))
    if name in _SETTING:
        return False, _SET_ADDRESS(before) is not None
    return name in _COMPARING, name in _LOADING or name.startswith(("load", "preload"))


def _judged_key(key: str) -> tuple[bool, bool]:
    if key.startswith(_BEGINNINGS) or key.endswith(_NAMING):
        return True, False
    return False, key.endswith(_KEYS)


class JavaScriptExtractor:
    """Scripts as files."""

    name = "javascript"

    def takes(self, document: Document) -> bool:
        mime = document.media
        return (mime is not None and mime.is_javascript) or (
            document.vague and document.suffix in ("js", "mjs")
        )

    def read(self, document: Document, findings: Findings) -> None:
        if not document.options.javascript:
            return
        text, _ = document.text(Kind.PLAIN)
        for guess in script_addresses(text):
            findings.add(_resolved(guess, document), Hop.SPECULATIVE, "=JS_STRING")
        for reference in replaced(text, document.path):
            findings.add(reference, Hop.SPECULATIVE, "=JS_STRING")


def _resolved(guess: Guess, document: Document) -> str:
    """A script's addresses count from the page that runs it, which may be on another host than the script."""
    reference = guess.reference
    if guess.own or is_absolute(reference):
        return reference
    if (place := _beside(reference, document.path)) is not None:
        return place
    if suffix(document.via) in ("js", "mjs"):
        return reference  # The page is not known; a script that another one finds lies where both look.
    if document.via:
        try:
            return resolve(document.via, reference)
        except InvalidUrl:
            return ""
    return reference if reference.startswith("/") else ""


def _beside(reference: str, path: str) -> str | None:
    """The path of what is named by the folder in which the script lies, too, as bundlers do."""
    folder, slash, _ = reference.partition("/")
    if not folder or not slash or folder[0] == ".":
        return None
    before, found, _ = path.rpartition(f"/{folder}/")
    return f"{before}/{reference}" if found else None
