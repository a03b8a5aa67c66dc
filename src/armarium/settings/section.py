"""How a package declares its settings.

    class WebSettings(Section, name="web"):
        \"""The staff pages and the API.\"""

        port: int = key(8080, "Port on which the pages are served.", ge=1, le=65535)

A rule beyond the limits is a pydantic validator that raises `ValueError`; its text completes the sentence
"[web] port …" (or "[web] …" for a rule about several keys) and ends without a full stop.

The class knows its own name and nothing else: there is no registry. The list of all sections is written down
where the application is put together, so that importing a module never changes what a settings file may say.
"""

import inspect
import re
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from armarium.settings.declared import kind_of
from armarium.settings.kinds import is_secret

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


class Section(BaseModel):
    """A table of the settings file; the docstring of a subclass is the help of its section."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        validate_default=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,  # an error from pydantic must not carry a password into a log
    )

    section_name: ClassVar[str]

    def __init_subclass__(cls, *, name: str, **options: Any) -> None:
        if not NAME.fullmatch(name):
            raise TypeError(
                f"{cls.__name__}: {name!r} cannot name a section, use small letters, digits and _"
            )
        cls.section_name = name
        super().__init_subclass__(**options)

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        super().__pydantic_init_subclass__(**options)
        for name, field in cls.model_fields.items():
            _check_declaration(f"{cls.__name__}.{name}", name, field.annotation, field.default)


def key(
    default: Any,
    help: str,  # noqa: A002  (the word the reference page uses)
    *,
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    lt: float | None = None,
    min_length: int | None = None,
    max_length: int | None = None,
    pattern: str | None = None,
) -> Any:
    """Declare a key with its default, its help (complete sentences) and its limits.

    The limits are named one by one, not taken as a bag of options: a misspelt one fails the type check.
    """
    limits = {"ge": ge, "gt": gt, "le": le, "lt": lt}
    lengths = {"min_length": min_length, "max_length": max_length, "pattern": pattern}
    given: dict[str, Any] = {name: limit for name, limit in (limits | lengths).items() if limit is not None}
    return Field(default, description=help, **given)


def help_of(section: type[Section]) -> str:
    """The section's own docstring in one paragraph; one inherited from `Section` does not count."""
    return " ".join(inspect.cleandoc(section.__dict__.get("__doc__") or "").split())


def _check_declaration(place: str, name: str, annotation: object, default: object) -> None:
    """Refuse, when the module is imported, what could not be written in a settings file."""
    if not NAME.fullmatch(name):
        raise TypeError(f"{place} cannot name a setting, use small letters, digits and _")
    try:
        kind = kind_of(annotation)
    except TypeError as unsupported:
        raise TypeError(f"{place}: {unsupported}") from None
    if is_secret(kind) and isinstance(default, SecretStr) and default.get_secret_value():
        raise TypeError(f"{place}: a secret in the source is not a secret; let the default be None")
