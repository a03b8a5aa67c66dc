"""`armarium select`: what the pages of selection do, from a shell."""

from armarium.selection.bulk.commands import bulk_commands
from armarium.selection.collections.commands import collections_commands
from armarium.selection.collections.matrix_commands import matrix_commands
from armarium.selection.entry.commands import check, enter
from armarium.selection.exchange.commands import export_records, import_records
from armarium.selection.findings.commands import findings_commands
from armarium.selection.legal.commands import scope_commands
from armarium.selection.nominations.commands import nominations_commands
from armarium.selection.record_views.commands import records_commands
from armarium.selection.search.commands import list_records, searches_commands
from armarium.selection.transfer.commands import mapping_commands, transfer
from armarium.terminal.groups import group

select_commands = group(
    "Select: records of sites, collections, nominations, transfer to planning.",
    old_names={"enter": "add", "find": "records list", "matrix": "combinations", "mapping": "rules"},
)
select_commands.command("add")(enter)
select_commands.command("check")(check)
select_commands.command("import")(import_records)
select_commands.command("export")(export_records)
select_commands.command("transfer")(transfer)
records_commands.command("list")(list_records)
select_commands.add_typer(records_commands, name="records")
select_commands.add_typer(searches_commands, name="searches")
select_commands.add_typer(bulk_commands, name="bulk")
select_commands.add_typer(nominations_commands, name="nominations")
select_commands.add_typer(findings_commands, name="findings")
select_commands.add_typer(scope_commands, name="scope")
select_commands.add_typer(collections_commands, name="collections")
select_commands.add_typer(matrix_commands, name="combinations")
select_commands.add_typer(mapping_commands, name="rules")
