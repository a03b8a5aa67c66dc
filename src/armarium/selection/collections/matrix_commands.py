"""Commands for the matrix."""

from typing import Annotated

import typer

from armarium.selection.collections.model import EVERYTHING, Matrix
from armarium.selection.collections.service import Collections
from armarium.selection.model import Budget, Combination, Depth, Frequency
from armarium.terminal.groups import group
from armarium.terminal.output import show_json, show_table
from armarium.terminal.session import Json, operator, service

matrix_commands = group("Allowed combinations of budget, frequency and depth.", old_names={"show": "list"})

Budgets = Annotated[list[Budget] | None, typer.Option("--budget", help="Without it: every budget.")]
Frequencies = Annotated[
    list[Frequency] | None, typer.Option("--frequency", help="Without it: every frequency.")
]
Depths = Annotated[list[Depth] | None, typer.Option("--depth", help="Without it: every depth.")]
Reason = Annotated[str, typer.Option(help="Why not: librarians are told.")]


def meant(
    budgets: list[Budget] | None, frequencies: list[Frequency] | None, depths: list[Depth] | None
) -> list[Combination]:
    """All combinations of what was typed. To type nothing is more likely a slip than a wish."""
    if not (budgets or frequencies or depths):
        raise typer.BadParameter("Name a --budget, a --frequency or a --depth.")
    return [
        one
        for one in EVERYTHING
        if one.budget in (budgets or Budget)
        and one.frequency in (frequencies or Frequency)
        and one.depth in (depths or Depth)
    ]


def shown(matrix: Matrix, as_json: bool) -> None:
    if as_json:
        return show_json([{**vars(one), "reason": reason} for one, reason in matrix.ordered])
    rows = [(block.words, group.reason) for group in matrix.groups for block in group.blocks]
    return show_table(("Cannot be chosen", "Because"), rows, empty="Everything goes together.")


@matrix_commands.command("list")
def show_matrix(context: typer.Context, as_json: Json = False) -> None:
    """Show which combinations cannot be chosen, and why."""
    with service(context, Collections) as collections:
        return shown(collections.matrix(), as_json)


@matrix_commands.command("forbid")
def forbid(
    context: typer.Context,
    reason: Reason,
    budgets: Budgets = None,
    frequencies: Frequencies = None,
    depths: Depths = None,
    as_json: Json = False,
) -> None:
    """Let combinations no longer be chosen; records keep what they have."""
    wanted = meant(budgets, frequencies, depths)
    with service(context, Collections) as collections:
        known = collections.matrix()
        refused = {**known.refused, **dict.fromkeys(wanted, reason)}
        return shown(collections.set_matrix(operator(), refused, seen=known.mark), as_json)


@matrix_commands.command("allow")
def allow(
    context: typer.Context,
    budgets: Budgets = None,
    frequencies: Frequencies = None,
    depths: Depths = None,
    as_json: Json = False,
) -> None:
    """Let combinations be chosen again."""
    wanted = set(meant(budgets, frequencies, depths))
    with service(context, Collections) as collections:
        known = collections.matrix()
        refused = {one: reason for one, reason in known.refused.items() if one not in wanted}
        return shown(collections.set_matrix(operator(), refused, seen=known.mark), as_json)
