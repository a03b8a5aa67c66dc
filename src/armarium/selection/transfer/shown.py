"""Entries of a transfer as pages show them."""

from collections.abc import Mapping, Sequence
from typing import Any

from armarium.core.message import message
from armarium.languages.speech import byte_size, number, say
from armarium.selection.transfer.model import Entry, Kind
from armarium.selection.transfer.words import FIELDS, KINDS, TONES

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
                    "before": None if one.kind is Kind.MADE else readable(change.name, change.old),
                    "after": readable(change.name, change.new),
                }
                for change in one.changes
            ],
            "reason": say(one.reason) if one.reason else "",
            "settles": one.kind is Kind.CONFLICT and bool(one.changes),
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


def tabs(counts: Mapping[Kind, int], chosen: Kind | None, address: str) -> list[dict[str, Any]]:
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
        for kind in Kind
        if counts.get(kind) or kind is chosen
    ]
    return [everything, *groups]
