"""Workers of a page: they have no document, and so a smaller wombat of their own."""

from armarium.access.rewrite.inserting import script_json
from armarium.access.rewrite.links import Links


def rewrite_worker(text: str, links: Links, static: str) -> str:
    """The script behind a line that loads wombat for workers; a worker must not fail for its lack."""
    facts = {"prefix": links.prefix, "prefixMod": f"{links.prefix}wkrf_/", "originalURL": links.url}
    script = script_json(f"{static}wombatWorkers.js")
    start = f"self.importScripts({script});new WBWombat({script_json(facts)})"
    return f"(function(){{try{{{start}}}catch(e){{}}}})();{text}"
