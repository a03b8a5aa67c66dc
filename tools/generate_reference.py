"""Write the pages of docs/reference/ that are made from the source.

    python tools/generate_reference.py

A page that can be generated is never written by hand; tests/architecture/test_reference.py fails when one is
out of date. To add a page, write a function that returns its text and enter it in PAGES.
"""

import enum
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import typer
from fastapi import FastAPI
from prometheus_client import CollectorRegistry
from pydantic import BaseModel
from typer.core import TyperGroup

from armarium.accounts.model import Permission, Role
from armarium.accounts.rules import PERMISSION_TITLES, PERMISSIONS, ROLE_HELP, ROLE_TITLES
from armarium.administration.api_reference import grouped
from armarium.cli.main import app
from armarium.core.crawl_order import CrawlOrder
from armarium.core.services import Services
from armarium.formats.validation import TABLES as RULE_TABLES
from armarium.formats.validation.rule import Rule
from armarium.languages.catalogues import languages
from armarium.languages.speech import translate
from armarium.planning.profiles.form import texts_below_keys
from armarium.selection.exchange.columns import COLUMNS, Read
from armarium.server.assembly import SECTIONS
from armarium.server.site_sections import SITE_SECTIONS
from armarium.settings.show import reference
from armarium.web.app import Site, build
from armarium.web.settings import WebSettings

ROOT = Path(__file__).resolve().parent.parent
COMMAND = "python tools/generate_reference.py"
NOTICE = (
    "<!-- Generated from the source by tools/generate_reference.py. Change the source, not this page. -->"
)
WIDTH = 100  # columns of a help text


def settings_page() -> str:
    return reference(SECTIONS)


# The command line -----------------------------------------------------------------------------------

COMMAND_LINE_HEAD = f"""\
# Command line

{NOTICE}

`./run ARGUMENTS` in a checkout is the same as `armarium ARGUMENTS` with `armarium-data` beside it as the data
folder. Every command that shows something takes `--json` for programs. Options such as `--home` stand before
the command: `armarium --home /srv/archive system`. What the exit codes mean: [exit codes](exit-codes.md).
"""


@cache
def command_line_page() -> str:
    parts = [f"\n## `{name}`\n\n```text\n{text}\n```\n" for name, text in helps(typer.main.get_command(app))]
    return COMMAND_LINE_HEAD + "".join(parts)


def helps(command: Any, parent: Any = None, name: str = "armarium") -> Iterator[tuple[str, str]]:
    """Each command with the words that call it and what its --help says."""
    context = command.make_context(
        name, [], parent, resilient_parsing=True, terminal_width=WIDTH, max_content_width=WIDTH
    )
    lines = command.get_help(context).rstrip().splitlines()
    yield context.command_path, "\n".join(line.rstrip() for line in lines)
    if isinstance(command, TyperGroup):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None and not found.hidden:  # names of before are not told
                yield from helps(found, context, child)


# Completion -----------------------------------------------------------------------------------------

#: Whose name an argument is, by the group of commands in which it stands.
NAMED = {
    "accounts": "account",
    "tokens": "account",
    "select collections": "collection",
    "plan harvests": "harvest",
    "plan domains": "domain",
    "plan aliases": "domain",
    "plan profiles": "profile",
    "plan schedules": "schedule",
    "plan channels": "channel",
    "plan collectors": "collector",
    "plan traps": "traps",
    "store replicas": "replica",
    "store files": "file",
    "index collections": "index",
    "reading networks": "network",
}
#: Options and other arguments that are names, by what they are called.
ALSO_NAMED = {name: name for name in ("channel", "collector", "domain", "harvest", "profile", "replica")}
ALSO_NAMED |= {"account": "account", "owner": "account", "responsible": "account", "schedule": "schedule"}
NEW = {"add", "event"}  # commands whose name is not taken yet


@cache
def completion_tree() -> str:
    text = json.dumps(tree(typer.main.get_command(app)), ensure_ascii=False, separators=(",", ":"))
    return text.replace('},"', '},\n"') + "\n"  # a line for each command, so that changes can be read


