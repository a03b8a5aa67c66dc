"""What scripts declare on their outermost level, and where they reach the real window.

Scripts are wrapped in a block, in which `window`, `location` and their like are those of the archived page.
But `let`, `const` and `class` in a block are invisible outside it, `var top` in it is an error, and an
`import` cannot stand there at all. So it must be known what stands at the outermost level. The scanner knows
strings, templates, comments, regular expressions and brackets, and nothing else of the language.
"""

import re
from bisect import bisect
from collections.abc import Iterator
from typing import NamedTuple

# Every choice begins with a character of its own, so that the text between is passed over quickly. A mark
# without its partner is known by its group, and passed over alone: it may stand in what was not understood.
_TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\(?:\r\n|[\s\S]))*+(?:"|())'
    r"|'(?:[^'\\\n]|\\(?:\r\n|[\s\S]))*+(?:'|())"
    r"|`(?:[^`\\$]|\\[\s\S]|\$(?!\{))*+(?:`|\$\{|())"
    r"|/(?:/[^\n\r]*+|\*(?:[^*]++|\*(?!/))*+(?:\*/)?+"
    # A slash begins a regular expression where no value can end: behind these, with a space between or none.
    r"|(?:(?<=[(,=:\[!&|?{;~^%*<\n]/)|(?<=[(,=:\[!&|?{;] /)|(?<==>/)"
    r"|(?<=return/)|(?<=return /)|(?<=typeof /)|(?<=case /))"
    r"(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,128}+\])++/[a-z]*)"
    # Brackets with nothing inside that matters are passed over in one step: they are most of a script.
    r"|\((?:[^()\[\]{}\"'`/]*+\))?+|\[(?:[^()\[\]{}\"'`/]*+\])?+"
    r"|\{|\}|\)|\]"
)
_TEMPLATE_REST = re.compile(r"(?:[^`\\$]|\\[\s\S]|\$(?!\{))*+(?:`|\$\{)")
# How often a text may be read, all in all, for the partners of such marks.
_MOST_ASTRAY = 4
_CLOSING = {"(": ")", "[": "]", "{": "}", "$": "}"}


class Group(NamedTuple):
    """Something in brackets at the outermost level."""

    opening: str
    start: int
    end: int


class Outermost(NamedTuple):
    spans: list[tuple[int, int]]  # code at the outermost level, strings and comments left out
    groups: list[Group]

    def around(self, at: int) -> int | None:
        """The number of the group in which a place is."""
        number = bisect(self.groups, at, key=_start_of) - 1
        return number if number >= 0 and at < self.groups[number].end else None

    def body_behind(self, at: int) -> Group | None:
        """The next group in braces."""
        number = bisect(self.groups, at, key=_start_of)
        return next((group for group in self.groups[number : number + 8] if group.opening == "{"), None)


def _start_of(group: Group) -> int:
    return group.start


def outermost(text: str) -> Outermost | None:
    """None where brackets or quotation marks do not match: then nothing is known."""
    spans: list[tuple[int, int]] = []
    groups: list[Group] = []
    stack: list[str] = []
    at = began = opened = astray = 0
    search = _TOKEN.search
    while found := search(text, at):
        start, at = found.span()
        first = text[start]
        if found.lastindex:
            astray += at - start
            if astray > _MOST_ASTRAY * len(text):
                return None
            at = start + 1
        elif first in "([{" and at - start == 1:
            if not stack:
                spans.append((began, start))
                opened = start
            stack.append(first)
        elif first in ")]}":
            if not stack or _CLOSING[stack[-1]] != first:
                return None
            if stack.pop() == "$":
                at = _template(text, at, stack)
            if not stack:
                groups.append(Group(text[opened], opened, at))
                began = at
        elif first == "`" and text[at - 1] == "{":
            if not stack:
                spans.append((began, start))
                opened = start
            stack.append("$")
        elif not stack:
            spans.append((began, start))
            if first in "([":
                groups.append(Group(first, start, at))
            began = at
    if stack:
        return None
    spans.append((began, len(text)))
    return Outermost(spans, groups)


