"""From the given values of a section to the section itself, or to problems in our own words."""

from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr, ValidationError

from armarium.settings.layers import Layer
from armarium.settings.origin import Default, Origin
from armarium.settings.plain import described, shown
from armarium.settings.problems import Problem
from armarium.settings.section import Key, Section, keys_of

SIZE_WORDS = {
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be less than {lt}",
}
SHAPE_WORDS = {
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "must match the pattern {pattern}",
    "too_short": "must have at least {min_length} {unit}",  # pydantic says this of lists and of secrets
    "too_long": "must have at most {max_length} {unit}",
}


def build(section: type[Section], layer: Layer, *, complete: bool = True) -> Section | list[Problem]:
    """Make the section from its part of the layer.

    `complete` is False when some of its values were already refused: then its rules about several keys
    together would judge defaults that nobody chose, and are not reported.
    """
    name = section.section_name
    given = {key: layer[name, key].value for key in section.model_fields if (name, key) in layer}
    try:
        return section(**given)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
    keys = {key.name: key for key in keys_of(section)}
    problems = []
    for detail in details:
        key = keys[str(detail["loc"][0])] if detail["loc"] else None
        if key is not None or complete:
            sentence = (
                f"{key} {_about_key(key, detail, given)}." if key else f"[{name}] {_said(detail, given)}."
            )
            problems.append(Problem(_where(name, key, given, layer), sentence, section=name))
    return problems


def _where(section: str, key: Key | None, given: Mapping[str, object], layer: Layer) -> Origin:
    """The place of the key; for a rule about the whole section, the first of its values that was given."""
    names = [key.name] if key else list(given)
    places = [layer[section, name].origin for name in names if (section, name) in layer]
    return places[0] if places else Default()


def _about_key(key: Key, detail: Mapping[str, Any], given: Mapping[str, object]) -> str:
    limits = {**detail.get("ctx", {}), **key.limits}  # as declared: pydantic has made 0 into 0.0
    if detail["type"] in SIZE_WORDS:
        value = given.get(key.name, key.default)
        return f"{SIZE_WORDS[detail['type']].format(**limits)}, but is {described(value)}"
    if detail["type"] in SHAPE_WORDS:
        if limits.get("min_length") == 1 and detail["type"].endswith("too_short"):
            return "must not be empty"
        unit = "items" if key.several else "characters"
        return SHAPE_WORDS[detail["type"]].format(**limits, unit=unit)
    return _said(detail, given)


def _said(detail: Mapping[str, Any], given: Mapping[str, object]) -> str:
    """The words of a section's own rule, which may have repeated a password that it was given."""
    error = detail.get("ctx", {}).get("error")
    said = str(error) if error is not None else str(detail["msg"])
    secrets = [value.get_secret_value() for value in given.values() if isinstance(value, SecretStr)]
    if any(secret and secret in said for secret in secrets):
        return "is not acceptable (the reason is not shown, as it repeats a secret)"
    return shown(said, longest=300).rstrip(".")
