"""`armarium plan domains` and `armarium plan aliases`: what the pages do, from a shell."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from armarium.core.errors import Refused
from armarium.planning.domains.change_commands import change_commands
from armarium.planning.domains.imports import READING
from armarium.planning.domains.model import (
    AliasFilter,
    DomainFilter,
    DomainRow,
    Import,
)
from armarium.planning.domains.service import Domains
from armarium.terminal.groups import group
from armarium.terminal.output import (
    say,
    show_json,
    show_table,
)
from armarium.terminal.progress import Told, progress
from armarium.terminal.session import Json, operator, service, session

domains_commands = group("Domains, and files of them.")
domains_commands.add_typer(change_commands)  # without a name: they stand beside these

Name = Annotated[str, typer.Argument(help="The domain's name, or the address of one of its pages.")]


@domains_commands.command("list")
def list_domains(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Part of a name, or a pattern: lib*, *.fr.")] = "",
    tld: Annotated[str, typer.Option(help="Only of this top-level domain.")] = "",
    active: Annotated[bool | None, typer.Option("--active/--inactive", help="Only these.")] = None,
    traps: Annotated[bool | None, typer.Option("--traps/--no-traps", help="Only these.")] = None,
    never_harvested: Annotated[bool, typer.Option(help="Only domains never harvested.")] = False,
    comment: Annotated[str, typer.Option(help="Part of the comments.")] = "",
    alias: Annotated[AliasFilter | None, typer.Option(help="Only live or expired aliases, or none.")] = None,
    broad: Annotated[
        bool | None, typer.Option("--broad/--not-broad", help="Only those that broad harvests take, or not.")
    ] = None,
    limit: Annotated[int, typer.Option(help="How many at most.", min=1)] = 100,
    as_json: Json = False,
) -> None:
    """Search domains."""
    wanted = DomainFilter(name, tld, active, alias, traps, never_harvested, comment, broad)
    with service(context, Domains) as domains:
        _, total = domains.search(wanted, limit=1)
        found = list(islice(domains.every(wanted), limit))
    if as_json:
        items = [{**vars(one), "harvested": one.harvested} for one in found]
        return show_json({"items": items, "total": total.number, "more": total.more})
    columns = ("Name", "Active", "Broad", "Alias of", "Traps", "Last harvested")
    if len(found) < limit or not (total.more or total.number > limit):
        return show_table(columns, map(_line, found), empty="No domain fits.", noun="domain")
    show_table(columns, map(_line, found))
    return say(f"{len(found):,} of {'more than ' if total.more else ''}{total.number:,}: --limit shows more.")


def _line(one: DomainRow) -> tuple[object, ...]:
    return (one.name, one.active, one.broad, one.alias_name, one.traps, one.captured_at)


@domains_commands.command("add")
def add_domain(
    context: typer.Context,
    name: Name,
    seed: Annotated[list[str] | None, typer.Option(help="A seed; give it again for several.")] = None,
    comments: Annotated[str, typer.Option(help="Comments.")] = "",
    as_json: Json = False,
) -> None:
    """Create a domain with its default seeds and configuration."""
    with service(context, Domains) as domains:
        made = domains.create(
            operator(), name, seeds="\n".join(seed or []), origin="command line", comments=comments
        )
    return show_json(vars(made)) if as_json else say(f"Domain {made.name} is created: number {made.id}.")


@domains_commands.command("import")
def import_domains(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A name or address a line, or CSV; - for standard input.")],
    origin: Annotated[str, typer.Option(help="Where the domains come from; else the file's name.")] = "",
    resume: Annotated[
        int | None, typer.Option(help="Go on with the import of this number, and the same file.", min=1)
    ] = None,
    as_json: Json = False,
) -> None:
    """Create the domains of a file that there are not yet, in slices.

    Exits with 1 if lines were refused; the others are taken. If it is interrupted while it reads, give the
    same file again with --resume; what was read is made by a worker, or with --resume.
    """
    with (
        session(context).services() as services,
        _lines(file) as (name, lines),
        progress("Importing domains", quiet=as_json) as told,
    ):
        run = services.get(Domains).imports.run
        done = run(operator(), name, lines, origin=origin, resume=resume, told=partial(_tell, told))
    if as_json:
        show_json({name: value for name, value in vars(done).items() if name != "actor"})
    else:
        _say_done(done)
    if done.refused:  # the others are in
        raise typer.Exit(1)


@contextmanager
def _lines(file: Path) -> Iterator[tuple[str, Iterable[str]]]:
    if str(file) == "-":
        yield "standard input", sys.stdin
        return
    try:
        opened = file.open(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror}.") from error
    with opened as lines:  # what is not UTF-8 is refused line by line, not as a whole
        yield file.name, lines


def _tell(told: Told, now: Import) -> None:
    """How far it is, to whoever looks on."""
    text = f"{now.created:,} domains created, {now.refused:,} lines rejected"
    if now.state == READING:
        told(now.lines, None, text)
    else:
        told(now.done, now.lines, text)


def _say_done(done: Import) -> None:
    say(
        f"{done.lines} {'line' if done.lines == 1 else 'lines'}. Made: {done.created}. "
        f"Known before: {done.known}. Repeated: {done.repeated}. Refused: {done.refused}. "
        f"Empty, comments or heading: {done.skipped}."
    )
    for one in done.faults[:20]:
        say(
            f"  line {one['line']}: {one['template'] % one['values']}"
            if one["values"]
            else f"  line {one['line']}: {one['template']}"
        )
    if done.refused > 20:
        say(f"  … The page of import {done.id} shows the first 1000.")


@domains_commands.command("statistics")
def statistics(context: typer.Context, as_json: Json = False) -> None:
    """Count domains by top-level domain."""
    with session(context).services() as services:
        found = services.get(Domains).statistics()
    if as_json:
        return show_json([vars(one) for one in found])
    return show_table(("Top level", "Domains", "Active"), ((t.name, t.domains, t.active) for t in found))


# Aliases --------------------------------------------------------------------------------------------


aliases_commands = group("Aliases: domains with the content of another.", old_names={"set": "add"})

AliasName = Annotated[str, typer.Argument(help="The name of the domain that is the alias.")]


@aliases_commands.command("list")
def list_aliases(
    context: typer.Context,
    expired: Annotated[bool, typer.Option("--expired", help="Those that have to be confirmed.")] = False,
    limit: Annotated[int, typer.Option(help="How many at most.", min=1)] = 100,
    as_json: Json = False,
) -> None:
    """List aliases, the next to expire first."""
    with service(context, Domains) as domains:
        found, total = domains.aliases.page(live=not expired, limit=limit)
    if as_json:
        return show_json({"items": [vars(one) for one in found], "total": total})
    rows = ((one.id, one.name, one.of_name, one.until.date().isoformat()) for one in found)
    show_table(("Number", "Name", "Alias of", "Until"), rows, empty="There is none.")
    if total > len(found):
        say(f"{len(found):,} of {total:,}: --limit shows more.")
    return None


@aliases_commands.command("add")
def set_alias(
    context: typer.Context,
    name: AliasName,
    of: Annotated[str, typer.Argument(help="The domain that it is an alias of.")],
    as_json: Json = False,
) -> None:
    """Create a domain an alias of another: broad harvests leave it out."""
    with service(context, Domains) as domains:
        made = domains.aliases.set(operator(), domains.named(name).id, of)
    return show_json(vars(made)) if as_json else say(f"{made.name} is an alias of {of}.")


@aliases_commands.command("renew")
def renew_alias(context: typer.Context, name: AliasName, as_json: Json = False) -> None:
    """Confirm that an alias still is one."""
    with service(context, Domains) as domains:
        renewed = domains.aliases.renew(operator(), domains.named(name).id)
        until = domains.aliases.until(renewed)
    if as_json:
        return show_json({**vars(renewed), "until": until})
    return say(f"{renewed.name} is an alias until {until:%Y-%m-%d}.")


@aliases_commands.command("remove")
def remove_alias(context: typer.Context, name: AliasName, as_json: Json = False) -> None:
    """Let a domain be harvested again for itself."""
    with service(context, Domains) as domains:
        former = domains.aliases.remove(operator(), domains.named(name).id)
    return show_json(vars(former)) if as_json else say(f"{former.name} is no alias any more.")