def tree(command: Any, parent: Any = None, name: str = "armarium") -> dict[str, Any]:
    """What may follow the name of a command, as a shell is told."""
    context = command.make_context(name, [], parent, resilient_parsing=True)
    options: dict[str, Any] = {}
    for param in command.get_params(context):
        if param.param_type_name == "option" and not param.hidden:
            value = None if param.is_flag else value_kind(context, param)
            options |= dict.fromkeys(
                sorted((*param.opts, *param.secondary_opts)), value
            )  # those of help are a set
    found: dict[str, Any] = {"help": command.get_short_help_str(300), "options": options}
    if isinstance(command, TyperGroup):
        shown = ((child, command.get_command(context, child)) for child in command.list_commands(context))
        return found | {
            "commands": {child: tree(one, context, child) for child, one in shown if one and not one.hidden}
        }
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    found["arguments"] = [value_kind(context, param) for param in arguments]
    return found | ({"more": True} if any(param.nargs != 1 for param in arguments) else {})


def value_kind(context: Any, param: Any) -> str | list[str]:
    """The choices, whose name it is, or that it is a path; empty: anything."""
    described = param.type_descriptor
    if described.choices:
        return [str(getattr(one, "value", one)) for one in described.choices]
    if described.is_path or "Path" in str(described.annotation):
        return "path"
    _, *groups, verb = context.command_path.split()
    if param.param_type_name == "argument" and param.name == "name" and verb not in NEW:
        return NAMED.get(" ".join(groups), "")
    if param.name == "collection" and groups[:1] == ["select"]:
        return "collection"
    return ALSO_NAMED.get(param.name, "") if "int" not in str(described.annotation) else ""


# Permissions ----------------------------------------------------------------------------------------

PERMISSIONS_HEAD = f"""\
# Roles and permissions

{NOTICE}

An account has any number of roles and may do what any of them may. Pages and API ask for the same
permissions, and a permission is also a possible scope of an API token. On the command line, whoever can use
the data folder may do everything; the audit log names that user of the machine.

The table stands in one place of the source, `src/armarium/accounts/rules.py`.
"""


def permissions_page() -> str:
    roles = [
        (f"`{role}`", str(ROLE_TITLES[role]), str(ROLE_HELP[role]), _permissions_of(role)) for role in Role
    ]
    matrix = [
        (f"`{permission}`", str(PERMISSION_TITLES[permission]), *_held_by(permission))
        for permission in Permission
    ]
    entries = [entry for section in SITE_SECTIONS for entry in section.entries]
    pages = [(str(entry.title), f"`{entry.href}`", _asked(entry.permission)) for entry in entries]
    return "\n".join(
        [
            PERMISSIONS_HEAD,
            "## Roles\n",
            table(("role", "title", "who that is", "permissions"), roles),
            "## Permissions\n",
            table(("permission", "what it allows", *Role), matrix),
            "## Pages\n",
            "What one must have to see a page; buttons on it may need more.\n",
            table(("page", "address", "permission"), pages),
            "The permission of each operation of the API is on [its own page](api.md).\n",
        ]
    )


def _permissions_of(role: Role) -> str:
    return (
        ", ".join(f"`{permission}`" for permission in Permission if permission in PERMISSIONS[role]) or "none"
    )


def _held_by(permission: Permission) -> list[str]:
    return ["yes" if permission in PERMISSIONS[role] else "" for role in Role]


def _asked(permission: Permission | str | None) -> str:
    return "none: signed in is enough" if permission in (None, "signed in") else f"`{permission}`"


# The API --------------------------------------------------------------------------------------------

API_HEAD = f"""\
# API

{NOTICE}

How to begin, with examples: [use the API](../how-to/use-the-api.md). A running site shows the same list under
`/administration/api` and gives it to programs as OpenAPI under `/api/openapi.json`.

Errors are `application/problem+json` (RFC 9457) with `type`, `title`, `status`, `detail`, `instance` and
`request_id`; the log of the site has the same request id. A refused value also has `field` or `errors`.
"""


