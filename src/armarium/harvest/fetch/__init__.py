"""One request and what comes back, as bytes on the wire.

Comes in: an address on the web, the addresses of its server, headers of the engine.
Goes out: an `Exchange`: the request as sent, the answer as received, how it ended, how long it took.
It must never follow a redirect, reach an address that is denied, raise for what a server does, or keep more
of an answer in memory than `wire.IN_MEMORY`.
"""

from armarium.harvest.fetch.exchange import Exchange, TlsFacts
from armarium.harvest.fetch.fetcher import Fetcher
from armarium.harvest.fetch.resolution import DnsAnswer, Resolution
from armarium.harvest.fetch.wire import Wire

__all__ = ["DnsAnswer", "Exchange", "Fetcher", "Resolution", "TlsFacts", "Wire"]
