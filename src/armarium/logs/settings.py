"""Settings of the logs."""

from enum import StrEnum

from armarium.settings import Section, key


class LogFormat(StrEnum):
    AUTO = "auto"
    CONSOLE = "console"
    JSON = "json"


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class LogSettings(Section, name="logs"):
    """What the processes write about their work, and where."""

    format: LogFormat = key(
        LogFormat.AUTO,
        "How lines on standard error look: console (for people), json (for machines), "
        "or auto: console on a terminal and json otherwise.",
    )
    level: LogLevel = key(LogLevel.INFO, "The least weighty kind of line that is written.")
    files: bool = key(
        False, "Also write JSON lines to a file for each process in the folder logs of the data folder."
    )
    file_megabytes: int = key(
        20, "Size at which a log file is closed and a new one begun, in megabytes.", ge=1, le=10_000
    )
    files_kept: int = key(5, "How many closed log files are kept for each process.", ge=1, le=1000)
