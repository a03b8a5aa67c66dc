"""The parameters of a web, and everything that follows from them."""

import hashlib
import json
from dataclasses import asdict, dataclass, field, fields
from functools import cache, cached_property
from pathlib import Path
from random import Random
from typing import Any

from bench.testweb.bodies import shared_file
from bench.testweb.model import OUTSIDE_HOSTS
from bench.testweb.words import Words

DESCRIPTION = "web.json"
USUAL_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Parameters:
    seed: int = field(default=1, metadata={"help": "what chance begins with"})
    sites: int = field(default=1, metadata={"help": "how many sites"})
    pages: int = field(default=100, metadata={"help": "pages of each"})
    port: int = field(default=8080, metadata={"help": "port of all sites"})
    hosts: str = field(default="ip", metadata={"help": "how URLs name sites", "choices": ("ip", "name")})
    scheme: str = field(default="http", metadata={"help": "of all URLs", "choices": ("http", "https")})
    epoch: int = field(default=0, metadata={"help": "so many steps later"})
    trap: bool = field(default=False, metadata={"help": "with an endless calendar and an endless path"})
    slow: float = field(default=0.0, metadata={"help": "share of pages that are slow"})
    faults: bool = field(default=False, metadata={"help": "with broken answers"})
    html_median: int = field(default=25_000, metadata={"help": "bytes of a page, half of them have more"})
    image_median: int = field(default=12_000, metadata={"help": "bytes of an image"})

    @classmethod
    def of(cls, facts: dict[str, Any]) -> "Parameters":
        return cls(**{one.name: facts[one.name] for one in fields(cls)})


class Web:
    """Hosts are numbered: first the sites, then those outside, then the one with requisites of all sites."""

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.sites = parameters.sites
        self.requisites = parameters.sites + OUTSIDE_HOSTS
        self.shared = cache(self._shared)

    @classmethod
    def read(cls, folder: Path) -> "Web":
        return cls(Parameters.of(json.loads((folder / DESCRIPTION).read_text())["params"]))

    @property
    def facts(self) -> dict[str, Any]:
        return asdict(self.parameters)

    @cached_property
    def words(self) -> Words:
        return Words(self.chance("words"))

    def chance(self, *key: object) -> Random:
        digest = hashlib.blake2b(repr((self.parameters.seed, *key)).encode(), digest_size=8).digest()
        return Random(int.from_bytes(digest, "big"))  # noqa: S311  (no secret is made of it)

    def _shared(self, number: int) -> tuple[str, str, bytes]:
        return shared_file(self.chance("shared", number), self.words, number)

    @property
    def built(self) -> list[int]:
        """Hosts that have something of their own."""
        return [*range(self.sites), self.requisites]

    def address(self, host: int) -> str:
        if host < self.sites:
            return f"127.1.{host // 250}.{host % 250 + 1}"
        return "127.3.0.1" if host == self.requisites else f"127.2.0.{host - self.sites + 1}"

    def name(self, host: int) -> str:
        if host < self.sites:
            return f"site{host + 1:05d}.test"
        return "cdn.test" if host == self.requisites else f"outside{host - self.sites + 1:02d}.test"

    def authority(self, host: int) -> str:
        chosen = self.parameters
        named = self.name(host) if chosen.hosts == "name" else self.address(host)
        return named if chosen.port == USUAL_PORTS[chosen.scheme] else f"{named}:{chosen.port}"

    def origin(self, host: int) -> str:
        return f"{self.parameters.scheme}://{self.authority(host)}"
