"""Queues, what was seen, budgets, politeness and retries of one crawl, in one SQLite file.

Comes in: addresses that the scope accepted (`add`), and what became of those that were fetched (`finish`,
`retry`).
Goes out: the next address whose queue and server are both ready (`next`), and when to ask again (`wake`).
It must never hand out an address twice at the same time, forget one that was committed, or ask the time.

Five nouns: the `Store` is the file, with all SQL; the `Register` knows every queue and keeps those in
rotation in memory; the `Rotation` knows who may be asked now; `Intake` and `Dispatch` are the ways in and
out.
"""

import sqlite3

from armarium.harvest.frontier.frontier import Frontier
from armarium.harvest.frontier.item import (
    Counts,
    Fate,
    Item,
    Outgoing,
    QueueReport,
    QueueState,
    ServerReport,
    Whereabouts,
)

# The disk is full, say. SQLite has taken back all that was not committed, which nobody can bring again: the
# crawl has to be resumed from its folder.
FrontierFailed = sqlite3.OperationalError

__all__ = [
    "Counts",
    "Fate",
    "Frontier",
    "FrontierFailed",
    "Item",
    "Outgoing",
    "QueueReport",
    "QueueState",
    "ServerReport",
    "Whereabouts",
]
