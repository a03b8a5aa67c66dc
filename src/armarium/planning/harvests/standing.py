"""Where a harvest stands, in a word, and what to say about it."""

from armarium.planning.harvests import words
from armarium.planning.harvests.model import Harvest, Standing

#: A schedule that came to its end, and the one run of a broad harvest, are no trouble: all was as asked.
NO_TROUBLE = (str(words.SCHEDULE_ENDED), str(words.RUN_ONCE))


def standing(harvest: Harvest) -> Standing:
    if harvest.under_way:
        return Standing.RUNNING
    if harvest.active:
        return Standing.PAUSED if harvest.paused else Standing.WAITING
    if harvest.trouble:
        return Standing.DONE if is_through(harvest) else Standing.STOPPED
    return Standing.STOPPED if harvest.runs else Standing.DRAFT


def is_through(harvest: Harvest) -> bool:
    """Whether no date is before it, as its schedule or its kind has it."""
    return harvest.trouble in NO_TROUBLE


def trouble_of(harvest: Harvest) -> str:
    """Why Armarium deactivated it, if something is wrong."""
    return "" if is_through(harvest) else harvest.trouble


def note_of(harvest: Harvest) -> str:
    """What was said when it came to its end in order."""
    return harvest.trouble if is_through(harvest) else ""
