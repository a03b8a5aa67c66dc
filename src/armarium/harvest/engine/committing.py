"""Makes what was done so far safe: first the captures, then the logs, then that they are done."""

import json

from armarium.harvest.engine.visiting import Parts


def commit(parts: Parts, elapsed: float | None = None) -> None:
    """Everything since the last time, at once: a killed crawl is found as it was here."""
    parts.recorder.flush()
    parts.ledger.flush(parts.clock())
    frontier = parts.frontier
    frontier.remember("warcs", json.dumps(parts.recorder.positions()))
    for name, value in parts.ledger.facts():
        frontier.remember(name, value)
    if elapsed is not None:
        frontier.remember("elapsed", f"{elapsed:.3f}")
    frontier.commit()
    parts.recorder.committed()
