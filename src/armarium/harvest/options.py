"""The options of `armarium crawl`, and the order they make."""

import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel, ValidationError

from armarium.core.crawl_order import CrawlOrder, RobotsPolicy, ScopeKind, merged
from armarium.core.errors import NotFound, Refused
from armarium.core.invalid import in_words
from armarium.core.spelling import proposed
from armarium.harvest.seeds import NoSeeds, refuse, seeds_of, typed_seeds

# --- An order made of a profile (a TOML file) and what the command line says.


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
        problems = [_problem(one) for one in error.errors()]
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


def _problem(detail: Mapping[str, Any]) -> str:
    if detail["type"] != "extra_forbidden":
        return in_words(detail)
    *above, key = detail["loc"]
    name = ".".join(str(part) for part in detail["loc"])
    return f"{name}: there is no such key.{proposed(str(key), _keys(tuple(above)))}"


def _keys(place: tuple[int | str, ...]) -> list[str]:
    model: type[BaseModel] = CrawlOrder
    for part in place:
        field = model.model_fields.get(str(part))
        kind = field.annotation if field else None
        if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
            return []
        model = kind
    return list(model.model_fields)


# --- The options.


Urls = Annotated[list[str] | None, typer.Argument(metavar="URL…", help="The seeds: where the crawl begins.")]
Out = Annotated[Path, typer.Option(metavar="DIR", help="The folder of the crawl. It is made if need be.")]
Seeds = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE", help="A file of seeds, one a line; - for standard input. May be repeated."),
]
Scope = Annotated[
    str | None,
    typer.Option(
        metavar="SCOPE", help="How far it goes: page, page+N, path, host, domain, any. Default: host."
    ),
]
MaxObjects = Annotated[int | None, typer.Option(min=0, metavar="N", help="Stop after so many objects.")]
MaxBytes = Annotated[int | None, typer.Option(min=0, metavar="N", help="Stop after so many bytes.")]
MaxSeconds = Annotated[float | None, typer.Option(min=0, metavar="S", help="Stop after so many seconds.")]
MaxHops = Annotated[
    int | None, typer.Option(min=0, metavar="N", help="Links from a seed, at most. Default: 20.")
]
Delay = Annotated[
    float | None,
    typer.Option(
        min=0,
        metavar="SECONDS",
        help="Pause between two downloads from one server. Default: five times as long as the last one took, "
        "3 to 30 seconds. No pause (0) only where the server is yours.",
    ),
]
Robots = Annotated[RobotsPolicy | None, typer.Option(help="What robots.txt counts for. Default: obey.")]
Connections = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Downloads at the same time, one from each server. Default: 100."),
]
Contact = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Where webmasters read who crawls; sent with each request."),
]
Profile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="A TOML file with any keys of the crawl order.")
]
Processes = Annotated[
    int | None,
    typer.Option(min=1, max=64, metavar="N", help="Processes that share the crawl. Default: 1."),
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the crawl in the folder.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show nothing while it runs.")]


@dataclass(frozen=True, slots=True)
class Given:
    """What was given on the command line."""

    urls: list[str]
    files: list[Path]
    profile: Path | None
    options: Mapping[str, Any]  # as the order has them

    @property
    def anything(self) -> bool:
        return bool(self.urls or self.files or self.profile or self.options)

    def order(self) -> CrawlOrder:
        """The order, with what the profile says under what the options say."""
        facts = merged(read_profile(self.profile) if self.profile else {}, self.options)
        own = facts.get("seeds", [])
        if not isinstance(own, list):
            raise Refused(
                f'{self.profile}: seeds are tables. Write for each: [[seeds]] and below it url = "…"'
            )
        seeds = [*map(_normal_seed, own), *self._seeds()]
        if not seeds:
            raise NoSeeds(
                "There is no seed to begin with. Example: armarium crawl https://www.example.org/ --out DIR"
            )
        return build_order({**facts, "seeds": seeds}, str(self.profile or "The order"))

    def _seeds(self) -> list[dict[str, str]]:
        """All seeds, each once; refused if anything is none."""
        given = [typed_seeds(self.urls), *(seeds_of(_lines(file), str(file)) for file in self.files)]
        refuse([fault for one in given for fault in one.faults])
        seeds = {seed.url: seed for one in reversed(given) for seed in reversed(one.seeds)}
        return [seed.model_dump() for seed in reversed(seeds.values())]


def _normal_seed(seed: object) -> object:
    """A seed of a profile, its address spelled as the crawler does; what is no seed is left to the order."""
    if not isinstance(seed, dict) or not isinstance(seed.get("url"), str):
        return seed
    seeds, faults = seeds_of([seed["url"]])
    if not seeds:
        raise NoSeeds(f"This is no seed. {faults[0] if faults else seed['url']}")
    return {**seed, "url": seeds[0].url}


def _lines(file: Path) -> list[str]:
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"The seeds in {file} cannot be read: {error}") from None
    return text.splitlines()


def options_of(
    *,
    scope: str | None,
    max_hops: int | None,
    limits: Mapping[str, object],
    delay: float | None,
    robots: RobotsPolicy | None,
    connections: int | None,
    contact: str | None,
) -> dict[str, Any]:
    """The options that were given, as keys of the order."""
    parts = {
        "robots": robots,
        "scope": {**(scope_of(scope) if scope else {}), **_given(max_hops=max_hops)},
        "limits": _given(**limits),
        "politeness": pace_of(delay) if delay is not None else {},
        "fetching": _given(connections=connections),
        "identity": _given(contact=contact),
    }
    return {name: part for name, part in parts.items() if part}


def _given(**values: object) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
