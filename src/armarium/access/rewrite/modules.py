"""The addresses in modules (`import … from "…"`, import maps), and workers, which have a smaller wombat.

All of them become absolute and get `esm_`: the server must know that a module is asked for, and a relative
address in a page would not say so. Bare names (`import "vue"`) are the import map's.
"""

import json
import re

from armarium.access.rewrite.head_insert import script_json
from armarium.access.rewrite.links import Links

_STRING = r"(\"[^\"\\\n]*\"|'[^'\\\n]*')"
_FROM = re.compile(r"from(?<![\w$.]from)\s*" + _STRING, re.ASCII)
_FOR_ITS_EFFECT = re.compile(r"import(?<![\w$.]import)\s*" + _STRING, re.ASCII)
# What may stand between the word and `from`. Searched backwards from there: forwards, a script full of
# `import` would be read again and again.
_CLAUSE = re.compile(r"(?:import|export)(?=[\s{*])[\w$\s,*{}]*\Z", re.ASCII)
_LONGEST_CLAUSE = 4000
_ADDRESS = re.compile(r"(?:[a-zA-Z][a-zA-Z0-9+.-]*:|\.{0,2}/)")


def rewrite_specifiers(text: str, links: Links) -> str:
    def specifier(found: re.Match[str]) -> str:
        quote, address = found[1][0], found[1][1:-1]
        before = found[0][: found.start(1) - found.start()]
        return f"{before}{quote}{module_address(address, links)}{quote}"

    if "from" in text:
        text = _FROM.sub(lambda found: specifier(found) if clause_before(found) else found[0], text)
    return _FOR_ITS_EFFECT.sub(specifier, text) if "import" in text else text


def imported_names(text: str) -> set[str]:
    """The names that the import statements of a module bring into it."""
    names: set[str] = set()
    for found in _FROM.finditer(text):
        clause = clause_before(found)
        if clause.startswith("import"):
            names.update(re.findall(r"[\w$]+(?=\s*(?:,|\}|$))", clause[6:].strip(), re.ASCII))
    return names


def clause_before(found: re.Match[str]) -> str:
    """`import { a }` before its `from`; "" where that is only a word."""
    text, end = found.string, found.start()
    start = max(0, end - _LONGEST_CLAUSE)
    at = max(text.rfind("import", start, end), text.rfind("export", start, end))
    clause = text[at:end] if at >= 0 else ""
    return clause if _CLAUSE.match(clause) else ""


def module_address(address: str, links: Links) -> str:
    """HTML Standard, "resolve a module specifier": only what begins like an address is one."""
    return links.absolute(address, "esm_") if _ADDRESS.match(address) else address


def rewrite_import_map(text: str, links: Links) -> str:
    """An import map with its addresses, and those of its keys that are addresses, inside the archive."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if not isinstance(data, dict):
        return text
    answer: dict[str, object] = {}
    for key, value in data.items():
        if key == "imports":
            answer[key] = _imports(value, links)
        elif key == "scopes" and isinstance(value, dict):
            answer[key] = {
                links.absolute(scope, "esm_"): _imports(each, links) for scope, each in value.items()
            }
        elif key != "integrity":  # the digests are those of scripts that are not rewritten
            answer[key] = value
    return script_json(answer)


def _imports(value: object, links: Links) -> object:
    if not isinstance(value, dict):
        return value
    return {
        module_address(key, links): module_address(each, links) if isinstance(each, str) else each
        for key, each in value.items()
    }


# Workers of a page: they have no document, and so a smaller wombat of their own.


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
