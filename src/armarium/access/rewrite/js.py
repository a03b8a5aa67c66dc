"""Scripts of archived pages, made to speak with the archived page and not with the archive around it; JSONP.

A script gets a block around it, in which `window`, `document`, `location` and so on are wombat's stand-ins; a
few expressions that reach the real ones past the block (`this`, `eval`, `import()`) are changed in their
place. Everything else is left as it is, and so is a script that names none of these.
"""

import re
from urllib.parse import parse_qsl, urlsplit

from armarium.access.rewrite.head_insert import script_json
from armarium.access.rewrite.links import Links
from armarium.access.rewrite.modules import imported_names, rewrite_specifiers
from armarium.access.rewrite.scopes import Outermost, declarations, is_module, outermost, rewrite_words

NAMES = ("window", "globalThis", "self", "document", "location", "top", "parent", "frames", "opener")

_ANY_NAME = re.compile(
    r"window|globalThis|self|document|location|top\b|parent|frames|opener|eval|import|postMessage|this"
)
_NAME = re.compile(r"(?<![\w$.])(?:" + "|".join(NAMES) + r")(?![\w$])", re.ASCII)
_LEXICAL = re.compile(r"(?<![\w$.])(?:let|const|class|async|function\s*\*)(?![\w$])", re.ASCII)
# `var a, b = 1, top` — a list without brackets in it is enough: minified code has other names.
_VARIABLE = re.compile(
    r"var(?<![\w$.]var)\s+(?:[\w$]{1,64}\s*(?:=[^,;(){}\n]{0,80})?,\s*){0,30}("
    + "|".join(NAMES)
    + r")(?![\w$])",
    re.ASCII,
)
_JSON = re.compile(r"\s*+[\[{]\s*+(?:[\"\]}\[{\d-]|true|false|null)")
_FUNCTION_HEAD = re.compile(r"(?:\bfunction\b[^(){};]*|=>\s*)\Z", re.ASCII)
_BLOCK_HEAD = re.compile(
    r"(?:\b(?:if|for|while|with|switch|catch|else|do|try|finally)\s*|[;}]\s*|^\s*)\Z", re.ASCII
)

# As a `var` these would be properties of the window that turn what they are given into text, or ignore it.
_OF_THE_WINDOW = frozenset(NAMES) | frozenset(
    {
        "name",
        "status",
        "closed",
        "length",
        "origin",
        "event",
        "external",
        "screen",
        "history",
        "navigator",
        "screenX",
        "screenY",
        "scrollX",
        "scrollY",
        "innerWidth",
        "innerHeight",
        "outerWidth",
        "outerHeight",
        "pageXOffset",
        "pageYOffset",
        "performance",
        "crypto",
        "caches",
        "customElements",
        "frameElement",
        "isSecureContext",
        "localStorage",
        "sessionStorage",
        "indexedDB",
        "menubar",
        "toolbar",
        "statusbar",
        "scrollbars",
        "visualViewport",
    }
)

_ASSIGN = "_____WB$wombat$assign$function_____"
# No `&` and no `<` in what is put into scripts: in XHTML they would end the page.
_HELPER = (
    f"var {_ASSIGN}=function(n){{var w=self._wb_wombat;return(w?w.local_init?w.local_init(n):0:0)||self[n]}};"
    "if(!self.__WB_pmw){self.__WB_pmw=function(o){this.__WB_source=o;return this}}"
)
# A module has no block to hide in, and `self` in it would be our own, not yet there: the global one is asked.
_MODULE_HELPER = (
    f"var {_ASSIGN}=(function(g){{return function(n){{var w=g._wb_wombat;"
    'return(w?w.local_init?w.local_init(n):0:0)||g[n]}})((0,eval)("self"))'
)


class ScriptRewriter:
    def __init__(self, links: Links) -> None:
        self.links = links

    def external(self, text: str) -> str:
        """A script file: what it is, a module included, is seen from what is in it."""
        if is_module(text):
            return self.module(text)
        return self.classic(text, base=self.links.url)

    def classic(self, text: str, base: str | None = None) -> str:
        if not _ANY_NAME.search(text) or _is_no_script(text):
            return text
        names_used = bool(_NAME.search(text))
        self.links.work_on()
        if names_used:
            text, left_out, exports = _hoisted(text)
        else:
            left_out, exports = frozenset[str](), ""
        self.links.work_on()
        text = rewrite_words(text, script_json(base) if base else "null", "arguments")
        if not names_used:
            return text
        return f"{_HELPER}{{{_stand_ins(left_out)}let arguments;{{{exports}\n{text}\n}}}}"

    def module(self, text: str) -> str:
        text = rewrite_specifiers(text, self.links)
        if not _ANY_NAME.search(text):
            return text
        names_used = bool(_NAME.search(text))
        left_out = _declared(text) if names_used else frozenset[str]()
        self.links.work_on()
        text = rewrite_words(text, "import.meta.url", "[]")
        if not names_used:
            return text
        wanted = [name for name in NAMES if name not in left_out]
        stand_ins = "".join(f',{name}={_ASSIGN}("{name}")' for name in wanted)
        return f"{_MODULE_HELPER}{stand_ins};{text}"

    def handler(self, text: str) -> str:
        """The value of `onclick` and its like, or what stands behind `javascript:`; in one line."""
        found = {each[0] for each in _NAME.finditer(text)}
        if not found:
            return text
        text = rewrite_words(text, "null", "arguments")
        left_out = {each[1] for each in _VARIABLE.finditer(text)} | (set(NAMES) - found)
        return f"{_HELPER}{{{_stand_ins(frozenset(left_out))}{{{text}\n}}}}"


