"""Names of files that a script itself completes to addresses: `script.src = root + "search.js"`.

What stands before the name is known to the running script alone; but most often it leads to the place of the
script, from which manuals load their parts on pages of any depth. So a name is taken where it ends the
address of an element or of a download, and counts from the script.
"""

import re
import string
from collections.abc import Iterator
from functools import cached_property

from armarium.harvest.extract.addresses import is_path, suffix
from armarium.harvest.extract.script_strings import ScriptString

_LOOK_BACK = 120
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
        before = self._script[max(0, start - _LOOK_BACK) : start].rstrip()
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
    before = _name_before(script[max(0, at - _LOOK_BACK) : at])
    return before[1] if before else ""


def replaced(script: str, path: str) -> Iterator[str]:
    """What a script finds from its own address: relative to it."""
    for found in _replacing(script):
        old, new = found[2], found[4]
        if path.endswith(old) and suffix(new):
            yield "../" * old.count("/") + new
