"""What becomes of a line that somebody takes."""

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.entry.model import SELECTABLE, Batch, Check, Common, Taken
from armarium.selection.model import Origin
from armarium.selection.records.model import Draft
from armarium.selection.records.writing import Entered


def entered(batch: Batch, check: Check | None, taken: Taken, common: Common, origin: Origin) -> Entered:
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
