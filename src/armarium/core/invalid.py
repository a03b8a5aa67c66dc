"""What pydantic finds wrong with a document, in words for people: where, what may stand there, what does."""

from collections.abc import Mapping
from typing import Any

SHOWN = 60  # letters of a value

#: By pydantic's name of the fault.
WORDS: Mapping[str, str] = {
    "missing": "is missing",
    "extra_forbidden": "is not known",
    "bool_parsing": "must be true or false, but is {input}",
    "bool_type": "must be true or false, but is {input}",
    "int_parsing": "must be a whole number, but is {input}",
    "int_type": "must be a whole number, but is {input}",
    "int_from_float": "must be a whole number, but is {input}",
    "float_parsing": "must be a number, but is {input}",
    "float_type": "must be a number, but is {input}",
    "string_type": "must be a text, but is {input}",
    "list_type": "must be a list, but is {input}",
    "tuple_type": "must be a list, but is {input}",
    "dict_type": "must be a table, but is {input}",
    "model_type": "must be a table, but is {input}",
    "datetime_from_date_parsing": "must be a moment such as 2026-12-31T03:00Z, but is {input}",
    "datetime_parsing": "must be a moment such as 2026-12-31T03:00Z, but is {input}",
    "timezone_aware": "must be a moment with its time zone, such as 2026-12-31T03:00Z",
    "date_from_datetime_parsing": "must be a day such as 2026-12-31, but is {input}",
    "enum": "must be one of {expected}, but is {input}",
    "literal_error": "must be one of {expected}, but is {input}",
    "greater_than": "must be more than {gt}, but is {input}",
    "greater_than_equal": "must be at least {ge}, but is {input}",
    "less_than": "must be less than {lt}, but is {input}",
    "less_than_equal": "must be at most {le}, but is {input}",
    "string_too_short": "must have at least {min_length} letters",
    "string_too_long": "must have at most {max_length} letters",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "json_invalid": "is no JSON: {error}",
}


def in_words(detail: Mapping[str, Any]) -> str:
    """One of the errors of a `ValidationError` as a sentence."""
    place = ".".join(str(part) for part in detail["loc"]) or "It"
    told = detail.get("input")
    value = f"“{str(told)[:SHOWN]}”" if isinstance(told, str) else str(told)[:SHOWN]
    if words := WORDS.get(detail["type"]):
        return f"{place} {words.format_map({'input': value, **(detail.get('ctx') or {})})}."
    if detail["type"] == "value_error":
        said = f"{str(detail['msg']).removeprefix('Value error, ').rstrip('.')}."
        return f"{place}: {said}" if detail["loc"] else said
    return f"{place} cannot be {value}."
