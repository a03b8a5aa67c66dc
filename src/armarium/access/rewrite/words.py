"""Expressions that reach the real window past the block around a script, changed in their place.

Each is searched by its word, which is quick, and then looked at in its surroundings. Strings and comments are
not known here; what looks like code in them is changed too, which for `Function("return this")` is right.
"""

import re

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
