"""One event as one line: JSON for machines, words for people."""

import json
import re

from structlog.typing import EventDict, WrappedLogger

# The order in which a reader looks for things; whatever else an event carries follows.
FIRST = ("timestamp", "level", "process", "pid", "logger", "event", "request", "task")
TRACEBACKS = ("exception", "stack")

_COLOURS = {"critical": "31;1", "error": "31", "warning": "33", "info": "32", "debug": "2"}
_BARE = re.compile(r"[^\s=\"'\\]+")


def as_json(_logger: WrappedLogger, _method: str, event: EventDict) -> str:
    ordered = {key: event[key] for key in FIRST if key in event} | dict(event)
    # ASCII only: U+2028 or U+0085 would end the line for some readers, and half a surrogate is no UTF-8.
    return json.dumps(ordered, ensure_ascii=True, default=str)


class ConsoleLine:
    """`2025-03-01T12:00:00.123Z warning  worker-1[4711] task failed task=17 reason="no such host"`"""

    def __init__(self, *, colours: bool) -> None:
        self._colours = colours

    def __call__(self, _logger: WrappedLogger, _method: str, event: EventDict) -> str:
        event = dict(event)
        tracebacks = [str(event.pop(key)) for key in TRACEBACKS if key in event]
        head = " ".join(
            (
                str(event.pop("timestamp", "-")),
                self._level(str(event.pop("level", "info"))),
                f"{one_line(str(event.pop('process', '-')))}[{event.pop('pid', '-')}]",
                one_line(str(event.pop("event", ""))),
            )
        )
        logger = event.pop("logger", None)
        pairs = [f"{one_line(key)}={_quoted(value)}" for key, value in event.items()]
        if logger is not None:
            pairs.append(f"({one_line(str(logger))})")
        return "\n".join([" ".join([head, *pairs]), *(_indented(text) for text in tracebacks)])

    def _level(self, level: str) -> str:
        padded = f"{one_line(level):8}"
        return f"\x1b[{_COLOURS.get(level, '0')}m{padded}\x1b[0m" if self._colours else padded


def one_line(text: str) -> str:
    """Write line ends, terminal commands, direction marks and other invisible characters as escapes.

    A URL or a user name comes from strangers: "x\\n2025-… info signed in" must stay one line of ours, and
    an escape sequence must not reach the terminal of whoever reads the log.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def _quoted(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    if not isinstance(value, str) or _BARE.fullmatch(one_line(text)):
        return one_line(text)
    # The backslash first: one that a stranger wrote before a quote would take ours for its own.
    return '"' + one_line(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def _indented(text: str) -> str:
    # The bar stands at the start of each line, where a line of ours has its timestamp.
    return "\n".join(f"    | {one_line(line)}" for line in text.splitlines())
