"""Commands for records: what the pages do, from a shell."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from armarium.accounts.service import Accounts
from armarium.core.errors import Refused
from armarium.core.services import Services
from armarium.languages.speech import byte_size
from armarium.selection.collections.model import Collection
from armarium.selection.collections.service import Collections
from armarium.selection.entry.service import Checks
from armarium.selection.model import STATES, Budget, Depth, Frequency, RecordState
from armarium.selection.permissions import shell_editor
from armarium.selection.records.forms import further_in
from armarium.selection.records.model import Comment, Draft, Further, Record
from armarium.selection.records.service import Destination, Records
from armarium.selection.records.writing import Entered
from armarium.terminal.groups import group
from armarium.terminal.output import show_json, show_one, show_rows, show_summary
from armarium.terminal.session import Json, operator, service, session
from armarium.terminal.tables import ago

records_commands = group(
    "Records: the sites that are wanted.", old_names={"change": "edit", "refuse": "reject"}
)

Number = Annotated[int, typer.Argument(help="The record's number.", min=1)]
Numbers = Annotated[list[int], typer.Argument(help="The records' numbers.", min=1)]
Collected = Annotated[str, typer.Option("--collection", help="The collection's name.")]
Theme = Annotated[str | None, typer.Option(help="A theme of the collection.")]
Title = Annotated[str | None, typer.Option(help="Without one, the record is called by its address.")]
Language = Annotated[str | None, typer.Option(help="A code such as fr, de or pt-BR.")]
Keyword = Annotated[list[str] | None, typer.Option(help="May be given several times.")]
OfContent = Annotated[str | None, typer.Option("--content-notes", help="Notes on the content.")]
Technical = Annotated[str | None, typer.Option("--technical-notes", help="Technical notes.")]
Responsible = Annotated[str | None, typer.Option(help="An account's name; empty: nobody.")]
FurtherOption = Annotated[
    list[str] | None,
    typer.Option(
        "--further", help="“ADDRESS NOTE”: of the same site, as a sitemap. May be given several times."
    ),
]
BudgetOption = Annotated[Budget | None, typer.Option("--budget", help="How much is taken.")]
FrequencyOption = Annotated[Frequency | None, typer.Option("--frequency", help="How often.")]
DepthOption = Annotated[Depth | None, typer.Option("--depth", help="How far from the address.")]

#: What nobody types.
FACTS = (
    *("stated_at", "stated_by", "origin", "created_at", "created_by", "modified_at", "modified_by"),
    *("harvested_at", "harvested_job", "edition"),
)


def described(record: Record) -> dict[str, Any]:
    return {
        "id": record.id,
        **record.described(),
        **{name: getattr(record, name) for name in FACTS},
    }


def shown(record: Record, as_json: bool) -> None:
    return show_json(described(record)) if as_json else show_record_summary(record)


def shown_many(records: Sequence[Record], as_json: bool) -> None:
    rows = ((one.id, one.name, one.collection_name, one.state.value, one.state_reason) for one in records)
    return show_rows(
        map(described, records),
        as_json,
        ("Record", "Name", "Collection", "State", "Reason"),
        rows,
        empty="Nothing changed.",
    )


@records_commands.command("show")
def show_record(context: typer.Context, number: Number, as_json: Json = False) -> None:
    """Show a record and what was said about it."""
    with service(context, Records) as records:
        record, comments = records.get(number), records.comments(number)
    if as_json:
        said = [{"at": one.at, "author": one.author, "text": one.text} for one in comments]
        return show_json({**described(record), "comments": said})
    return show_record_summary(record, comments)


def show_record_summary(record: Record, comments: Sequence[Comment] = ()) -> None:
    brought = f"{record.harvested_objects or 0:,} objects, {byte_size(record.harvested_bytes)}"
    last = (
        f"{ago(record.harvested_at)}: {brought} (job {record.harvested_job})" if record.harvested_at else ""
    )
    show_summary(
        record.name,
        f"{STATES[record.state]}{'' if record.active else ', inactive'}",
        {
            "Address": record.address,
            "Further": [one.address for one in record.further],
            "Collection": f"{record.collection_name} · {record.theme_name}",
            "Harvested": f"{record.frequency}, {record.budget} budget, depth {record.depth}",
            "Last harvest": last or "none yet",
            "Responsible": record.responsible_name,
            "Language": record.language,
            "Keywords": record.keywords,
            "Content": record.content_notes,
            "Technical": record.technical_notes,
            "Decided": record.stated_at and f"{ago(record.stated_at)} by {record.stated_by}",
            "Reason": record.state_reason,
            "Changed": f"{ago(record.modified_at)} by {record.modified_by}",
            "Comments": "\n".join(f"{one.author}, {ago(one.at)}: {one.text}" for one in comments),
        },
        below=f"Record {record.id}",
        hints=_next_steps(record),
    )


def _next_steps(record: Record) -> Sequence[str]:
    verb = "armarium select records"
    if record.state is RecordState.PROPOSED:
        return [
            f"Validate it: {verb} validate {record.id}",
            f"Reject it: {verb} reject {record.id} --reason …",
        ]
    if record.state is RecordState.REFUSED:
        return [f"Propose it again: {verb} propose {record.id}"]
    if record.active and record.harvested_at is None:
        return ["The next transfer hands it to planning: armarium select transfer"]
    return []


@records_commands.command("add")
def add_record(
    context: typer.Context,
    address: Annotated[str, typer.Argument(help="Such as https://example.org/ or example.org.")],
    collection: Collected,
    theme: Theme = None,
    budget: BudgetOption = None,
    frequency: FrequencyOption = None,
    depth: DepthOption = None,
    title: Title = None,
    language: Language = None,
    keyword: Keyword = None,
    content_notes: OfContent = None,
    technical_notes: Technical = None,
    responsible: Responsible = None,
    further: FurtherOption = None,
    as_json: Json = False,
) -> None:
    """Create a record; what is not said is as usual in the collection."""
    with session(context).services() as services:
        chosen = services.get(Collections).named(collection)
        draft = Draft(
            collection=chosen.id,
            address=address,
            theme=theme_of(chosen, theme),
            **vars(chosen.chosen(budget, frequency, depth)),
            title=title or "",
            language=language or "",
            keywords=tuple(keyword or ()),
            content_notes=content_notes or "",
            technical_notes=technical_notes or "",
            responsible=account_of(services, responsible),
            further=further_of(further),
        )
        made = services.get(Records).create(shell_editor(operator()), Entered(draft))
        services.get(Checks).see(shell_editor(operator()), made)
        return shown(made, as_json)


@records_commands.command("edit")
def change_record(
    context: typer.Context,
    number: Number,
    address: Annotated[str | None, typer.Option(help="Another address.")] = None,
    theme: Theme = None,
    budget: BudgetOption = None,
    frequency: FrequencyOption = None,
    depth: DepthOption = None,
    title: Title = None,
    language: Language = None,
    keyword: Keyword = None,
    content_notes: OfContent = None,
    technical_notes: Technical = None,
    responsible: Responsible = None,
    further: FurtherOption = None,
    active: Annotated[bool | None, typer.Option("--active/--inactive", help="Whether it is wanted.")] = None,
    as_json: Json = False,
) -> None:
    """Change a record; what is not said stays. Keywords and further addresses replace those of before."""
    given: dict[str, object] = {
        "address": address,
        "budget": budget,
        "frequency": frequency,
        "depth": depth,
        "title": title,
        "language": language,
        "content_notes": content_notes,
        "technical_notes": technical_notes,
        "active": active,
        "keywords": tuple(keyword) if keyword is not None else None,
        "further": further_of(further) if further is not None else None,
    }
    values = {name: value for name, value in given.items() if value is not None}
    with session(context).services() as services:
        records = services.get(Records)
        if theme is not None:
            values["theme"] = theme_of(services.get(Collections).get(records.get(number).collection), theme)
        if responsible is not None:
            values["responsible"] = account_of(services, responsible)
        changed = records.change_fields(shell_editor(operator()), number, values)
        services.get(Checks).see(shell_editor(operator()), changed)
        return shown(changed, as_json)


@records_commands.command("validate")
def validate_records(context: typer.Context, numbers: Numbers, as_json: Json = False) -> None:
    """Validate records: the next transfer hands them to planning.

    Example: armarium select records validate 17 18 19
    """
    return decided(context, numbers, RecordState.VALIDATED, "", as_json)


@records_commands.command("reject")
def refuse_records(
    context: typer.Context,
    numbers: Numbers,
    reason: Annotated[str, typer.Option(help="Why; their librarians read it.")],
    as_json: Json = False,
) -> None:
    """Reject records.

    Example: armarium select records reject 20 --reason "A shop; we keep its journal only."
    """
    return decided(context, numbers, RecordState.REFUSED, reason, as_json)


@records_commands.command("propose")
def propose_records(context: typer.Context, numbers: Numbers, as_json: Json = False) -> None:
    """Propose records again."""
    return decided(context, numbers, RecordState.PROPOSED, "", as_json)


@records_commands.command("move")
def move_record(
    context: typer.Context,
    number: Number,
    collection: Collected,
    theme: Theme = None,
    usual: Annotated[
        bool, typer.Option("--usual", help="Use the default settings of that collection.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Move a record to another collection."""
    with session(context).services() as services:
        chosen = services.get(Collections).named(collection)
        to = Destination(chosen.id, theme_of(chosen, theme), chosen.usual if usual else None)
        return shown(services.get(Records).move(shell_editor(operator()), number, to), as_json)