def _is_no_script(text: str) -> bool:
    """A page that says "not found", or data: both are served as scripts, and neither is one."""
    begin = text.lstrip()[:4]
    if begin[:1] == "<" and begin != "<!--":
        return True
    return bool(_JSON.match(text)) and text.rstrip()[-1:] in "]}"


def _stand_ins(left_out: frozenset[str]) -> str:
    return "".join(f'let {name}={_ASSIGN}("{name}");' for name in NAMES if name not in left_out)


def _hoisted(text: str) -> tuple[str, frozenset[str], str]:
    """The script with its outermost declarations visible outside the block.

    Also the names of which there must be no stand-in, and what the block must say at its beginning.
    """
    clashing = _VARIABLE.search(text)
    if not clashing and not _LEXICAL.search(text):
        return text, frozenset(), ""
    level = outermost(text)
    if level is None:
        return text, frozenset(found[1] for found in _VARIABLE.finditer(text)), ""
    left_out = frozenset(
        found[1] for found in _VARIABLE.finditer(text) if _is_at_script_level(text, found.start(), level)
    )
    edits: list[tuple[int, int, str]] = []
    exports = ""
    for each in declarations(text, level):
        if each.name in _OF_THE_WINDOW or (not each.name and _touches_window(text, each.end)):
            continue
        if each.word in ("let", "const"):
            edits.append((each.start, each.end, "var"))
        elif each.word == "class" and each.name:
            body = level.body_behind(each.end)
            if body:
                edits += [(each.start, each.start, f"var {each.name}="), (body.end, body.end, ";")]
        elif each.name and (each.generator or each.word.startswith("async")):
            # Unlike plain ones, such functions stay in their block (ECMA-262, B.3.2).
            exports += f"self.{each.name}={each.name};"
    return _edited(text, edits), left_out, exports


def _touches_window(text: str, at: int) -> bool:
    pattern = text[at : at + 400].partition("=")[0]
    return not _OF_THE_WINDOW.isdisjoint(re.findall(r"[\w$]+", pattern))


def _is_at_script_level(text: str, at: int, level: Outermost) -> bool:
    """Whether a `var` belongs to the script and not to a function in it."""
    number = level.around(at)
    if number is None:
        return True
    group = level.groups[number]
    if group.opening != "{":
        return False
    before = text[max(0, group.start - 300) : group.start].rstrip()
    if before.endswith(")"):
        if number == 0:
            return True
        parameters = level.groups[number - 1]
        head = text[max(0, parameters.start - 100) : parameters.start]
        return not _FUNCTION_HEAD.search(head)
    return bool(_BLOCK_HEAD.search(before)) or not before


def _declared(text: str) -> frozenset[str]:
    """The names that a module declares or imports at its outermost level."""
    level = outermost(text)
    if level is None:
        return frozenset()
    found = {each.name for each in declarations(text, level)}
    for each in declarations(text, level):
        if not each.name:
            found.update(re.findall(r"[\w$]+", text[each.end : each.end + 400].partition("=")[0]))
    found |= imported_names(text)
    return frozenset(found) & frozenset(NAMES)


def _edited(text: str, edits: list[tuple[int, int, str]]) -> str:
    if not edits:
        return text
    pieces, at = [], 0
    for start, end, new in sorted(edits):
        pieces += [text[at:start], new]
        at = end
    return "".join(pieces) + text[at:]


# JSONP: data in a call. The page asks for a name that it has just made up; the record has another.


_WRAPPED = re.compile(
    r"(?:[\s\ufeff]|ï»¿|/\*.*?\*/|//[^\n]*(?:\n|\Z))*+"
    r"(?!function\b|var\b|let\b|const\b|return\b|if\b|for\b|while\b)"
    r"([\w$]+(?:\.[\w$]+|\[[\w$\"']+\])*)\s*\(\s*(?=[{\[\"]|\Z)",
    re.DOTALL,
)
_CALLBACK = re.compile(r"(?:json_?p?_?|.*)(?:callback|jsonp|cb)(?:name|_name|func)?\Z", re.IGNORECASE)
_CALLBACK_NAME = re.compile(r"[\w$]+(?:\.[\w$]+|\[[\w$\"']+\])*\Z", re.ASCII)


def callback_in(url: str) -> str | None:
    """The name of the function that an address asks for."""
    for name, value in parse_qsl(urlsplit(url).query, keep_blank_values=True, separator="&"):
        if _CALLBACK.match(name) and _CALLBACK_NAME.match(value):
            return value
    return None


def rewrite_jsonp(text: str, callback: str | None) -> str:
    """The same call with the name that was asked for; anything that is not such a call stays as it is."""
    if not callback or not _CALLBACK_NAME.match(callback):
        return text
    found = _WRAPPED.match(text)
    return f"{callback}({text[found.end() :]}" if found else text
