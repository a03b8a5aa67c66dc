"""The form by which lines are taken, and lines as pages show them."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from armarium.core.message import message
from armarium.languages.speech import say
from armarium.selection.collections.forms import usual_values
from armarium.selection.collections.model import Collection
from armarium.selection.entry.checker import RobotsSays, Step, Trouble
from armarium.selection.entry.model import (
    ENDED,
    PICTURES,
    ROBOTS,
    STATES,
    TROUBLES,
    WAYS,
    Batch,
    Check,
    ChosenLine,
    CommonValues,
    Line,
    LineState,
)
from armarium.selection.entry.service import topic
from armarium.selection.model import Budget, Depth, Frequency
from armarium.web.form_values import FormReader
from armarium.web.forms import Form, filled

CHOOSE = message("Choose one from the list.")


def usual(collection: Collection, account: int | None, lines: Sequence[Line]) -> Form:
    """What the collection and the page itself suggest."""
    values = {**usual_values(collection), "responsible": account or ""}
    if len(lines) == 1:
        values |= {"title": lines[0].check.title, "language": lines[0].check.language}
    return filled(**values)


def collection_of(form: Form) -> int:
    with FormReader(form) as read:
        return read.thing("collection", message("Choose the collection that the addresses are for.")) or 0


def common_of(form: Form) -> CommonValues:
    with FormReader(form) as read:
        return CommonValues(
            theme=read.thing("theme", CHOOSE, required=False) or 0,
            budget=read.choice("budget", Budget, CHOOSE),
            frequency=read.choice("frequency", Frequency, CHOOSE),
            depth=read.choice("depth", Depth, CHOOSE),
            responsible=read.thing("responsible", CHOOSE, required=False),
        )


def taken_of(form: Form) -> list[ChosenLine]:
    """The ticked lines. Title and language are there only where one address was entered alone."""
    title = form.get("title") if form.ticked("title") else None
    language = form.get("language") if form.ticked("language") else None
    numbers = [int(text) for text in form.chosen("line") if text.isascii() and text.isdigit()]
    return [
        ChosenLine(number, form.get(f"address-{number}"), title, language)
        for number in dict.fromkeys(numbers)
    ]


# Lines as pages show them


def shown_check(check: Check) -> dict[str, Any]:
    """What was seen, in words."""
    words, tone = STATES[check.state]
    return {
        "check": check,
        "words": say(words),
        "tone": tone,
        "trouble": say(TROUBLES[check.trouble]) if check.trouble is not Trouble.NONE else "",
        "told": next((step.told for step in reversed(check.steps) if step.told), ""),
        "steps": [(step, say(WAYS[step.way])) for step in check.steps],
        "robots": say(ROBOTS[check.robots]),
        "robots_warns": check.robots in (RobotsSays.FORBIDDEN, RobotsSays.OUT_OF_REACH),
        "picture": say(PICTURES[check.picture_state]),
    }


def shown_line(line: Line, form: Form) -> dict[str, Any]:
    words, tone = STATES[line.state]
    number = str(line.check.id)
    again = bool(form.lists)  # the form comes back with an error: as the person had it
    return {
        **shown_check(line.check),
        "line": line,
        "words": say(words),
        "tone": tone,
        "options": _options(line),
        "ticked": number in form.chosen("line") if again else line.ticked,
        "chosen": form.get(f"address-{number}") or line.preferred,
    }


def _options(line: Line) -> list[tuple[Step, str]]:
    """The steps of which one can be chosen, each address once."""
    once = {step.url: step for step in reversed(line.check.steps)}
    return [(once[address], say(WAYS[once[address].way])) for address in line.choices]


def shown_batch(batch: Batch, lines: Sequence[Line], form: Form) -> dict[str, Any]:
    counts = Counter(line.state for line in lines)
    done = sum(line.check.state in ENDED for line in lines)
    return {
        "batch": batch,
        "rows": [shown_line(line, form) for line in lines],
        "counts": [
            (say(STATES[state][0]), STATES[state][1], counts[state]) for state in LineState if counts[state]
        ],
        "done": done,
        "finished": done == len(lines),
        "selectable": sum(bool(line.choices) for line in lines),
        "made": [line.check for line in lines if line.check.record is not None],
        "topic": topic(batch.id),
    }
