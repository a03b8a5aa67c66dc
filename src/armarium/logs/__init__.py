"""What a process says while it works: one line per event, for people or for machines.

Comes in: events of our own code (structlog) and of the libraries (standard logging), with ids bound to
the request or task in work.
Goes out: lines on standard error, and on request JSON lines in `<home>/logs/`.
It must never stop a process because a line cannot be written, show a secret, or let a visitor forge a line.
"""

from armarium.logs.entry import LateLogger, configure, configure_without_settings

__all__ = ["LateLogger", "configure", "configure_without_settings"]
