"""Rules and targets of the mapping as forms, and back."""

import json
import re
from decimal import Decimal
from typing import Any

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.languages.speech import say
from armarium.selection.model import BUDGETS, DEPTHS, FREQUENCIES, Budget, Depth, Frequency
from armarium.selection.transfer.model import Rule, Target
from armarium.web.form_values import FormReader
from armarium.web.forms import Form
from armarium.web.paging import LARGEST, number_in

POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
SIZE = re.compile(r"(\d{1,18}(?:[.,]\d{1,6})?)\s*(?:([kmgt]?)[bo])?", re.IGNORECASE)  # French: Go, Mo
LONGEST = 20_000
MAKE = "make"  # instead of the number of a harvest

CHOOSE = message("Choose one of the list.")


def rule_of(form: Form, number: int = 0) -> Rule:
    with FormReader(form) as read:
        return Rule(
            budget=read.option("budget", Budget, CHOOSE),
            frequency=read.option("frequency", Frequency, CHOOSE),
            depth=read.option("depth", Depth, CHOOSE),
            profile=form.get("profile"),
            max_objects=read.number("max_objects"),
            max_bytes=read.checked(lambda: bytes_in(form.get("max_bytes")), None),
            overrides=read.checked(lambda: overrides_in(form.get("overrides")), {}),
            pattern=form.get("pattern"),
            id=number,
        )


def typed_rule(rule: Rule) -> dict[str, object]:
    return {
        "budget": rule.budget or "",
        "frequency": rule.frequency or "",
        "depth": rule.depth or "",
        "profile": rule.profile,
        "max_objects": "" if rule.max_objects is None else str(rule.max_objects),
        "max_bytes": written_size(rule.max_bytes),
        "overrides": json.dumps(rule.overrides, indent=2, ensure_ascii=False) if rule.overrides else "",
        "pattern": rule.pattern,
    }


def choice_options() -> dict[str, list[tuple[str, str]]]:
    """For the three select boxes; the first choice stands for all."""
    first = ("", say(message("Any")))
    return {
        "budget": [first, *((one.value, say(text)) for one, text in BUDGETS.items())],
        "frequency": [first, *((one.value, say(text)) for one, text in FREQUENCIES.items())],
        "depth": [first, *((one.value, say(text)) for one, text in DEPTHS.items())],
    }


def target_of(form: Form, collection: int, frequency: Frequency) -> Target:
    automatic = form.ticked("automatic")
    if form.get("harvest") == MAKE:
        name, schedule = form.get("name"), form.get("schedule")
        return Target(collection, frequency, None, name, schedule, automatic)
    harvest = number_in(form.get("harvest"))
    if harvest is None:
        raise Refused(message("Choose a harvest, or create one."), field="harvest")
    return Target(collection, frequency, harvest, automatic=automatic)


def typed_target(target: Target) -> dict[str, object]:
    return {
        "harvest": MAKE if target.harvest is None else str(target.harvest),
        "name": target.name,
        "schedule": target.schedule,
        "automatic": "yes" if target.automatic else None,
    }


def bytes_in(text: str) -> int | None:
    """Bytes, written as 500000000, 500 MB or 1.5 GB."""
    typed = re.sub(r"[\u00a0\u202f]", " ", text).strip()
    if not typed:
        return None
    match = SIZE.fullmatch(typed)
    if match is None:
        raise Refused(
            message("Write a size as 500 MB, 1.5 GB or in bytes, 0 for no limit, or nothing."),
            field="max_bytes",
        )
    return min(int(Decimal(match[1].replace(",", ".")) * 1000 ** POWERS[(match[2] or "").upper()]), LARGEST)


def written_size(value: int | None) -> str:
    if value is None:
        return ""
    for sign, power in reversed(POWERS.items()):
        if power and value and value % 1000**power == 0:
            return f"{value // 1000**power} {sign.replace('K', 'k')}B"
    return str(value)


def overrides_in(text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        found = json.loads(text) if len(text) <= LONGEST else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Refused(message('Write overrides as JSON: {"scope": {"max_hops": 3}}.'), field="overrides")
    return found
