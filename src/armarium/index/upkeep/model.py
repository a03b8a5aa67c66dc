"""Figures of the chain."""

from collections.abc import Mapping
from dataclasses import dataclass

from armarium.index.chain.model import IndexState


@dataclass(frozen=True)
class Totals:
    files: Mapping[IndexState, int]
    failed: int  # of all states: files that were tried and could not be indexed
    lines: int
    bytes: int  # of the runs that hold them

    @property
    def waiting(self) -> int:
        asked = self.files.get(IndexState.WAITING, 0) + self.files.get(IndexState.AGAIN, 0)
        return asked - (self.failed - self.files.get(IndexState.FAILED, 0))

    @property
    def indexed(self) -> int:
        return self.files.get(IndexState.INDEXED, 0)

    @property
    def withdrawn(self) -> int:
        return self.files.get(IndexState.WITHDRAWN, 0)


@dataclass(frozen=True)
class LevelFigures:
    runs: int = 0
    lines: int = 0
    bytes: int = 0
