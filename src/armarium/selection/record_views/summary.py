"""How a record is, for the first of its pages: what happens next, what came of it, what needs a person."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from armarium.core.message import Message, message
from armarium.core.services import Services
from armarium.languages.speech import ago, byte_size, moment, ngettext, number, say
from armarium.selection.entry.forms import shown_check
from armarium.selection.entry.model import Check
from armarium.selection.entry.service import Checks
from armarium.selection.findings.model import stop_in_words
from armarium.selection.legal.model import in_scope
from armarium.selection.legal.service import LegalScope
from armarium.selection.model import RecordState
from armarium.selection.records.model import Record
from armarium.selection.transfer.model import Harvest, Harvested, Link
from armarium.selection.transfer.service import Transfers
from armarium.web.pages import PageRequest
from armarium.web.plots.model import Plot, Series, Unit


def overview(page: PageRequest, record: Record, address: str) -> dict[str, Any]:
    services: Services = page.request.app.state.services
    trace = services.get(Transfers).trace(record.id)
    looks, running = services.get(Checks).of_record(record)
    look = looks.get(record.address)
    return {
        "sentences": [upcoming(record, trace.links), last(record)],
        "plots_of_harvests": plots(trace.harvested),
        "attention": list(attention(record, look, address)),
        "planned": [one for one in trace.links if one[0].kept["active"]],
        "look": shown_check(look) if look else None,
        "looking": running,
        "verdict": in_scope(services.get(LegalScope).notes(record.id)),
    }


def picture(page: PageRequest, record: Record) -> str:
    """Where the latest picture of the site lies; empty: there is none."""
    services: Services = page.request.app.state.services
    return services.get(Checks).pictures([record.id]).get(record.id, "")


def upcoming(record: Record, links: Sequence[tuple[Link, Harvest | None]]) -> Message | None:
    """What happens next, where something does."""
    if not record.active:
        return message("Inactive: it is not harvested.")
    if record.state is RecordState.REFUSED:
        return None
    harvests = [harvest for link, harvest in links if link.kept["active"] and harvest]
    dates = [one.next_at for one in harvests if one.active and one.next_at]
    if record.state is RecordState.PROPOSED:
        if dates:  # it was validated before, and no transfer has taken it out yet
            return message(
                "Waiting for a curator’s decision. Until the next transfer it is harvested as before, next "
                "on %(moment)s.",
                moment=moment(min(dates)),
            )
        return message("Waiting for a curator’s decision. It is not harvested until then.")
    if dates:
        return message("Next harvest %(moment)s, %(ago)s.", moment=moment(min(dates)), ago=ago(min(dates)))
    if idle := next((one for one in harvests if not one.active), None):
        return message("The harvest %(name)s is not active yet.", name=idle.name)
    return None if harvests else message("The next transfer hands it to planning.")


def last(record: Record) -> str:
    if record.harvested_at is None:
        return say(message("Never harvested."))
    objects, when = record.harvested_objects or 0, ago(record.harvested_at)
    brought = ngettext(
        "Last harvest %(ago)s: %(num)s object (%(size)s).",
        "Last harvest %(ago)s: %(num)s objects (%(size)s).",
        objects,
    ) % {"ago": when, "num": number(objects), "size": byte_size(record.harvested_bytes or 0)}
    stop = say(stop_in_words(record.harvested_stop)) if record.harvested_stop else ""
    return f"{brought} {stop}." if stop else brought


def plots(harvested: Sequence[Harvested]) -> list[Plot]:
    """Objects and bytes of its jobs that have ended, the first at the left."""
    ended = [one for one in reversed(harvested) if one.ended_at and one.objects is not None]
    if not ended:
        return []
    labels = [one.ended_at.date() for one in ended if one.ended_at]
    hrefs = [f"/harvesting/jobs/{one.job}" for one in ended]
    objects = Series(message("Objects"), [one.objects for one in ended])
    size = Series(message("Bytes"), [one.bytes for one in ended], tone="second")
    return [
        Plot("objects", message("Objects per harvest"), labels, [objects], hrefs=hrefs),
        Plot("bytes", message("Bytes per harvest"), labels, [size], unit=Unit.BYTES, hrefs=hrefs),
    ]


def attention(record: Record, look: Check | None, address: str) -> Iterator[Mapping[str, Any]]:
    """What needs a person, beside the findings."""
    if record.state is RecordState.REFUSED:
        text = message("Rejected by %(name)s: %(reason)s", name=record.stated_by, reason=record.state_reason)
        yield {"text": say(text), "tone": "bad"}
    if record.state is RecordState.PROPOSED and record.address in record.unseen:
        text = message("The address has not answered yet. The record cannot be validated before it has.")
        yield {"text": say(text), "href": f"{address}/description", "label": say(message("Live check"))}
    elif record.state is RecordState.PROPOSED and record.unseen:
        text = message(
            "One of the further addresses has not answered yet. Check it again or remove it: "
            "the record cannot be validated before."
        )
        yield {"text": say(text), "href": f"{address}/description", "label": say(message("Live check"))}
    seen = shown_check(look) if look else {}
    if look and seen["trouble"]:
        text = message("Live check, %(ago)s: %(trouble)s", ago=ago(look.checked_at), trouble=seen["trouble"])
        yield {
            "text": say(text),
            "href": f"/selection/checks/{look.id}",
            "label": say(message("Details")),
        }
