"""One request and what comes back, as bytes on the wire.

Comes in: an address on the web, the addresses of its server, headers of the engine.
Goes out: an `Exchange`: the request as sent, the answer as received, how it ended, how long it took.
It must never follow a redirect, reach an address that is denied, raise for what a server does, or keep more
of an answer in memory than `IN_MEMORY`.
"""

from armarium.harvest.fetch.exchange import DnsAnswer, Exchange, Resolution, TlsFacts, Wire
from armarium.harvest.fetch.fetcher import Fetcher

__all__ = ["DnsAnswer", "Exchange", "Fetcher", "Resolution", "TlsFacts", "Wire"]
