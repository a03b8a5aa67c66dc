"""`armarium plan harvests`: what is done with a harvest, and what it would bring."""

from armarium.planning.generation.commands import generate_jobs, preview_harvest
from armarium.planning.harvests.commands import harvests_commands

harvests_commands.command("preview")(preview_harvest)
harvests_commands.command("generate")(generate_jobs)
