"""An order made of a profile (a TOML file) and what the command line says."""

import difflib
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from armarium.core.crawl_order import CrawlOrder, ScopeKind
from armarium.core.errors import NotFound, Refused

PAGES = re.compile(r"page\+(\d{1,3})")
SCOPES = "page, page+N, path, host, domain, any"


def read_profile(path: Path) -> dict[str, Any]:
    """What a profile says, not yet judged."""
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        raise NotFound(f"There is no profile {path}.") from None
    except OSError as error:
        raise Refused(f"The profile {path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Refused(f"{path} is no TOML: {error}.") from None


def build_order(facts: Mapping[str, Any], origin: str) -> CrawlOrder:
    """The order, or all that is wrong with it, in one error."""
    try:
        return CrawlOrder.model_validate(facts)
    except ValidationError as error:
        problems = [_problem(one["loc"], one["type"], one["msg"]) for one in error.errors()]
        raise Refused(f"{origin} cannot be used:\n" + "\n".join(f"  {one}" for one in problems)) from None


def scope_of(text: str) -> dict[str, Any]:
    """`page+2` and its like, as the order has it."""
    pages = PAGES.fullmatch(text)
    if pages:
        return {"kind": ScopeKind.PAGE, "page_hops": int(pages[1])}
    if text not in (*ScopeKind,) or text == ScopeKind.SUFFIXES:
        raise Refused(f"There is no scope {text!r}. There are: {SCOPES}; suffixes are named in a profile.")
    return {"kind": ScopeKind(text)}


def pace_of(delay: float) -> dict[str, Any]:
    """A fixed pause between two downloads from one server."""
    return {"delay_factor": 0.0, "min_delay": delay, "max_delay": delay, "server_min_delay": delay}


def _problem(place: tuple[int | str, ...], kind: str, said: str) -> str:
    name = ".".join(str(part) for part in place)
    if kind != "extra_forbidden":
        return f"{name}: {said.removeprefix('Value error, ')}" if name else said.removeprefix("Value error, ")
    near = difflib.get_close_matches(str(place[-1]), _keys(place[:-1]), n=1)
    return f"{name}: there is no such key" + (f"; do you mean {near[0]}?" if near else ".")


def _keys(place: tuple[int | str, ...]) -> list[str]:
    model: type[BaseModel] = CrawlOrder
    for part in place:
        field = model.model_fields.get(str(part))
        kind = field.annotation if field else None
        if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
            return []
        model = kind
    return list(model.model_fields)
