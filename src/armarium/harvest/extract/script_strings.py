"""The strings of a script, found as a JavaScript tokenizer finds them.

A search for quotation marks alone loses its way at the first apostrophe in a comment or a regular
expression. So comments, strings, templates and regular expressions are told apart here (ECMA-262, 12), and
nothing else is: no grammar, no tree, time in proportion to the length.
"""

import re
import string
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from armarium.harvest.extract.addresses import is_path, suffix


class ScriptString(NamedTuple):
    """Literals joined by nothing but plus signs, which is one string to whoever runs the script."""

    value: str  # escapes undone
    start: int  # of the first quotation mark
    end: int  # after the last one


# A string ends with its line; an escaped line end continues it. The closing mark is optional, so that one
# that never ends is seen once and not searched for again.
_CODE = (
    r"(?P<comment>//[^\n\r]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?+|<!--[^\n\r]*+)"
    r"|(?P<double>\"(?:[^\"\\\n\r]++|\\(?:\r\n|.))*+\"?+)"
    r"|(?P<single>'(?:[^'\\\n\r]++|\\(?:\r\n|.))*+'?+)"
    r"|(?P<template>`(?:[^`\\$]++|\\.|\$(?!\{))*+(?:`|\$\{)?+)"
    r"|(?P<slash>/)"
)
# What cannot begin any of these is passed over first: a search would try each at every character.
_code = re.compile(rf"(?:[^/\"'`<]++|<(?!!--))*+(?:{_CODE})", re.DOTALL).match
_code_in_template = re.compile(
    rf"(?:[^/\"'`<{{}}]++|<(?!!--))*+(?:{_CODE}|(?P<brace>[{{}}]))", re.DOTALL
).match
_template_rest = re.compile(r"(?:[^`\\$]++|\\.|\$(?!\{))*+(?:`|\$\{)?+", re.DOTALL).match
_regex = re.compile(r"/(?:[^/\\\[\n\r]++|\\[^\n\r]|\[(?:[^\]\\\n\r]++|\\[^\n\r])*+\])++/[a-z]*+").match
_plus = re.compile(r"\s*+\+\s*+").fullmatch
_word = re.compile(r"[\w$]+$").search
_escape = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|[\n\r\u2028\u2029])|(.))",
    re.DOTALL,
).sub

_BEFORE_REGEX = frozenset("(,=:[!&|?{};+-*%~^<>")
_WORDS = "return typeof case in of delete void throw new else do instanceof yield await"
_WORDS_BEFORE_REGEX = frozenset(_WORDS.split())
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_LOOK_BACK = 64
_MAX_PLUS = 32
# Marks that never find their partner: after so many the text is no script, or no longer in step.
_MAX_ASTRAY = 50
_MAX_NESTING = 100


def script_strings(script: str) -> Iterator[ScriptString]:
    """Every string literal and every template without places to fill in, sums of literals as one."""
    pending: ScriptString | None = None
    parts: list[str] = []
    for found in _literals(script):
        gap = found.start - pending.end if pending is not None else -1
        if pending is not None and 0 < gap <= _MAX_PLUS and _plus(script, pending.end, found.start):
            parts.append(found.value)
            pending = ScriptString("", pending.start, found.end)
            continue
        if pending is not None:
            yield ScriptString("".join(parts), pending.start, pending.end)
        pending, parts = found, [found.value]
    if pending is not None:
        yield ScriptString("".join(parts), pending.start, pending.end)


def _literals(script: str) -> Iterator[ScriptString]:
    at = astray = 0
    braces: list[int] = []  # for each template that is open: braces open in its place
    while astray <= _MAX_ASTRAY:
        found = (_code_in_template if braces else _code)(script, at)
        if found is None or (kind := found.lastgroup) is None:
            return
        start, at = found.span(kind)
        if kind == "double" or kind == "single":
            text = found[kind]
            if len(text) < 2 or text[-1] != text[0]:
                astray += 1
                at = start + 1
            elif len(text) > 2:
                yield ScriptString(unescaped(text[1:-1]), start, at)
        elif kind == "slash":
            if _may_be_regex(script, at - 1):
                literal = _regex(script, at - 1)
                at = literal.end() if literal else at
                astray += literal is None
        elif kind == "template":
            text = found[kind]
            if text.endswith("${") and len(braces) < _MAX_NESTING:
                braces.append(0)
            elif len(text) > 2 and text[-1] == "`":
                yield ScriptString(unescaped(text[1:-1]), start, at)
        elif kind == "brace":
            at = _brace(script, found[kind], at, braces)


def _brace(script: str, brace: str, at: int, braces: list[int]) -> int:
    """Inside a place of a template; where its brace closes, the template goes on."""
    if brace == "{":
        braces[-1] += 1
    elif braces[-1]:
        braces[-1] -= 1
    else:
        rest = _template_rest(script, at)
        at = rest.end() if rest else at
        if not script.endswith("${", 0, at):
            braces.pop()
    return at


