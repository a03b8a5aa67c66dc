"""Commands for the transfer and its mapping."""

from dataclasses import replace
from typing import Annotated, Any

import typer

from armarium.core.errors import Refused
from armarium.languages.speech import say
from armarium.selection.collections.service import Collections
from armarium.selection.model import Budget, Depth, Frequency
from armarium.selection.transfer.forms import bytes_in, overrides_in
from armarium.selection.transfer.labels import readable
from armarium.selection.transfer.mapping_service import TransferMappings
from armarium.selection.transfer.model import Entry, Rule, Target, Transfer
from armarium.selection.transfer.service import Transfers
from armarium.terminal.groups import group
from armarium.terminal.output import show_json, show_one, show_table
from armarium.terminal.session import Json, operator, service, session

mapping_commands = group(
    "Transfer rules: what planning is told of a record.", old_names={"show": "list", "set": "edit"}
)

Chosen = Annotated[str, typer.Option("--collection", help="Only the collection of this name.")]


def details(one: Entry) -> str:
    changes = (
        f"{change.name}: {readable(change.name, change.old)} → {readable(change.name, change.new)}"
        for change in one.changes
    )
    return "; ".join([*changes, *([say(one.reason)] if one.reason else [])])


def transfer(
    context: typer.Context,
    preview: Annotated[
        bool, typer.Option("--preview", help="Show what would change, and change nothing.")
    ] = False,
    collection: Chosen = "",
    as_json: Json = False,
) -> None:
    """Hand validated, active records to planning, and wait until it is done."""
    with session(context).services() as services:
        transfers = services.get(Transfers)
        number = services.get(Collections).named(collection).id if collection else None
        if preview:
            return show_entries(transfers.preview(number).entries, as_json)
        begun = transfers.begin(operator(), number)
        try:
            transfers.carry_out(begun.id)
        except BaseException as error:  # also Ctrl-C: nobody goes on with it
            transfers.fail(begun.id, str(error) or type(error).__name__)
            raise
        return show_transfer(transfers.get(begun.id), as_json)


def show_entries(entries: list[Entry], as_json: bool) -> None:
    if as_json:
        return show_json([one.document() for one in entries])
    rows = ((one.kind.value, one.record, one.title, one.domain, details(one)) for one in entries)
    return show_table(("What", "Record", "Title", "Domain", "Details"), rows, empty="Nothing to do.")


def show_transfer(done: Transfer, as_json: bool) -> None:
    counts = {kind.value: count for kind, count in done.counts.items()}
    facts = {"id": done.id, "state": done.state.value, "records": done.handled, **counts}
    return show_one(facts, as_json)


def rule_described(rule: Rule) -> dict[str, object]:
    return {"id": rule.id, **rule.described()}


@mapping_commands.command("list")
def show_mapping(context: typer.Context, as_json: Json = False) -> None:
    """Show the rules, the harvests of collections, and what is missing."""
    with service(context, TransferMappings) as mappings:
        ground, gaps = mappings.ground(), mappings.gaps()
    targets = ground.targets()
    missing = [f"{', '.join(gap.collections)}, {gap.frequency}: {say(gap.reason)}" for gap in gaps]
    if as_json:
        return show_json(
            {
                "rules": [rule_described(one) for one in ground.mapping.rules],
                "targets": [{"collection": one.name, **target.described()} for one, target in targets],
                "gaps": missing,
            }
        )
    rules = (
        (one.budget, one.frequency, one.depth, one.profile, one.max_objects, one.max_bytes, one.pattern)
        for one in ground.mapping.rules
    )
    show_table(("Budget", "Frequency", "Depth", "Profile", "Objects", "Bytes", "Name"), rows=rules)
    rows = (
        (one.name, target.frequency, target.harvest or target.name, target.schedule, target.automatic)
        for one, target in targets
    )
    show_table(
        ("Collection", "Frequency", "Harvest", "Schedule", "Before runs"), rows, empty="No collections."
    )
    return show_table(("Missing",), ((one,) for one in missing), empty="Nothing is missing.")


@mapping_commands.command("edit")
def set_mapping(
    context: typer.Context,
    budget: Annotated[Budget | None, typer.Option(help="For this budget; else for all.")] = None,
    frequency: Annotated[Frequency | None, typer.Option(help="For this frequency; else for all.")] = None,
    depth: Annotated[Depth | None, typer.Option(help="For this depth; else for all.")] = None,
    profile: Annotated[str | None, typer.Option(help="A profile of planning.")] = None,
    max_objects: Annotated[int | None, typer.Option(help="0 for no limit.", min=0)] = None,
    max_bytes: Annotated[str | None, typer.Option(help="As 500MB or 1.5GB; 0 for no limit.")] = None,
    overrides: Annotated[str | None, typer.Option(help="Parts of a crawl order, as JSON.")] = None,
    name: Annotated[str | None, typer.Option(help="Of the configuration, with {record} in it.")] = None,
    as_json: Json = False,
) -> None:
    """Set the rule for some choices; what is not given stays as it is."""
    wanted = Rule(budget, frequency, depth)
    typed: dict[str, Any] = {"profile": profile, "max_objects": max_objects, "pattern": name}
    typed["max_bytes"] = bytes_in(max_bytes) if max_bytes is not None else None
    typed["overrides"] = overrides_in(overrides) if overrides is not None else None
    given = {key: value for key, value in typed.items() if value is not None}
    with service(context, TransferMappings) as mappings:
        rule = replace(mappings.rule_for(wanted) or wanted, **given)
        made = mappings.put_rule(operator(), rule)
    return show_one(rule_described(made), as_json)


@mapping_commands.command("target")
def set_target(
    context: typer.Context,
    collection: Annotated[str, typer.Argument(help="The collection's name.")],
    frequency: Annotated[Frequency, typer.Argument(help="Of its records.")],
    harvest: Annotated[int | None, typer.Option(help="The number of a harvest that there is.", min=1)] = None,
    name: Annotated[str, typer.Option(help="Of a harvest to be made.")] = "",
    schedule: Annotated[str, typer.Option(help="Of a harvest to be made.")] = "",
    automatic: Annotated[
        bool, typer.Option("--automatic/--by-hand", help="Transfer before each run, or not.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Choose the harvest that takes the records of a collection with a frequency."""
    if harvest is None and not name:
        raise Refused("Give --harvest, or --name and --schedule of one to be made.")
    with session(context).services() as services:
        number = services.get(Collections).named(collection).id
        given = Target(number, frequency, harvest, name, schedule, automatic)
        made = services.get(TransferMappings).put_target(operator(), given)
    facts = {"collection": collection, **made.described()}
    return show_one(facts, as_json)
