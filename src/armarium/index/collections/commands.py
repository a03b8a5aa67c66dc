"""`armarium index collections`: collections, from a shell."""

from typing import Annotated

import typer

from armarium.core.entities import edited
from armarium.index.chain.model import Choice, Collection
from armarium.index.chain.service import Chain
from armarium.index.collections.api import shown
from armarium.index.collections.service import CollectionEditing
from armarium.terminal.groups import group
from armarium.terminal.output import show_columns, show_one
from armarium.terminal.session import Json, operator, session

collections_commands = group(
    "Collections: harvests and accessions with an index of their own.", old_names={"change": "edit"}
)

Name = Annotated[str, typer.Argument(help="The collection's name.")]
Harvests = Annotated[
    list[int] | None, typer.Option("--harvest", help="Number of a harvest; repeatable.", min=1)
]
Accessions = Annotated[
    list[int] | None, typer.Option("--accession", help="Number of an accession; repeatable.", min=1)
]


def show(editing: CollectionEditing, collection: Collection, as_json: bool) -> None:
    show_one(shown(editing, [collection])[0].model_dump(), as_json)


@collections_commands.command("list")
def list_collections(context: typer.Context, as_json: Json = False) -> None:
    """List collections with what they hold."""
    with session(context).services() as services:
        editing = CollectionEditing.of(services)
        found, _ = editing.page(limit=100_000)
        facts = [one.model_dump() for one in shown(editing, found)]
    columns = {"Name": "name", "Title": "title", "Active": "active", "Harvests": "harvests"}
    columns |= {"Accessions": "accessions", "Files": "files", "Lines": "lines"}
    show_columns(facts, as_json, columns, empty="No collections.", noun="collection")


@collections_commands.command("show")
def show_collection(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Show a collection with what it holds."""
    with session(context).services() as services:
        known = services.get(Chain).collections.named(name)
        show(CollectionEditing.of(services), known, as_json)


@collections_commands.command("add")
def add_collection(
    context: typer.Context,
    name: Name,
    title: Annotated[str, typer.Option(help="What it is, for people.")] = "",
    harvest: Harvests = None,
    accession: Accessions = None,
    as_json: Json = False,
) -> None:
    """Keep an index of its own for some harvests and accessions."""
    with session(context).services() as services:
        editing = CollectionEditing.of(services)
        choice = Choice(title, harvest or [], accession or [])
        show(editing, editing.add(operator(), name, choice), as_json)


@collections_commands.command("edit")
def change_collection(
    context: typer.Context,
    name: Name,
    title: Annotated[str | None, typer.Option(help="What it is, for people.")] = None,
    harvest: Harvests = None,
    accession: Accessions = None,
    as_json: Json = False,
) -> None:
    """Give a collection another title, other harvests or other accessions: all of them, not those to add."""
    with session(context).services() as services:
        editing = CollectionEditing.of(services)
        before = services.get(Chain).collections.named(name)
        choice = edited(before.choice, title=title, harvests=harvest, accessions=accession)
        show(editing, editing.change(operator(), before.id, choice), as_json)


@collections_commands.command("stop")
def stop(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Keep a collection no longer: its index is deleted, the files are not touched."""
    _set_active(context, name, False, as_json)


@collections_commands.command("start")
def start(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Keep a collection again that was stopped."""
    _set_active(context, name, True, as_json)


def _set_active(context: typer.Context, name: str, active: bool, as_json: bool) -> None:
    with session(context).services() as services:
        editing = CollectionEditing.of(services)
        known = services.get(Chain).collections.named(name)
        show(editing, editing.set_active(operator(), known.id, active), as_json)
