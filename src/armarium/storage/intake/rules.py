"""By which rules the files of an import are named and admitted: said once, and written down with it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from armarium.core.errors import Refused
from armarium.core.message import message


def rename_rule(text: str) -> tuple[str, str]:
    """What is to be found and what comes in its place, of a rule as sed has it: s/old/new/."""
    parts = text[2:].split(text[1:2] or "/")
    if not text.startswith("s") or len(parts) != 3 or not parts[0] or parts[2]:
        raise Refused(
            message("“%(rule)s” is no rule. Write it as s/old/new/; / may be any other sign.", rule=text),
            field="rename",
        )
    return parts[0], parts[1]


@dataclass(frozen=True)
class Rules:
    prefix: str = ""  # before every name
    renames: Sequence[tuple[str, str]] = ()  # pattern and what comes in its place, one after the other
    damaged: bool = False  # also what cannot be read, if it claims to be a W/ARC file
    passed_over: Sequence[str] = ()  # names that need not be taken; * stands for anything

    def __post_init__(self) -> None:
        for pattern, replacement in self.renames:
            try:
                re.compile(pattern).sub(replacement, "")
            except (re.error, IndexError) as error:
                raise Refused(
                    message(
                        "The rule “%(pattern)s” → “%(replacement)s” cannot be used: %(reason)s.",
                        pattern=pattern,
                        replacement=replacement,
                        reason=error,
                    ),
                    field="rename",
                ) from error

    def renamed(self, name: str) -> str:
        for pattern, replacement in self.renames:
            name = re.sub(pattern, replacement, name)
        return f"{self.prefix}{name}"

    def passes_over(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self.passed_over)

    def described(self) -> dict[str, object]:
        """What differs from an import without rules, for the audit log."""
        told: dict[str, object] = {
            "prefix": self.prefix,
            "rename": [f"{pattern} → {replacement}" for pattern, replacement in self.renames],
            "damaged": self.damaged,
            "pass_over": list(self.passed_over),
        }
        return {name: value for name, value in told.items() if value}
