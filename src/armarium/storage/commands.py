"""`armarium store`: what the pages of storage do, from a shell."""

import typer

from armarium.storage.audits.commands import audits_commands
from armarium.storage.batches.commands import batch_commands
from armarium.storage.files.commands import files_commands
from armarium.storage.intake.commands import import_files
from armarium.storage.rebuild.commands import rebuild
from armarium.storage.repairs.commands import repairs_commands
from armarium.storage.replicas.commands import replicas_commands

store_commands = typer.Typer(
    no_args_is_help=True, help="Storage: files, replicas, audits, repairs, imports, batches."
)
store_commands.add_typer(files_commands)  # without a name: store files, store get, …
store_commands.add_typer(replicas_commands, name="replicas")
store_commands.add_typer(audits_commands, name="audits")
store_commands.add_typer(repairs_commands, name="repairs")
store_commands.command("import")(import_files)
store_commands.add_typer(batch_commands, name="batch")
store_commands.command("rebuild")(rebuild)
