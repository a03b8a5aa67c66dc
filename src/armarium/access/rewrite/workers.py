"""Workers of a page: they have no document, and so a smaller wombat of their own."""

from armarium.access.rewrite.inserting import script_json
from armarium.access.rewrite.links import Links
from armarium.access.rewrite.modules import rewrite_specifiers


def rewrite_worker(text: str, links: Links, static: str) -> str:
    """The script behind a line that loads wombat for workers; a worker must not fail for its lack."""
    start = f"self.importScripts({_script(static)});{_begin(links)}"
    return f"(function(){{try{{{start}}}catch(e){{}}}})();{text}"


def rewrite_module_worker(text: str, links: Links, static: str) -> str:
    """The same for a worker of the type "module", which has no `importScripts`."""
    return f"import {_script(static)};try{{{_begin(links)}}}catch(e){{}};{rewrite_specifiers(text, links)}"


def _script(static: str) -> str:
    return script_json(f"{static}wombatWorkers.js")


def _begin(links: Links) -> str:
    near = f"{links.prefix}{links.timestamp}wkrf_/"  # what it fetches is of the time of its page
    facts = {"prefix": links.prefix, "prefixMod": near, "originalURL": links.url}
    return f"new WBWombat({script_json(facts)})"
