"""Traps noticed while a crawl runs: endless calendars, loops of paths, session ids, queries without content.

Comes in: each page that was fetched, with the digest of its content.
Goes out: now and then a suspicion, with its evidence and a filter that people may accept. Nothing is rejected
by a suspicion alone.
It must never keep more than a bounded amount, however many hosts and addresses a crawl sees.
"""

from armarium.harvest.traps.suspicion import TrapKind, TrapSuspicion
from armarium.harvest.traps.watch import TrapWatch

__all__ = ["TrapKind", "TrapSuspicion", "TrapWatch"]
