"""Reading what somebody pastes, a line an address; and what becomes of a line that is taken."""

from collections.abc import Collection

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.text import storable
from armarium.selection.entry.checker import Trouble
from armarium.selection.entry.model import (
    MOST_LINES,
    SELECTABLE,
    Batch,
    Check,
    ChosenLine,
    CommonValues,
    LineState,
)
from armarium.selection.model import Origin
from armarium.selection.records.model import Draft
from armarium.selection.records.rules import LONGEST_ADDRESS, place_of
from armarium.selection.records.writing import Entered


def read_lines(pasted: str) -> list[dict[str, object]]:
    """A row for each line that says something; lines that begin with # are remarks."""
    typed = [line for raw in pasted.splitlines() if (line := raw.strip()) and not line.startswith("#")]
    if not typed:
        raise Refused(message("Paste at least one address, one on each line."), field="addresses")
    if len(typed) > MOST_LINES:
        raise Refused(
            message(
                "These are %(count)s lines, and %(most)s can be checked at once. Paste the rest afterwards.",
                count=len(typed),
                most=MOST_LINES,
            ),
            field="addresses",
        )
    seen: dict[str, int] = {}
    return [_row(number, text, seen) for number, text in enumerate(typed, 1)]


def _row(number: int, text: str, seen: dict[str, int]) -> dict[str, object]:
    """`seen`: the keys of the lines above, with their numbers; that of this line is added."""
    row: dict[str, object] = {
        "line": number,
        "typed": storable(text)[:LONGEST_ADDRESS],
        "address": "",
        "key": "",
        "state": LineState.WAITING.value,
        "twin": 0,
        "trouble": Trouble.NONE.value,
    }
    try:
        place = place_of(storable(text))
    except Refused:
        return {**row, "state": LineState.INVALID.value, "trouble": Trouble.NO_ADDRESS.value}
    row |= {"address": place.address, "key": place.key}
    if place.key in seen:
        return {**row, "state": LineState.TWICE.value, "twin": seen[place.key]}
    seen[place.key] = number
    return row


def without(rows: list[dict[str, object]], taken: Collection[str]) -> list[dict[str, object]]:
    """The rows again, those as known whose address the collection has: nobody needs to look at them."""
    waiting = LineState.WAITING.value
    return [
        {**row, "state": LineState.KNOWN.value} if row["state"] == waiting and row["key"] in taken else row
        for row in rows
    ]


# What becomes of a line that somebody takes


def record_of(
    batch: Batch, check: Check | None, taken: ChosenLine, common: CommonValues, origin: Origin
) -> Entered:
    """The draft of a record; refuses what was not seen to answer."""
    if check is None:
        raise Refused(message("This list has no check %(number)s.", number=taken.check), field="lines")
    if check.record is not None:
        raise Refused(
            message(
                "Line %(line)s is a record already: record %(record)s.", line=check.line, record=check.record
            ),
            field="lines",
        )
    if check.state not in SELECTABLE:
        raise Refused(
            message(
                "Line %(line)s, %(address)s, cannot be selected: it was not seen to answer.",
                line=check.line,
                address=check.typed,
            ),
            field="lines",
        )
    address = taken.address or check.final
    if address not in check.addresses:
        raise Refused(
            message(
                "%(address)s is no address to which line %(line)s leads.", address=address, line=check.line
            ),
            field="lines",
        )
    draft = Draft(
        batch.collection,
        address,
        common.theme,
        common.budget,
        common.frequency,
        common.depth,
        title=check.title if taken.title is None else taken.title,
        language=check.language if taken.language is None else taken.language,
        responsible=common.responsible,
    )
    return Entered(draft, origin, check.id)