def _template(text: str, at: int, stack: list[str]) -> int:
    """Behind the `}` of a place in a template: its text goes on."""
    found = _TEMPLATE_REST.match(text, at)
    if not found:
        return len(text)
    if found[0].endswith("${"):
        stack.append("$")
    return found.end()


_DECLARATION = re.compile(
    r"(?<![.$\w])(let|const|class|async[ \t]+function|function)(?![\w$])\s*(\*?)\s*([\w$]*)", re.ASCII
)
_MODULE = re.compile(r"(?<![\w$.])(?:import|export)(?![\w$])", re.ASCII)
_NO_STATEMENT = tuple("(.:=,;)")  # `import(…)`, `import.meta`, `{export: 1}`
# Two expressions, each with its word first: so they are searched quickly.
_MAYBE_MODULE = (
    re.compile(r"import(?<![\w$.]import)\s*[\w${*\"']", re.ASCII),
    re.compile(r"export(?<![\w$.]export)\s*[\w{*]", re.ASCII),
)
_BEFORE_STATEMENT = frozenset(";}{")


class Declaration(NamedTuple):
    word: str  # let, const, class, async function, function
    start: int
    end: int  # of the word
    name: str  # "" where it is a pattern
    generator: bool


def declarations(text: str, level: Outermost) -> Iterator[Declaration]:
    """What is declared at the outermost level, in order."""
    for start, end in level.spans:
        if end - start < 4:
            continue
        for found in _DECLARATION.finditer(text, start, end):
            word = " ".join(found[1].split())
            if word in ("let", "const") or _at_statement(text, found.start()):
                yield Declaration(word, found.start(1), found.end(1), found[3], bool(found[2]))


def _at_statement(text: str, at: int) -> bool:
    before = text[max(0, at - 200) : at]
    stripped = before.rstrip()
    if not stripped or stripped[-1] in _BEFORE_STATEMENT or stripped.endswith("*/"):
        return True
    # A new line ends a statement unless something is missing before it.
    return "\n" in before[len(stripped) :] and stripped[-1] not in "=(,:?&|+-*%<>!~^[."


def is_module(text: str) -> bool:
    """Whether there is an `import` or `export` statement, and not only the word in a string."""
    if not any(pattern.search(text) for pattern in _MAYBE_MODULE):
        return False
    level = outermost(text)
    if level is None:
        return False
    return any(
        not text[found.end() : found.end() + 40].lstrip().startswith(_NO_STATEMENT)
        for start, end in level.spans
        for found in _MODULE.finditer(text, start, end)
    )


# Expressions that reach the real window past the block around a script, changed in their place.
# Each is searched by its word, which is quick, and then looked at in its surroundings. Strings and
# comments are not known here; what looks like code in them is changed too, which for `Function("return
# this")` is right.


CHECK_THIS = "_____WB$wombat$check$this$function_____(this)"
_PROPERTIES = "window|globalThis|self|document|location|top|parent|frames|opener"
_THIS = re.compile(
    r"this(?<![\w$.@#-]this)(?:(?=\.(?:"
    + _PROPERTIES
    + r")(?![\w$]))|(?=\s*(?:[;,)\]}?:\"']|\|\||&&|[=!]==?|\Z|\n)))",
    re.ASCII,
)
_LOCATION = re.compile(r"location(?<![\w$.\-#\"'/]location)\s*=(?![=>])\s*", re.ASCII)
_PLAIN_EVAL = r"eval(?<![\w$.\"'#]eval)(?:(\s*\()|(?=\s*[;,)\n])|(?=\s*\Z))"
_EVAL = re.compile(_PLAIN_EVAL, re.ASCII)
_ANY_EVAL = re.compile(r"\(\s*[01]\s*,\s*eval\s*\)\s*\(|" + _PLAIN_EVAL, re.ASCII)
_INDIRECT = re.compile(r"eval\s*\)\s*\(")
_IMPORT = re.compile(r"import(?<![\w$.\"'#]import)(\s*)\(", re.ASCII)
_METHOD = re.compile(r"\s*\([^()]*\)\s*\{")
_POST_MESSAGE = re.compile(r"\.postMessage(\s*)\(")

