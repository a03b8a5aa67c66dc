"""Where a value came from; a problem with the value points to the same place."""

from dataclasses import dataclass
from pathlib import Path


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
