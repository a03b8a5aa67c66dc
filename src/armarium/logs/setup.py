"""Puts our events and those of the libraries through the same processors to the same places.

Code of ours says `log = structlog.get_logger(__name__)` and `log.info("fixed words", key=value)`. Ids of the
work in hand are bound with `structlog.contextvars.bound_contextvars(request=…)` or `(task=…)`.
"""

import json
import logging
import os
import re
import sys
import threading
from pathlib import Path
from types import TracebackType

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from armarium.core.folders import make_private
from armarium.logs.entry import install
from armarium.logs.handlers import STANDARD_ERROR, DescriptorHandler, FileHandler
from armarium.logs.masking import mask_secrets
from armarium.logs.settings import LogFormat, LogSettings
from armarium.settings import Settings

# --- One event as one line: JSON for machines, words for people.


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


# --- The whole of it.


log = structlog.get_logger(__name__)

# What an event gets where it happens; in the thread and context of the caller.
_GATHERED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="%Y-%m-%dT%H:%M:%S.%fZ", utc=True),
]

# The same list object at every call of `configure`: loggers that were used before keep a reference to it.
_PROCESSORS: list[Processor] = [
    structlog.stdlib.filter_by_level,
    *_GATHERED,
    structlog.processors.StackInfoRenderer(),
    structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
]


def configure(
    settings: Settings, *, process: str, descriptor: int = STANDARD_ERROR, least: int = logging.NOTSET
) -> None:
    """What `armarium.logs.configure` promises."""
    chosen = settings[LogSettings]
    handlers: list[logging.Handler] = [DescriptorHandler(descriptor)]
    handlers[0].setFormatter(_formatter(process, _console_or_json(chosen.format, descriptor)))
    trouble: OSError | None = None
    if chosen.files:
        try:
            handlers.append(_log_file(settings.home, process, chosen))
        except OSError as error:
            trouble = error  # said below, when there is a log to say it in
    install(handlers, max(least, logging.getLevelNamesMapping()[chosen.level.upper()]))
    join_structlog()
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_uncaught_in_thread
    if trouble is not None:
        log.warning(
            "log file cannot be written; going on without", file=trouble.filename, reason=str(trouble)
        )


def formatter_for_people(process: str) -> logging.Formatter:
    """Of lines on standard error, for a command without settings."""
    return _formatter(process, _console_or_json(LogFormat.CONSOLE, STANDARD_ERROR))


def join_structlog() -> None:
    """Send what structlog's loggers are told through standard logging."""
    structlog.configure(
        processors=_PROCESSORS,
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def _console_or_json(chosen: LogFormat, descriptor: int) -> Processor:
    terminal = os.isatty(descriptor)
    if chosen is LogFormat.CONSOLE or (chosen is LogFormat.AUTO and terminal):
        return ConsoleLine(colours=terminal and not os.environ.get("NO_COLOR"))
    return as_json


def _formatter(process: str, renderer: Processor) -> logging.Formatter:
    def stamp(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        # Not bound as a context variable: a new thread starts with an empty context.
        return {**event, "process": process, "pid": os.getpid()}

    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=_GATHERED,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            stamp,
            structlog.processors.format_exc_info,
            mask_secrets,
            renderer,
        ],
    )


def _log_file(home: Path, process: str, chosen: LogSettings) -> logging.Handler:
    folder = home / "logs"
    make_private(home, way=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    name = re.sub(r"[^\w.-]", "_", process)
    handler = FileHandler(folder / f"{name}.log", megabytes=chosen.file_megabytes, kept=chosen.files_kept)
    handler.setFormatter(_formatter(process, as_json))
    return handler


def _log_uncaught(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, traceback)
        return
    log.critical("process ended by an unexpected error", exc_info=(kind, error, traceback))


def _log_uncaught_in_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is None or issubclass(args.exc_type, SystemExit):
        return
    name = args.thread.name if args.thread else None
    log.error(
        "thread ended by an unexpected error",
        thread=name,
        exc_info=(args.exc_type, args.exc_value, args.exc_traceback),
    )
