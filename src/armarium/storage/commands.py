"""`armarium store`: what the pages of storage do, from a shell."""

from armarium.storage.audits.commands import audits_commands
from armarium.storage.batches.commands import batch_commands
from armarium.storage.files.commands import files_commands
from armarium.storage.intake.commands import import_files
from armarium.storage.rebuild.commands import rebuild
from armarium.storage.repairs.commands import repairs_commands
from armarium.storage.replicas.commands import replicas_commands
from armarium.terminal.groups import group

store_commands = group(
    "Storage: files, replicas, audits, repairs, imports, batches.",
    old_names={
        "get": "files get",
        "record": "files record",
        "withdraw": "files withdraw",
        "restore": "files restore",
        "batch": "batches",
    },
)
store_commands.add_typer(files_commands, name="files")
store_commands.add_typer(replicas_commands, name="replicas")
store_commands.add_typer(audits_commands, name="audits")
store_commands.add_typer(repairs_commands, name="repairs")
store_commands.command("import")(import_files)
store_commands.add_typer(batch_commands, name="batches")
store_commands.command("rebuild")(rebuild)
