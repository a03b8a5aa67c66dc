"""What a look-up of a name brought."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class DnsAnswer:
    """An answer of a name server, for a `dns:` record."""

    name: str
    server: str  # address of the name server
    started: datetime
    duration: float
    text: bytes  # a line with the time, then the resource records, a line each: as Heritrix records them


@dataclass(frozen=True, slots=True)
class Resolution:
    addresses: tuple[str, ...] = ()
    record: DnsAnswer | None = None  # only when name servers were asked just now
    error: str = ""
    absent: bool = False  # there is no such name, or it has no address: the name server says so
