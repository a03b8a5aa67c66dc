"""The index in words and as a picture, for people, templates and the audit log."""

from collections.abc import Sequence
from dataclasses import dataclass

from armarium.core.message import Message, message
from armarium.index.chain.model import IndexState, Level

ACTIONS: dict[str, Message] = {
    "collection.added": message("Access collection added"),
    "collection.changed": message("Access collection changed"),
    "index.rebuilt": message("Index rebuilt"),
    "index.imported": message("Index imported"),
    "index.merge_asked": message("Index merge requested"),
    "index.paths_asked": message("Path index requested"),
    "index.retried": message("Indexing retried"),
}
WORDS: dict[str, Message] = {
    "accessions": message("Imports"),
    "active": message("Active"),
    "collection": message("Access collection"),
    "files": message("Files"),
    "harvests": message("Harvests"),
    "index": message("Index"),
    "title": message("Title"),
    "big": message("Full merge"),
    "bad": message("Lines skipped"),
    "lines": message("Captures"),
}

STATES: dict[IndexState, tuple[str, Message]] = {
    IndexState.WAITING: ("waiting", message("Waiting")),
    IndexState.AGAIN: ("waiting", message("To be indexed again")),
    IndexState.INDEXED: ("good", message("Indexed")),
    IndexState.FAILED: ("bad", message("Failed")),
    IndexState.WITHDRAWN: ("neutral", message("Withdrawn")),
}
MADE_FROM: dict[str, Message] = {
    "companion": message("the index received with it, spot-checked"),
    "file": message("the file itself"),
}
LEVELS: dict[Level, tuple[Message, Message]] = {
    Level.FILE: (message("Files"), message("one part for each file not merged yet")),
    Level.DAY: (message("Days"), message("one part for each day, merged every ten minutes")),
    Level.BIG: (message("All"), message("one part for all earlier days, merged at night")),
}
STEPS: dict[str, Message] = {
    "daily": message("Daily merge"),
    "big": message("Full merge of the index"),
    "drop": message("Removal of withdrawn files"),
    "clean": message("Clean-up"),
    "paths": message("Path index"),
    "collection": message("Access collection filled"),
}
STEP_STATES: dict[str, tuple[str, Message]] = {
    "running": ("busy", message("Running")),
    "finished": ("good", message("Finished")),
    "failed": ("bad", message("Failed")),
    "stopped": ("neutral", message("Stopped")),
}


# The runs of each level as a bar: every run a stretch, as wide as it is long


WIDTH, HEIGHT = 600, 20
MOST = 60  # runs that are drawn one by one; the rest is one stretch
LEAST = 4.0  # units of width: a run is seen, however short it is
GAP = 1.5


@dataclass(frozen=True)
class Stretch:
    x: float
    width: float
    lines: int
    runs: int  # more than one where the short ones are drawn together


def bar(longest: Sequence[int], runs: int, lines: int, most_lines: int) -> list[Stretch]:
    """`longest`: lines of the longest runs; `runs`, `lines`: of all of them; `most_lines`: of the level that
    has most, which is as wide as the picture."""
    pieces = [(one, 1) for one in longest]
    if runs > len(longest):
        pieces.append((max(0, lines - sum(longest)), runs - len(longest)))
    if not pieces:
        return []
    room = max(0.0, WIDTH - LEAST * len(pieces)) / max(1, most_lines)
    drawn, x = [], 0.0
    for length, count in pieces:
        width = LEAST + room * length
        drawn.append(Stretch(round(x, 2), round(max(width - GAP, 1.0), 2), length, count))
        x += width
    return drawn