def _may_be_regex(script: str, slash: int) -> bool:
    """ECMA-262, 12, "InputElementRegExp": a slash divides after a value, and begins a pattern elsewhere."""
    before = script[max(0, slash - _LOOK_BACK) : slash].rstrip()
    if not before or before[-1] in _BEFORE_REGEX:
        return True
    word = _word(before)
    return word is not None and word.group() in _WORDS_BEFORE_REGEX


def unescaped(text: str) -> str:
    """A literal's value. Inside JSON that is inside a script, slashes come escaped too."""
    return _escape(_character, text) if "\\" in text else text


def _character(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code:
        number = int(code, 16)
        return chr(number) if number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF else "\ufffd"
    return "" if found[4] else _NAMED.get(found[5], found[5])


# --- Names of files that a script itself completes to addresses: `script.src = root + "search.js"`.
#
# What stands before the name is known to the running script alone; but most often it leads to the place of
# the
# script, from which manuals load their parts on pages of any depth. So a name is taken where it ends the
# address of an element or of a download, and counts from the script.


_LOOK_BACK_FOR_LOADS = 120
_LOOK_AHEAD = 24
_BEFORE = "+,( \t\r\n"  # a string that is given to something or put behind something
_NAME = string.ascii_letters + string.digits + "_$"
_BODY = 600  # characters between the head of a function and what it does with what it is given

_function = re.compile(r"function\b\s{0,4}+([\w$]{0,60}+)\s{0,4}+\(([^()]{1,100})\)\s{0,4}+\{").match
_name_before = re.compile(r"([\w$]{1,60})\s{0,4}[:=]\s{0,4}$").search
# `x.src = path`, `x.src = root + path`
_setting = re.compile(
    r"\.(?:src|href)\s*+=\s*+((?:[\w$.()\[\]]{1,60}\s*+\+\s*+)?)([\w$]++)\s*+[;,})\n]"
).finditer
_behind = re.compile(
    r"(?:\.(?:src|href)\s{0,4}=(?!=)|\.(?:attr|prop|setAttribute)\(\s{0,4}[\"'](?:src|href)[\"']\s{0,4},"
    r"|\b(?:fetch|getJSON|getScript|getBinaryContent|load[A-Za-z]{0,20})\()"
    r"[^;{}\"'`=]{1,100}\+\s{0,4}$"
).search
# `script.src.replace("js/doc.js", "index.js")`
_replacing = re.compile(
    r"\.src\.replace\(\s*+([\"'])([\w./-]{3,100}+)\1\s*+,\s*+([\"'])([\w./-]{3,100}+)\3\s*+\)"
).finditer


class Completion:
    """Of one script: which of its strings it completes."""

    def __init__(self, script: str) -> None:
        self._script = script

    def counts_from_script(self, literal: ScriptString) -> bool | None:
        """Of a string that becomes an address. False: it counts from the page; None: it becomes none."""
        value, start = literal.value, literal.start
        if self._script[start - 1] not in _BEFORE or value[0] in "./" or not suffix(value):
            return None
        before = self._script[max(0, start - _LOOK_BACK_FOR_LOADS) : start].rstrip()
        if before[-1:] == "+":
            own = True if _behind(before) else None
        elif before[-1:] in (",", "("):
            given_to = before[: max(before.rfind("("), 0)].rstrip()
            own = self._functions.get(given_to[len(given_to.rstrip(_NAME)) :])
        else:
            return None
        return own if own is not None and self._is_whole(literal) else None

    def _is_whole(self, literal: ScriptString) -> bool:
        after = self._script[literal.end : literal.end + _LOOK_AHEAD].lstrip()
        return not after.startswith(("+", ".", "[", "(")) and is_path(literal.value, certain=True)

    @cached_property
    def _functions(self) -> dict[str, bool]:
        """Functions of the script that make what they are given an element's address, by name; True: behind
        something else."""
        script = self._script
        found: dict[str, bool] = {}
        for setting in _setting(script):
            at = script.rfind("function", max(0, setting.start() - _BODY), setting.start())
            definition = _function(script, at) if at >= 0 else None
            if definition and setting[2] in map(str.strip, definition[2].split(",")):
                found[definition[1] or _assigned(script, at)] = bool(setting[1])
        found.pop("", None)  # a function without a name
        return found


def _assigned(script: str, at: int) -> str:
    before = _name_before(script[max(0, at - _LOOK_BACK_FOR_LOADS) : at])
    return before[1] if before else ""


def replaced(script: str, path: str) -> Iterator[str]:
    """What a script finds from its own address: relative to it."""
    for found in _replacing(script):
        old, new = found[2], found[4]
        if path.endswith(old) and suffix(new):
            yield "../" * old.count("/") + new
