"""Collections as people see them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figures:
    files: int = 0
    lines: int = 0
    bytes: int = 0  # of its own runs


@dataclass(frozen=True)
class Origin:
    """A harvest or an accession, and what the index has of it."""

    harvest: int | None
    accession: int | None
    files: int
    lines: int
