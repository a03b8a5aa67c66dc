"""A finding about a file: what is wrong, where, and what to do about it."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass


class Severity(enum.StrEnum):
    """How much a finding weighs."""

    ERROR = "error"  # the file breaks the standard, or data are lost or doubtful
    WARNING = "warning"  # readable, but not as the standard asks
    NOTE = "note"  # worth knowing; nothing is wrong


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding. The code is stable: reports and programs are built on it; the message is for people."""

    code: str
    offset: int  # in the file as stored, in bytes
    message: str
    severity: Severity = Severity.ERROR
    record: int | None = None  # number of the record in the file, from 0
    clause: str = ""  # of the standard that was broken
    hint: str = ""  # what to do next


@dataclass(frozen=True, slots=True)
class Kind:
    """What all problems of one code have in common; the message may hold {facts} of the one case."""

    severity: Severity
    message: str
    clause: str
    hint: str


class Catalogue:
    """The problems that one package can find, by code."""

    def __init__(self, kinds: Mapping[str, Kind]) -> None:
        self.kinds = kinds

    def problem(self, code: str, offset: int, record: int | None = None, /, **facts: object) -> Problem:
        """One case of a known kind of problem."""
        kind = self.kinds[code]
        message = kind.message.format(**facts)
        return Problem(code, offset, message, kind.severity, record, kind.clause, kind.hint)


class DamagedArchive(ValueError):  # noqa: N818  (reads as what happened)
    """Strict reading met damage; `problem` says what and where."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.message} (at byte {problem.offset}, {problem.code})")
        self.problem = problem
