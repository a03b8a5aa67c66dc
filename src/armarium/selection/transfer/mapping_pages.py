"""The pages of the mapping."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import NotFound, Refused
from armarium.core.message import Message, message
from armarium.languages.speech import say
from armarium.selection.model import (
    BUDGETS,
    DEPTHS,
    FREQUENCIES,
    VALUES,
    Budget,
    Combination,
    Depth,
    Frequency,
)
from armarium.selection.transfer.api import MappingsService
from armarium.selection.transfer.difference import Ground
from armarium.selection.transfer.forms import (
    MAKE,
    choice_options,
    rule_of,
    target_of,
    typed_rule,
    typed_target,
)
from armarium.selection.transfer.mapping import PATTERN, Gap
from armarium.selection.transfer.mapping_service import TransferMappings
from armarium.selection.transfer.model import Rule
from armarium.web.forms import Form, filled
from armarium.web.history import history_of
from armarium.web.pages import Page, PageRequest, form_pages, guarded
from armarium.web.paging import Number
from armarium.web.posted import PostedForm
from armarium.web.routes import Router

ADDRESS = "/selection/mapping"
pages = Router(prefix=ADDRESS)
rule_pages = Router(prefix=f"{ADDRESS}/rules")


VIEW = guarded(Permission.SELECTION_VIEW)
CHANGE = Permission.SELECTION_RULES
RULES = guarded(CHANGE)

Choice = TypeVar("Choice", Budget, Frequency, Depth)


@pages.get("", dependencies=VIEW)
def mapping_page(page: Page, mappings: MappingsService, frequency: str = "") -> Response:
    ground, gaps = mappings.ground(), mappings.gaps()
    chosen = Frequency(frequency) if frequency in set(Frequency) else Frequency.MONTHLY
    return page.show(
        "selection/mapping.html",
        rules=[{"rule": one, "when": when(one)} for one in ground.mapping.rules],
        gaps=gaps_shown(gaps),
        gap_count=len(gaps),
        chosen=chosen,
        frequency_options=[(one.value, say(text)) for one, text in FREQUENCIES.items()],
        budgets=[say(text) for text in BUDGETS.values()],
        moulds=moulds(ground, chosen),
        targets=targets(ground),
        may_change=page.may(Permission.SELECTION_RULES),
    )


def when(rule: Rule) -> str:
    """Each choice with what it is a choice of: “Page” alone could be anything."""
    named = (
        (message("Budget"), BUDGETS[rule.budget] if rule.budget else None),
        (message("Frequency"), FREQUENCIES[rule.frequency] if rule.frequency else None),
        (message("Depth"), DEPTHS[rule.depth] if rule.depth else None),
    )
    said = [say(message("%(label)s: %(value)s", label=label, value=value)) for label, value in named if value]
    return " · ".join(said) or say(message("Any"))


def moulds(ground: Ground, frequency: Frequency) -> list[dict[str, Any]]:
    """A row for each depth, a cell for each budget."""
    return [
        {
            "depth": say(DEPTHS[depth]),
            "cells": [
                (say(BUDGETS[budget]), ground.mapping.mould(Combination(budget, frequency, depth)))
                for budget in Budget
            ],
        }
        for depth in Depth
    ]


def targets(ground: Ground) -> list[dict[str, Any]]:
    harvests = ground.choices.harvests
    return [
        {
            "collection": collection,
            "frequency": say(FREQUENCIES[target.frequency]),
            "target": target,
            "harvest": harvests.get(target.harvest) if target.harvest else None,
        }
        for collection, target in ground.targets()
        if collection.active
    ]


def gaps_shown(gaps: Sequence[Gap]) -> list[dict[str, Any]]:
    """Those that have their reason in common are one: a missing rule leaves a gap for each combination."""
    grouped: dict[tuple[tuple[str, ...], str, bool], list[Gap]] = {}
    for one in gaps:
        key = (one.collections, say(one.reason), one.combination is None)
        grouped.setdefault(key, []).append(one)
    return [
        {"collections": ", ".join(names), "when": _together(several), "reason": reason}
        for (names, reason, _), several in grouped.items()
    ]


def _together(gaps: Sequence[Gap]) -> list[str]:
    """In one line, if they are all combinations of some choices; else a line for each."""
    chosen = [one.combination for one in gaps if one.combination]
    if not chosen:
        return [say(FREQUENCIES[one.frequency]) for one in gaps]
    budgets = [one for one in Budget if any(one is other.budget for other in chosen)]
    frequencies = [one for one in Frequency if any(one is other.frequency for other in chosen)]
    depths = [one for one in Depth if any(one is other.depth for other in chosen)]
    if len(budgets) * len(frequencies) * len(depths) == len(chosen):
        parts = (_words(budgets, BUDGETS), _words(frequencies, FREQUENCIES), _words(depths, DEPTHS))
        return [" · ".join(parts)]
    return [
        " · ".join((say(BUDGETS[one.budget]), say(FREQUENCIES[one.frequency]), say(DEPTHS[one.depth])))
        for one in chosen
    ]


def _words(chosen: Sequence[Choice], words: Mapping[Choice, Message]) -> str:
    if len(chosen) == len(words):
        return say(message("Any"))
    return ", ".join(say(words[one]) for one in chosen)


# Rules


@rule_pages.post("/{number}/remove", dependencies=RULES)
def remove_rule(page: Page, number: Number, mappings: MappingsService) -> Response:
    mappings.remove_rule(page.actor, number)
    return page.done(ADDRESS, message("The rule is removed. See the transfer preview for its effect."))


def rule_form(rule: Rule | None) -> Form:
    return filled(**typed_rule(rule)) if rule else filled()


def save_rule(page: PageRequest, mappings: TransferMappings, rule: Rule | None, form: Form) -> Response:
    mappings.put_rule(page.actor, rule_of(form, rule.id if rule else 0))
    return page.done(ADDRESS, message("The rule is saved. See the transfer preview for its effect."))


def show_rule(page: PageRequest, mappings: TransferMappings, rule: Rule | None, form: Form) -> Response:
    profiles = mappings.ground().choices.profiles
    return page.show(
        "selection/mapping_rule.html",
        form,
        rule=rule,
        when=when(rule) if rule else "",
        options=choice_options(),
        profile_options=[("", say(message("Not set here"))), *((name, name) for name in profiles)],
        pattern=PATTERN,
        address=f"{ADDRESS}/rules/{rule.id if rule else 'new'}",
        history=history_of(page.request, page.shell, "mapping", rule.id, words=VALUES) if rule else [],
    )


form_pages(
    rule_pages,
    TransferMappings,
    view=CHANGE,
    change=CHANGE,
    form_of=rule_form,
    show=show_rule,
    save=save_rule,
)


# Targets


@pages.get("/targets/{number}/{frequency}", dependencies=RULES)
def target_page(page: Page, number: Number, frequency: str, mappings: MappingsService) -> Response:
    target = mappings.target(number, frequency_of(frequency))
    return show_target(page, mappings, number, target.frequency, filled(**typed_target(target)))


@pages.post("/targets/{number}/{frequency}", dependencies=RULES)
def change_target(
    page: Page, number: Number, frequency: str, form: PostedForm, mappings: MappingsService
) -> Response:
    chosen = frequency_of(frequency)
    try:
        mappings.put_target(page.actor, target_of(form, number, chosen))
    except Refused as refusal:
        return show_target(page, mappings, number, chosen, form.refuse(refusal))
    return page.done(ADDRESS, message("Saved. See the transfer preview for its effect."))


def frequency_of(text: str) -> Frequency:
    if text not in set(Frequency):
        raise NotFound(message("There is no frequency “%(name)s”.", name=text[:100]))
    return Frequency(text)


def show_target(
    page: PageRequest, mappings: TransferMappings, number: int, frequency: Frequency, form: Form
) -> Response:
    ground = mappings.ground()
    harvests = [(str(one.id), one.name) for one in ground.choices.harvests.values()]
    return page.show(
        "selection/mapping_target.html",
        form=form,
        collection=ground.collections[number],
        frequency=say(FREQUENCIES[frequency]),
        harvest_options=[(MAKE, say(message("Create one"))), *harvests],
        schedule_options=[(name, name) for name in ground.choices.schedules],
        address=f"{ADDRESS}/targets/{number}/{frequency.value}",
    )
