"""The strings of a script, found as a JavaScript tokenizer finds them.

A search for quotation marks alone loses its way at the first apostrophe in a comment or a regular
expression. So comments, strings, templates and regular expressions are told apart here (ECMA-262, 12), and
nothing else is: no grammar, no tree, time in proportion to the length.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple


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
