"""The transfer in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from armarium.core.message import Message, message
from armarium.languages.speech import byte_size, number, say
from armarium.selection.transfer.model import Entry, TransferKind, TransferState

KINDS: Mapping[TransferKind, Message] = {
    TransferKind.MADE: message("Created"),
    TransferKind.CHANGED: message("Changed"),
    TransferKind.TAKEN_OUT: message("Taken out"),
    TransferKind.CONFLICT: message("Conflict"),
    TransferKind.UNABLE: message("Not possible"),
    TransferKind.FAILED: message("Failed"),
}
TONES: Mapping[TransferKind, str] = {
    TransferKind.MADE: "good",
    TransferKind.CHANGED: "busy",
    TransferKind.TAKEN_OUT: "waiting",
    TransferKind.CONFLICT: "warning",
    TransferKind.UNABLE: "warning",
    TransferKind.FAILED: "bad",
}
STATES: Mapping[TransferState, tuple[str, Message]] = {
    TransferState.WAITING: ("waiting", message("Waiting")),
    TransferState.RUNNING: ("busy", message("Running")),
    TransferState.DONE: ("good", message("Done")),
    TransferState.FAILED: ("bad", message("Failed")),
}
FIELDS: Mapping[str, Message] = {
    "name": message("Configuration"),
    "seeds": message("Seeds"),
    "profile": message("Profile"),
    "max_objects": message("Objects at most"),
    "max_bytes": message("Bytes at most"),
    "overrides": message("Overrides"),
    "active": message("Active"),
    "harvest": message("Harvest"),
}

ACTIONS: dict[str, Message] = {
    "mapping.rule_changed": message("Transfer rule changed"),
    "mapping.target_changed": message("Harvest of a collection changed"),
    "transfer.started": message("Transfer to planning started"),
    "transfer.done": message("Transfer to planning done"),
    "transfer.settled": message("Conflict with planning settled"),
}
WORDS: dict[str, Message] = {
    "mapping": message("Transfer rules"),
    "transfer": message("Transfer"),
    "pattern": message("Name of the configuration"),
    "automatic": message("Before each run"),
    "made": message("Created"),
    "changed": message("Changed"),
    "taken_out": message("Taken out"),
    "conflict": message("Conflicts"),
    "unable": message("Not possible"),
    "failed": message("Failed"),
    "side": message("Whose value stands"),
    "fields": message("Fields"),
}


# Entries as pages show them


NO_LIMIT = message("no limit")
NONE = message("none")


def entries_shown(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    return [
        {
            "entry": one,
            "kind": say(KINDS[one.kind]),
            "tone": TONES[one.kind],
            "changes": [
                {
                    "key": say(FIELDS[change.name]),
                    # What was not there before was not “no limit” either.
                    "before": None if one.kind is TransferKind.MADE else readable(change.name, change.old),
                    "after": readable(change.name, change.new),
                }
                for change in one.changes
            ],
            "reason": say(one.reason) if one.reason else "",
            "settles": one.kind is TransferKind.CONFLICT and bool(one.changes),
        }
        for one in entries
    ]


def readable(name: str, value: Any) -> str:
    if name in ("max_objects", "max_bytes"):
        if value is None:
            return say(NO_LIMIT)
        return byte_size(value) if name == "max_bytes" else number(value)
    if isinstance(value, bool):
        return say(message("yes") if value else message("no"))
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {inner}" for key, inner in value.items()) or say(NONE)
    return str(value).replace("\n", ", ") if value else say(NONE)


def tabs(
    counts: Mapping[TransferKind, int], chosen: TransferKind | None, address: str
) -> list[dict[str, Any]]:
    """A tab for each group that has something in it, and for the chosen one."""
    joint = "&" if "?" in address else "?"
    total = sum(counts.values())
    everything = {"label": say(message("All")), "href": address, "count": total, "current": chosen is None}
    groups = [
        {
            "label": say(KINDS[kind]),
            "href": f"{address}{joint}kind={kind.value}",
            "count": counts.get(kind, 0),
            "current": kind is chosen,
        }
        for kind in TransferKind
        if counts.get(kind) or kind is chosen
    ]
    return [everything, *groups]
