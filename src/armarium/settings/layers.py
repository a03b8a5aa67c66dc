"""The values that the file gives and those that the environment gives, each read by its key's kind."""

from collections.abc import Mapping
from dataclasses import dataclass

from armarium.settings.document import Document
from armarium.settings.kinds import Unfit
from armarium.settings.plain import shown
from armarium.settings.problems import (
    InFile,
    Origin,
    Problem,
    Variable,
    for_key,
    for_section,
    for_variable,
    misfit,
)
from armarium.settings.section import FILE, FOR_TESTS, HOME, PREFIX, Catalogue

RESERVED = (HOME, FILE)


@dataclass(frozen=True)
class Given:
    value: object
    origin: Origin


Layer = dict[tuple[str, str], Given]  # (section, key) → what was given for it


def from_file(document: Document, catalogue: Catalogue) -> tuple[Layer, list[Problem]]:
    layer: Layer = {}
    problems: list[Problem] = []
    for name, table in document.tables.items():
        where = document.place(name)
        if name not in catalogue.sections:
            problems.append(_no_section(name, table, where, catalogue))
        elif not isinstance(table, dict):
            advice = f"Write [{name}] once, and its keys below it."
            problems.append(Problem(where, f"{name} is a section.", advice, section=name))
        else:
            for key, value in table.items():
                _take_from_file(document.place(name, key), (name, key), value, catalogue, layer, problems)
    return layer, problems


def from_environment(environ: Mapping[str, str], catalogue: Catalogue) -> tuple[Layer, list[Problem]]:
    layer: Layer = {}
    problems: list[Problem] = []
    for name, text in environ.items():
        # armarium_web_port would be ignored without a word if only capitals were looked at.
        if not name.upper().startswith(PREFIX) or name in RESERVED or name.startswith(FOR_TESTS):
            continue
        where = Variable(shown(name))
        key = catalogue.variables.get(name)
        if key is None:
            suggestion = for_variable(name, RESERVED, catalogue)
            problems.append(Problem(where, "This variable is not a setting.", suggestion))
            continue
        try:
            layer[key.section, key.name] = Given(key.kind.from_text(text), where)
        except Unfit as unfit:
            problems.append(misfit(key, where, text, unfit))
    return layer, problems


def _take_from_file(
    where: InFile,
    name: tuple[str, str],
    value: object,
    catalogue: Catalogue,
    layer: Layer,
    problems: list[Problem],
) -> None:
    key = catalogue.keys.get(name)
    if key is None:
        what = f"[{name[0]}] {shown(name[1])} is not a setting."
        problems.append(Problem(where, what, for_key(*name, catalogue), name[0]))
        return
    try:
        layer[name] = Given(key.kind.from_toml(value), where)
    except Unfit as unfit:
        problems.append(misfit(key, where, value, unfit))


def _no_section(name: str, table: object, where: InFile, catalogue: Catalogue) -> Problem:
    written = f"[{shown(name)}]" if isinstance(table, dict) else shown(name)
    return Problem(where, f"{written} is not a section.", for_section(name, catalogue))
