"""The index in words and as a picture, for people, templates and the audit log."""

from collections.abc import Sequence
from dataclasses import dataclass

from armarium.core.message import Message, message
from armarium.index.chain.model import IndexState, Level

ACTIONS: dict[str, Message] = {
    "collection.added": message("Collection of the index added"),
    "collection.changed": message("Collection of the index changed"),
    "index.rebuilt": message("Index made anew from the files"),
    "index.imported": message("Index of others imported"),
    "index.merge_asked": message("Merge of the index asked for"),
    "index.paths_asked": message("PATH index asked for"),
    "index.retried": message("Files to be indexed tried again"),
}
WORDS: dict[str, Message] = {
    "accessions": message("Accessions"),
    "active": message("Active"),
    "collection": message("Collection"),
    "files": message("Files"),
    "harvests": message("Harvests"),
    "index": message("Index"),
    "title": message("Title"),
    "big": message("Into the big run"),
    "bad": message("Lines left out"),
    "lines": message("Lines"),
}

STATES: dict[IndexState, tuple[str, Message]] = {
    IndexState.WAITING: ("waiting", message("Waiting")),
    IndexState.AGAIN: ("waiting", message("To be made anew")),
    IndexState.INDEXED: ("good", message("Indexed")),
    IndexState.FAILED: ("bad", message("Failed")),
    IndexState.WITHDRAWN: ("neutral", message("Withdrawn")),
}
MADE_FROM: dict[str, Message] = {
    "companion": message("the index received with it, spot-checked"),
    "file": message("the file itself"),
}
LEVELS: dict[Level, tuple[Message, Message]] = {
    Level.FILE: (message("Files"), message("one run for each file that no merge has taken yet")),
    Level.DAY: (message("Days"), message("what was stored on a day, merged every ten minutes")),
    Level.BIG: (message("Big run"), message("all days that are over, merged at night")),
}
STEPS: dict[str, Message] = {
    "daily": message("Merge into days"),
    "big": message("Merge into the big run"),
    "drop": message("Withdrawn files dropped"),
    "clean": message("Cleaning"),
    "paths": message("PATH index"),
    "collection": message("Collection filled"),
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
