"""The curves and shares of a job: while it runs and when it has ended, from the same figures."""

from collections.abc import Mapping, Sequence
from typing import Any

from armarium.core.message import message
from armarium.planning.jobs.model import Sample
from armarium.planning.labels import reason_title
from armarium.planning.model import StopReason
from armarium.web.plots.model import Drawable, Part, Plot, Series, Shape, Shares, Treemap, Unit

MOST_PARTS = 8

#: The first digit of a status code says how it went.
TONES = {"2": "good", "3": "second", "4": "warning", "5": "bad"}


def speed(samples: Sequence[Sample]) -> list[Plot]:
    at = [one.at for one in samples]
    objects = Series(message("Objects"), [round(one.objects_per_second, 2) for one in samples])
    volume = Series(message("Bytes"), [round(one.bytes_per_second) for one in samples])
    queued = Series(message("Queued"), [one.queued for one in samples], tone="second")
    return [
        Plot("speed", message("Objects per second"), at, [objects], Shape.LINES, Unit.RATE),
        Plot("volume", message("Bytes per second"), at, [volume], Shape.LINES, Unit.BYTE_RATE),
        Plot("queued", message("Queued addresses"), at, [queued], Shape.LINES),
    ]


def shares(status: Mapping[str, Any]) -> list[Drawable]:
    """Status codes and media types, as far as a collector tells of them."""
    found: list[Drawable] = []
    if codes := status.get("statuses"):
        parts = [Part(code, count, tone=TONES.get(code[:1], "soft")) for code, count in codes.items()]
        if silent := int(status.get("failed") or 0):
            parts.append(Part(message("No answer"), silent, tone="soft"))
        found.append(Shares("statuses", message("Status codes"), parts[:MOST_PARTS]))
    if types := [one for one in status.get("mimes", ()) if one.get("mime") and one.get("bytes")]:
        types.sort(key=lambda one: -one["bytes"])
        parts = [Part(one["mime"], one["bytes"]) for one in types[:MOST_PARTS]]
        found.append(Treemap("types", message("Bytes by type"), parts))
    return found


def ends(reasons: Mapping[str, int], href: str = "") -> Shares:
    """Why domains have no more than they have."""
    ordered = sorted(reasons.items(), key=lambda one: -one[1])
    parts = [
        Part(
            reason_title(reason), count, f"{href}?reason={reason or 'none'}" if href else "", tone_of(reason)
        )
        for reason, count in ordered
    ]
    return Shares("reasons", message("Domains by stop reason"), parts, href=href)


def tone_of(reason: str) -> str:
    return "good" if reason == StopReason.COMPLETE else ""
