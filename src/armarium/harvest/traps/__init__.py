"""Traps noticed while a crawl runs: endless calendars, loops of paths, session ids, queries without content.

Comes in: each page that was fetched, with the digest of its content.
Goes out: now and then a suspicion, with its evidence and a filter that people may accept. Nothing is rejected
by a suspicion alone.
It must never keep more than a bounded amount, however many hosts and addresses a crawl sees.
"""

from typing import TYPE_CHECKING

from armarium.core.late import late
from armarium.harvest.traps.suspicion import TrapKind, TrapSuspicion

if TYPE_CHECKING:
    from armarium.harvest.traps.watch import TrapWatch
else:
    TrapWatch = late("armarium.harvest.traps.watch:TrapWatch")

__all__ = ["TrapKind", "TrapSuspicion", "TrapWatch"]