@records_commands.command("comment")
def comment_on_record(
    context: typer.Context,
    number: Number,
    text: Annotated[str, typer.Argument(help="What is said.")],
    as_json: Json = False,
) -> None:
    """Comment on a record."""
    with service(context, Records) as records:
        made = records.comment(shell_editor(operator()), number, text)
    facts = {"id": made.id, "record": made.record, "at": made.at, "author": made.author, "text": made.text}
    return show_one(facts, as_json)


def decided(
    context: typer.Context, numbers: Sequence[int], state: RecordState, reason: str, as_json: bool
) -> None:
    with service(context, Records) as records:
        found = records.decide(shell_editor(operator()), numbers, state, reason)
    return shown_many(found, as_json)


def theme_of(collection: Collection, name: str | None) -> int:
    """By its name; the usual one where none is said."""
    if name is None:
        if collection.default_theme is None:
            raise Refused(f"The collection {collection.name} has no usual theme: choose one with --theme.")
        return collection.default_theme
    found = collection.theme_named(name)
    if found is None:
        known = ", ".join(theme.name for theme in collection.active_themes)
        raise Refused(f"The collection {collection.name} has no theme “{name}”. It has: {known}.")
    return found.id


def account_of(services: Services, name: str | None) -> int | None:
    return services.get(Accounts).named(name).id if name else None


def further_of(given: Sequence[str] | None) -> tuple[Further, ...]:
    return further_in("\n".join(given or ()))
