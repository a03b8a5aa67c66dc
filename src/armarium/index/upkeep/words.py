"""The words of the chain for people."""

from armarium.core.message import Message, message
from armarium.index.chain import words as chain_words
from armarium.index.chain.model import IndexState, Level

ACTIONS: dict[str, Message] = {
    **chain_words.ACTIONS,
    "index.imported": message("Index of others imported"),
    "index.merge_asked": message("Merge of the index asked for"),
    "index.paths_asked": message("PATH index asked for"),
    "index.retried": message("Files to be indexed tried again"),
}
WORDS: dict[str, Message] = {
    **chain_words.WORDS,
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
    "companion": message("the index that came with it, checked by sample"),
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
