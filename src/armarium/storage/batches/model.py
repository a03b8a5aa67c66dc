"""The words of batches: a function that runs over many files, and what it answered for each."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.storage.model import RunState
from armarium.web.numbers import number_in


class SelectionKind(StrEnum):
    ALL = "all"
    JOB = "job"
    HARVEST = "harvest"
    ACCESSION = "accession"
    NAME = "name"  # a pattern with * and ?


@dataclass(frozen=True)
class Selection:
    """Which files; always only those that are stored and not withdrawn."""

    kind: SelectionKind = SelectionKind.ALL
    value: str = ""

    def described(self) -> dict[str, str]:
        return {"kind": self.kind.value, "value": self.value}


class ResultState(StrEnum):
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class Batch:
    id: int
    function: str
    arguments: Mapping[str, Any]
    selection: Selection
    state: RunState
    by: str
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    files_total: int
    files: int  # done or failed
    failures: int
    error: str  # why it could not run at all

    @property
    def is_open(self) -> bool:
        return self.state in {RunState.WAITING, RunState.RUNNING}

    def expected_end(self, now: datetime) -> datetime | None:
        """If it goes on as it went so far; None while that says nothing."""
        if self.state is not RunState.RUNNING or self.started_at is None or not self.files:
            return None
        return now + (now - self.started_at) * ((self.files_total - self.files) / self.files)


@dataclass(frozen=True)
class Result:
    """What the function answered for one file."""

    file: int
    name: str
    state: ResultState
    result: Any
    error: str
    seconds: float
    at: datetime | None

    def described(self) -> dict[str, Any]:
        """As a line of the download."""
        told: dict[str, Any] = {"file": self.name, "state": self.state.value}
        told |= {"error": self.error} if self.state is ResultState.FAILED else {"result": self.result}
        return told | {"seconds": round(self.seconds, 3)}


@dataclass(frozen=True)
class Parameter:
    """An argument of a function, as its signature declares it."""

    name: str
    kind: type  # str, int, float, bool
    default: Any = None
    required: bool = True


@dataclass(frozen=True)
class Function:
    """Something that can be run over files."""

    name: str
    call: Callable[..., Any]
    text: str = ""  # the first sentence of its own description
    parameters: tuple[Parameter, ...] = ()
    origin: str = ""  # the file that it stands in; empty: it came with Armarium


@dataclass(frozen=True)
class Functions:
    """All that can be run, and what is wrong with files of which nothing can."""

    found: Mapping[str, Function] = field(default_factory=dict)
    troubles: Mapping[str, str] = field(default_factory=dict)  # file → why


# What somebody gives a function: as typed in a form or a shell, or as JSON


FIELD = "argument_"  # what fields of arguments in a form begin with
YES = {"yes", "true", "1", "on"}
NO = {"no", "false", "0", "off", ""}
LONGEST = 1000


def checked(function: Function, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with their types; what the signature has a default for may be left out."""
    known = {one.name: one for one in function.parameters}
    for name in given:
        if name not in known:
            raise Refused(
                message(
                    "%(function)s has no argument %(name)s. It takes: %(names)s.",
                    function=function.name,
                    name=name,
                    names=", ".join(known) or "–",
                ),
                field=f"{FIELD}{name}",
            )
    return {one.name: _value(one, given.get(one.name)) for one in function.parameters}


def _value(parameter: Parameter, given: Any) -> Any:
    if given is None or (given == "" and parameter.kind is not str):
        if parameter.required and parameter.kind is not bool:
            raise _wrong(parameter, message("%(name)s is required.", name=parameter.name))
        return parameter.default if not parameter.required else False
    if isinstance(given, str) and parameter.kind is not str:
        given = _typed(parameter, given.strip())
    if parameter.kind is float and isinstance(given, int) and not isinstance(given, bool):
        given = float(given)
    if type(given) is not parameter.kind:
        raise _no_such(parameter)
    if isinstance(given, str) and (len(given) > LONGEST or "\0" in given):
        raise _wrong(parameter, message("%(name)s is too long.", name=parameter.name))
    if parameter.required and given == "":
        raise _wrong(parameter, message("%(name)s is required.", name=parameter.name))
    return given


def _typed(parameter: Parameter, text: str) -> Any:
    if parameter.kind is bool:
        if text.lower() in YES | NO:
            return text.lower() in YES
        raise _no_such(parameter)
    try:
        found = parameter.kind(text[:LONGEST])
    except ValueError:
        raise _no_such(parameter) from None
    if isinstance(found, float) and not math.isfinite(found):
        raise _no_such(parameter)
    return found


def _no_such(parameter: Parameter) -> Refused:
    kinds = {
        int: message("%(name)s must be a whole number.", name=parameter.name),
        float: message("%(name)s must be a number.", name=parameter.name),
        bool: message("%(name)s must be yes or no.", name=parameter.name),
    }
    return _wrong(
        parameter, kinds.get(parameter.kind, message("%(name)s must be text.", name=parameter.name))
    )


def _wrong(parameter: Parameter, text: Any) -> Refused:
    return Refused(text, field=f"{FIELD}{parameter.name}")


def selection(kind: str, value: str) -> Selection:
    """Which files, as somebody typed it."""
    if kind not in set(SelectionKind):
        raise Refused(message("Choose which files."), field="kind")
    value = value.strip()
    chosen = SelectionKind(kind)
    if chosen is SelectionKind.ALL:
        return Selection()
    if chosen is SelectionKind.NAME:
        if not value or len(value) > LONGEST:
            raise Refused(message("Enter a name; * and ? stand for any characters."), field="value")
    elif number_in(value) is None:
        raise Refused(message("Enter the number."), field="value")
    return Selection(chosen, value)


ACTIONS: dict[str, Message] = {
    "batch.started": message("Batch started"),
    "batch.cancelled": message("Batch cancelled"),
}
WORDS: dict[str, Message] = {
    "batch": message("Batch"),
    "function": message("Function"),
    "arguments": message("Arguments"),
    "selection": message("Files selected"),
    "files": message("Files"),
    "files_total": message("Files in total"),
}
STATES: dict[RunState, tuple[str, Message]] = {
    RunState.WAITING: ("waiting", message("Waiting")),
    RunState.RUNNING: ("busy", message("Running")),
    RunState.FINISHED: ("good", message("Finished")),
    RunState.CANCELLED: ("neutral", message("Cancelled")),
    RunState.FAILED: ("bad", message("Failed")),
}
RESULTS: dict[ResultState, tuple[str, Message]] = {
    ResultState.FAILED: ("bad", message("Error")),
    ResultState.DONE: ("good", message("Done")),
    ResultState.WAITING: ("waiting", message("Waiting")),
}
SELECTIONS: dict[SelectionKind, Message] = {
    SelectionKind.ALL: message("All files"),
    SelectionKind.JOB: message("Files of a job"),
    SelectionKind.HARVEST: message("Files of a harvest"),
    SelectionKind.ACCESSION: message("Files of an import"),
    SelectionKind.NAME: message("Files by name"),
}
