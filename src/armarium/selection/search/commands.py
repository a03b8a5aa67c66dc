"""Commands of the search and of saved searches."""

from typing import Annotated, Any

import typer

from armarium.accounts.service import Accounts
from armarium.selection.permissions import shell_editor
from armarium.selection.records.model import Record
from armarium.selection.search.model import ORDERS, Question, Saved, Shared, Sharing
from armarium.selection.search.service import Search, Searches
from armarium.terminal.groups import group
from armarium.terminal.output import show_json, show_rows
from armarium.terminal.session import Json, operator, service, session

searches_commands = group("Saved searches.", old_names={"delete": "remove"})

Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where", "-w", help="A field and what is asked of it, as state=refused; again for several."
    ),
]
Name = Annotated[str, typer.Argument(help="The search's name or number.")]


def question_of(where: list[str] | None, text: str = "", order: str = "") -> Question:
    """From options: each `field=value` as the query string of the page has it."""
    given: dict[str, list[str]] = {}
    for one in where or []:
        name, sign, value = one.partition("=")
        if not sign:
            raise typer.BadParameter(f"“{one}” has no =. Write state=refused.")
        given.setdefault(name.strip(), []).append(value)
    if text:
        given["q"] = [text]
    if order:
        given["order"] = [order]
    return Question.of(given)


def described(record: Record) -> dict[str, Any]:
    return {"id": record.id, **record.described(), "host": record.host, "domain": record.domain}


def list_records(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="Words in address, title, keywords or notes.")] = "",
    where: Where = None,
    search: Annotated[str, typer.Option(help="The name or number of a saved search.")] = "",
    order: Annotated[str, typer.Option(help=f"By one of: {', '.join(ORDERS)}.")] = "",
    limit: Annotated[int, typer.Option(help="How many at most.", min=1, max=100_000)] = 100,
    count: Annotated[bool, typer.Option("--count", help="Only how many there are.")] = False,
    as_json: Json = False,
) -> None:
    """List records, found by words and by any of their fields.

    Example: armarium select records list -w state=proposed -w theme=News --order modified
    """
    with session(context).services() as services:
        question = question_of(where, text, order)
        if search:
            saved = services.get(Searches).named(shell_editor(operator()), search)
            question = Question.parse(saved.query)
        finder = services.get(Search)
        if count:
            number = finder.count(question)
            return show_json({"total": number}) if as_json else typer.echo(number)
        found = finder.page(question, limit=limit)
        total = finder.count(question) if len(found) == limit and not as_json else None
    rows = ((one.id, one.name, one.collection_name, one.state.value, one.responsible_name) for one in found)
    return show_rows(
        map(described, found),
        as_json,
        ("Number", "Record", "Collection", "State", "Responsible"),
        rows,
        empty="No record fits.",
        noun="record",
        total=total,
    )


def described_search(saved: Saved) -> dict[str, Any]:
    return {"id": saved.id, **saved.described()}


def shown(saved: Saved, as_json: bool) -> None:
    if as_json:
        return show_json(described_search(saved))
    return typer.echo(f"{saved.id}  {saved.name}  {saved.owner_name}  {saved.query}")


@searches_commands.command("list")
def list_searches(context: typer.Context, as_json: Json = False) -> None:
    """List saved searches, of everybody."""
    with service(context, Searches) as searches:
        found = searches.visible(shell_editor(operator()))
    rows = ((one.id, one.name, one.owner_name, one.shared.value, one.query) for one in found)
    return show_rows(
        map(described_search, found),
        as_json,
        ("Number", "Name", "Owner", "Shared", "Query"),
        rows,
        empty="No saved searches.",
        noun="saved search",
    )


@searches_commands.command("add")
def add_search(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Its name.")],
    owner: Annotated[str, typer.Option(help="The name of the account whose search it is.")],
    where: Where = None,
    text: Annotated[str, typer.Option(help="Words in address, title, keywords or notes.")] = "",
    everybody: Annotated[bool, typer.Option("--everybody", help="Everybody may use it.")] = False,
    as_json: Json = False,
) -> None:
    """Save a search for somebody."""
    question = question_of(where, text)
    sharing = Sharing(Shared.EVERYBODY if everybody else Shared.NOBODY)
    with session(context).services() as services:
        account = services.get(Accounts).named(owner).id
        made = services.get(Searches).save(shell_editor(operator()), name, question, sharing, owner=account)
    return shown(made, as_json)


@searches_commands.command("hand-over")
def hand_over(
    context: typer.Context,
    name: Name,
    to: Annotated[str, typer.Argument(help="The name of an account.")],
    as_json: Json = False,
) -> None:
    """Hand a search over to another account."""
    with service(context, Searches) as searches:
        known = searches.named(shell_editor(operator()), name)
        return shown(searches.hand_over(shell_editor(operator()), known.id, to), as_json)


@searches_commands.command("remove")
def delete(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Delete a saved search."""
    with service(context, Searches) as searches:
        known = searches.named(shell_editor(operator()), name)
        return shown(searches.delete(shell_editor(operator()), known.id), as_json)