@cache
def api_page() -> str:
    document = api_document()
    parts = [API_HEAD]
    for group in grouped(document):
        parts.append(f"## {group['label']}\n")
        parts += [_operation(operation) for operation in group["operations"]]
    return "\n".join([*parts, "## Types\n", table(("type", "one of"), _choices(document))])


def api_document() -> dict[str, Any]:
    """What the site says of its API."""
    return site().openapi()


def site() -> FastAPI:
    """The site with all its routes, which are enough to tell of it: nothing is opened or started."""
    told = Site(
        settings=WebSettings(),
        services=Services([]),
        sections=SITE_SECTIONS,
        template_packages=(),
        checks={},
        registry=CollectorRegistry(),
        database_url="",
    )
    return build(told)


def _choices(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, schema in document["components"]["schemas"].items():
        if "enum" in schema:
            yield name, ", ".join(f"`{value}`" for value in schema["enum"])


def _operation(told: Mapping[str, Any]) -> str:
    lines = [
        f"### `{told['method']} {told['path']}`\n",
        f"{told['summary']}. Permission: {_asked(told['permission'])}.\n",
    ]
    if told["parameters"]:
        rows = [_parameter(parameter) for parameter in told["parameters"]]
        lines.append(table(("parameter", "where", "type", "meaning"), rows))
    return "\n".join(lines)


def _parameter(told: Mapping[str, Any]) -> tuple[str, ...]:
    needed = "required" if told["required"] else ""
    meaning = " ".join(filter(None, (told["help"], f"({needed})" if needed else "")))
    return f"`{told['name']}`", told["where"], told["type"], meaning


# Validation -----------------------------------------------------------------------------------------

VALIDATION_HEAD = f"""\
# Validation of WARC and ARC files

{NOTICE}

`armarium warc validate FILE` judges a file by the rules below. Each has a code that does not change.

- **error**: the file does not conform, or its content is damaged. A file is valid if it has no errors.
- **warning**: a recommendation was not followed, or something is suspicious. With `--strict`, warnings make a
  file invalid too, as with JHOVE.
- **note**: worth knowing.

*JWAT* is what JWAT, and with it JHOVE and JHOVE2, calls the same finding, with the message number of JHOVE
where it has one. A clause of ISO 28500:2017 is one of WARC 1.1 too. A record is judged by the version that it
declares; drafts (0.17, 0.18) by 1.0. Where we judge otherwise than other tools: [deviations](deviations.md).

`--json` gives `file`, `format`, `version`, `records`, `valid` and `problems`; each problem has `offset`,
`code`, `message`, `severity`, `record` (from 0), `clause`, `hint`, and `jwat` and `jhove` where these have
it.
Of each code, 100 problems are listed; `codes` counts all, `omitted` says how many are not listed.
"""


def validation_page() -> str:
    parts = [VALIDATION_HEAD]
    columns = ("code", "severity", "clause", "finding", "what to do", "JWAT")
    for title, rules in RULE_TABLES.items():
        parts += [f"## {title}\n", table(columns, [_rule(rule) for rule in rules.values()])]
    return "\n".join(parts)


def _rule(rule: Rule) -> tuple[str, ...]:
    jwat = f"{rule.jwat.type} {_facts_as_words(rule.jwat.entity)}" if rule.jwat else ""
    number = f" ({rule.jhove_id})" if rule.jhove_id else ""
    clause = rule.clause.replace("%(clause)s", "clause of the field")
    return f"`{rule.code}`", rule.severity, clause, _facts_as_words(rule.message), rule.hint, jwat + number


def _facts_as_words(template: str) -> str:
    """The places of a message as they read in a table: *value* for %(value)s."""
    text = re.sub(r"%\((\w+)\)s", r"*\1*", template).replace("%%", "%")
    return text.replace("<", "&lt;").replace(">", "&gt;")


# --- Markdown


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return (
        "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        + "\n"
    )


# The pages, and whether they are up to date ---------------------------------------------------------

# The crawl order ------------------------------------------------------------------------------------

CRAWL_ORDER_HEAD = f"""\
# The crawl order

{NOTICE}

All that can be said about a crawl. `armarium crawl --profile FILE` takes a TOML file with any of these keys;
what the command line says is stronger. The order is kept in the folder of the crawl (`order.json`), and in
its metadata WARC without passwords. The defaults are those of Heritrix 3 where it has them.

```toml
robots = "ignore-for-embeds"

[scope]
kind = "domain"
reject = ["/calendar/[0-9]{{4}}/"]

[limits]
max_download_bytes = 100_000_000
```
"""


def crawl_order_page() -> str:
    return CRAWL_ORDER_HEAD + "".join(_order_part("", CrawlOrder, texts_below_keys()))


def _order_part(name: str, part: type[BaseModel], described: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """The keys of a part, then the parts inside it."""
    inner = {key: kind for key, field in part.model_fields.items() if (kind := _model(field.annotation))}
    about = (part.__doc__ or "").strip().splitlines()
    yield f"\n## {f'`[{name}]`' if name else 'The crawl as a whole'}\n\n"
    if name and about:
        yield f"{about[0]}\n\n"
    yield "| key | default | what it is |\n|---|---|---|\n"
    for key, field in part.model_fields.items():
        if key not in inner:
            default = "–" if field.is_required() else f"`{_toml(field.get_default())}`"
            said = described.get((part.__name__, key), "") + _members(field.annotation)
            yield f"| `{key}` | {default} | {' '.join(said.split()).replace('|', chr(92) + '|')} |\n"
    for key, kind in inner.items():
        yield from _order_part(key, kind, described)


def _model(annotation: Any) -> type[BaseModel] | None:
    found = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return annotation if found else None


def _members(annotation: Any) -> str:
    if isinstance(annotation, type) and issubclass(annotation, enum.StrEnum):
        return f" One of {', '.join(f'`{one}`' for one in annotation)}."
    return ""


def _toml(value: object) -> str:
    """A default as one would write it; None is a key that is not there."""
    match value:
        case None:
            return "none"
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case Mapping():
            return "{" + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + "}"
        case tuple():
            return "[" + ", ".join(map(_toml, value)) + "]"
        case _:
            return str(value)


# Columns of files of records -------------------------------------------------------------------------

RECORD_COLUMNS_HEAD = f"""\
# Columns of files of records

{NOTICE}

What a CSV or Excel file of records may have, in any order. A heading is the key, or the title in any of our
languages; capitals, spaces and signs do not count. *Imported*: what an import does with the column. How it is
done: [import and export records](../how-to/import-and-export-records.md).
"""
IMPORTED = {Read.ALWAYS: "yes", Read.CURATORS: "by curators", Read.NEVER: "no"}


def record_columns_page() -> str:
    columns = [(f"`{one.key}`", str(one.title), IMPORTED[one.read], str(one.help)) for one in COLUMNS]
    titles = [(f"`{one.key}`", *(translate(one.title, code) for code in languages())) for one in COLUMNS]
    return "\n".join(
        [
            RECORD_COLUMNS_HEAD,
            table(("key", "title", "imported", "what it says"), columns),
            "## Titles\n",
            table(("key", *languages()), titles),
        ]
    )


PAGES: Mapping[str, Callable[[], str]] = {
    "docs/reference/settings.md": settings_page,
    "docs/reference/command-line.md": command_line_page,
    "src/armarium/cli/completion.json": completion_tree,
    "docs/reference/permissions.md": permissions_page,
    "docs/reference/api.md": api_page,
    "docs/reference/validation.md": validation_page,
    "docs/reference/crawl-order.md": crawl_order_page,
    "docs/reference/record-columns.md": record_columns_page,
}


def stale(root: Path = ROOT) -> list[str]:
    """The pages under this folder whose text is not what the source says now."""
    return [name for name, page in PAGES.items() if _written(root / name) != page()]


def write(root: Path = ROOT) -> list[str]:
    """Write the pages that are out of date, and say which."""
    outdated = stale(root)
    for name in outdated:
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(PAGES[name](), encoding="utf-8", newline="\n")
    return outdated


def _written(file: Path) -> str | None:
    return file.read_text(encoding="utf-8") if file.exists() else None


if __name__ == "__main__":
    sys.stdout.writelines(f"wrote {name}\n" for name in write())
