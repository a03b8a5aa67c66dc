"""What is wrong with the settings: every problem with its place, all of them in one error."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from armarium.core.errors import Misconfigured
from armarium.settings.kinds import Choice, Kind, Optional, Secret, Several, Text, Unfit
from armarium.settings.plain import as_toml, described, shown
from armarium.settings.section import PREFIX, Catalogue, Key

# --- Where a value came from; a problem with the value points to the same place.


@dataclass(frozen=True)
class Default:
    def __str__(self) -> str:
        return "default"


@dataclass(frozen=True)
class InFile:
    file: Path
    line: int | None = None  # None: the file as a whole
    column: int | None = None

    def __str__(self) -> str:
        # The full path would push the sentence off the screen; the heading above the problems has it.
        places = [str(place) for place in (self.line, self.column) if place is not None]
        return ":".join([self.file.name, *places]) if places else str(self.file)


@dataclass(frozen=True)
class Variable:
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Argument:
    """Given by the caller: an option of the command line."""

    def __str__(self) -> str:
        return "command line"


Origin = Default | InFile | Variable | Argument


# --- What somebody may have meant by a name that does not exist.


def for_section(name: str, catalogue: Catalogue) -> str:
    near = nearest(name, catalogue.sections)
    if near:
        return f"Did you mean [{near}]?"
    homes = [key for key in catalogue.keys.values() if key.name == name]
    if homes:
        return f"Put {name} under {_either(f'[{key.section}]' for key in homes)}."
    return f"The sections are {', '.join(catalogue.sections)}." if catalogue.sections else ""


def for_key(section: str, name: str, catalogue: Catalogue) -> str:
    """Look in the same section first; the right key in the wrong section is as likely as a typing error."""
    own = catalogue.of(section)
    elsewhere = [key for key in catalogue.keys.values() if key.section != section]
    candidates = [near] if (near := nearest(name, [key.name for key in own])) else []
    candidates += [_of(key) for key in elsewhere if key.name == name]
    if not candidates:
        near = nearest(name, [key.name for key in elsewhere])
        candidates = [_of(key) for key in elsewhere if key.name == near]
    if candidates:
        return f"Did you mean {_either(candidates)}?"
    return f"The settings of [{section}] are {', '.join(key.name for key in own)}." if own else ""


def for_variable(name: str, reserved: Iterable[str], catalogue: Catalogue) -> str:
    # The prefix that all have in common would make everything look alike.
    known = [variable.removeprefix(PREFIX) for variable in (*catalogue.variables, *reserved)]
    near = nearest(name[len(PREFIX) :], known)
    return (
        f"Did you mean {PREFIX}{near}?" if near else f"Unset it: names with {PREFIX} are kept for settings."
    )


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The most similar name, whatever its case and whether it is written with - or _."""
    plain = {_plain(candidate): candidate for candidate in names}
    # Comparing takes time in the square of the length, and no name of ours is that long.
    matches = difflib.get_close_matches(_plain(name[:100]), plain, n=1, cutoff=0.6)
    return plain[matches[0]] if matches else None


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


def _of(key: Key) -> str:
    return f"{key.name} in [{key.section}]"


def _either(names: Iterable[str]) -> str:
    return " or ".join(names)


# --- What is wrong with the settings: every problem with its place, all of them in one error.


@dataclass(frozen=True)
class Problem:
    where: Origin
    what: str  # a sentence
    suggestion: str = ""  # a sentence: what to do about it
    section: str | None = None  # the section concerned, if it is one of ours

    def as_json(self) -> dict[str, str | int | None]:
        inside = self.where if isinstance(self.where, InFile) else None
        return {
            "file": str(inside.file) if inside else None,
            "line": inside.line if inside else None,
            "column": inside.column if inside else None,
            "variable": self.where.name if isinstance(self.where, Variable) else None,
            "section": self.section,
            "what": self.what,
            "suggestion": self.suggestion,
        }

    def __str__(self) -> str:
        return f"{shown(str(self.where), longest=4096)}: {self.what} {self.suggestion}".rstrip()


class WrongSettings(Misconfigured):
    """Everything wrong in the file and in the environment, so that one round of corrections is enough."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(set(problems), key=_order))
        super().__init__("\n".join([_heading(self.problems), *(f"  {problem}" for problem in self.problems)]))


def misfit(key: Key, where: Origin, value: object, unfit: Unfit) -> Problem:
    """The problem of a value that is not of its key's kind."""
    found = unfit.found or f"is {described(value, secret=key.secret)}"
    return Problem(
        where, f"{key} must be {unfit.expected}, but {found}.", _correction(key, value), key.section
    )


def _correction(key: Key, value: object) -> str:
    """How the same value would be written rightly, if that can be told."""
    kind = key.kind.inner if isinstance(key.kind, Optional) else key.kind
    number = isinstance(value, (int, float))
    if key.secret:
        return "Put it in quotes." if number else ""
    if isinstance(kind, Text) and number and len(described(value)) < 20:
        return f'Put it in quotes: {key.name} = "{described(value)}".'
    if not isinstance(value, str):
        return ""
    if isinstance(kind, Choice):
        near = nearest(value, [str(option) for option in kind.options])
        return f'Did you mean "{near}"?' if near else ""
    return _rewritten(key.name, kind, value)


def _rewritten(name: str, kind: Kind, text: str) -> str:
    if isinstance(kind, (Text, Secret)):
        return ""
    try:
        typed = kind.from_text(text)
    except Unfit:
        return ""
    if isinstance(kind, Several):
        return f"Write a list: {name} = {shown(as_toml(typed))}."
    return f"Write it without quotes: {name} = {described(typed)}."


def _heading(problems: Sequence[Problem]) -> str:
    files = {problem.where.file for problem in problems if isinstance(problem.where, InFile)}
    what = (
        "The settings have a problem" if len(problems) == 1 else f"The settings have {len(problems)} problems"
    )
    return (
        f"{what} ({', '.join(shown(str(file), longest=4096) for file in sorted(files))}):"
        if files
        else f"{what}:"
    )


def _order(problem: Problem) -> tuple[int, int, int, str]:
    match problem.where:
        case InFile(line=line, column=column):
            return (0, line or 0, column or 0, str(problem))
        case Default() | Argument():
            return (1, 0, 0, str(problem))
    return (2, 0, 0, str(problem))
