"""The words of batches: a function that runs over many files, and what it answered for each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from armarium.storage.model import RunState


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
