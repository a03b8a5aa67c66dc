"""`armarium select`: what the pages of selection do, from a shell."""

import typer

from armarium.selection.bulk.commands import bulk_commands
from armarium.selection.collections.commands import collections_commands
from armarium.selection.collections.matrix_commands import matrix_commands
from armarium.selection.entry.commands import check, enter
from armarium.selection.exchange.commands import export_records, import_records
from armarium.selection.findings.commands import findings_commands
from armarium.selection.legal.commands import scope_commands
from armarium.selection.nominations.commands import nominations_commands
from armarium.selection.record_views.commands import records_commands
from armarium.selection.search.commands import find, searches_commands
from armarium.selection.transfer.commands import mapping_commands, transfer

select_commands = typer.Typer(no_args_is_help=True, help="Selection: collections, records, their transfer.")
# Each line of the help is cut at the width of a terminal: what is said there is short.
select_commands.command("enter", short_help="Enter addresses, look at them, make records of them.")(enter)
select_commands.command("check", short_help="Look at addresses as the crawler would see them.")(check)
select_commands.command("find")(find)
select_commands.command("import", short_help="Import records from a CSV or Excel file.")(import_records)
select_commands.command("export")(export_records)
select_commands.command("transfer", short_help="Hand validated, active records to planning.")(transfer)
select_commands.add_typer(records_commands, name="records")
select_commands.add_typer(searches_commands, name="searches")
select_commands.add_typer(bulk_commands, name="bulk")
select_commands.add_typer(nominations_commands, name="nominations")
select_commands.add_typer(findings_commands, name="findings")
select_commands.add_typer(scope_commands, name="scope")
select_commands.add_typer(collections_commands, name="collections")
select_commands.add_typer(matrix_commands, name="matrix")
select_commands.add_typer(mapping_commands, name="mapping")