_RUN_EVAL = (
    "WB_wombat_runEval2((_______eval_arg, isGlobal) => { var ge = eval; return isGlobal ?"
    " ge(_______eval_arg) : eval(_______eval_arg); }).eval(this, (function() { return arguments })(),"
)
_AFTER_KEYWORD = frozenset({"return", "else", "do", "void", "case", "typeof", "default"})
_DECLARING = ("let", "const", "var")
_LAST_WORD = re.compile(r"[\w$]+\Z", re.ASCII)


def rewrite_words(text: str, base: str, arguments: str) -> str:
    """`base` is the expression for the address of this script, `arguments` for those of a function."""
    if "this" in text:
        text = _THIS.sub(_this, text)
    if "location" in text:
        check = (
            f"((self.__WB_check_loc ? self.__WB_check_loc(location, {arguments}) : 0) || {{}}).maybeHref = "
        )
        text = _LOCATION.sub(lambda found: _location(found, check), text)
    if ".postMessage" in text:
        text = _POST_MESSAGE.sub(r".__WB_pmw(self).postMessage\1(", text)
    if "eval" in text:
        text = (_ANY_EVAL if _INDIRECT.search(text) else _EVAL).sub(_eval, text)
    if "import" in text:
        text = _IMPORT.sub(lambda found: _import(found, base), text)
    return text


def _before(found: re.Match[str]) -> tuple[str, str]:
    """The text before, as far as it matters, and without the white space at its end."""
    start = found.start()
    before = found.string[max(0, start - 40) : start]
    return before, before.rstrip()


def _this(found: re.Match[str]) -> str:
    text, end = found.string, found.end()
    after = text[end : end + 1]
    if after == ".":
        return CHECK_THIS
    before, stripped = _before(found)
    last = stripped[-1:]
    following = text[end : end + 40].lstrip()[:1]
    if following in ("=", "!"):
        return CHECK_THIS  # `this === window`
    if following == ":":
        return CHECK_THIS if last == "?" else found[0]
    if stripped.endswith("return") and before != stripped:
        return CHECK_THIS
    if following in ('"', "'"):
        return found[0]
    if last == "(":
        # `}(this)`, `})(this)`, `}.call(this)`: a function that is called at once with the window.
        return CHECK_THIS if re.search(r"[})](?:\.(?:call|apply))?\s*\(\Z", stripped) else found[0]
    if last in ("=", ",", "|", "&", "?", ":") or stripped.endswith("=>"):
        return CHECK_THIS
    return found[0]


def _location(found: re.Match[str], check: str) -> str:
    before, stripped = _before(found)
    last = stripped[-1:]
    if last == "{" and stripped[:-1].rstrip().endswith(_DECLARING):
        return found[0]  # a default in a pattern
    if not stripped or last in ";{})" or "\n" in before[len(stripped) :]:
        word = _LAST_WORD.search(stripped)
        return found[0] if word and word[0] in _DECLARING else found[0] + check
    if stripped.endswith(("&&", "||", "=>")) or (last == ":" and before != stripped):
        return found[0] + check
    word = _LAST_WORD.search(stripped)
    return found[0] + check if word and word[0] in _AFTER_KEYWORD else found[0]


def _eval(found: re.Match[str]) -> str:
    if found[0][0] == "(":
        return f" {_RUN_EVAL}"  # `(0, eval)(…)`: global, and so with the real window
    before, stripped = _before(found)
    if found[1] is None:
        return "self.eval" if stripped[-1:] in ("=", ",", "(") else found[0]
    if before and before == stripped:
        return found[0]
    word = _LAST_WORD.search(stripped)
    if (word and word[0] in ("function", "static", "async", "get", "set")) or _METHOD.match(
        found.string, found.start() + 4
    ):
        return found[0]
    return _RUN_EVAL


def _import(found: re.Match[str], base: str) -> str:
    if _METHOD.match(found.string, found.start() + 6):
        return found[0]
    return f"____wb_rewrite_import__{found[1]}({base}, "
