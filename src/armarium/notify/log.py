"""The channel `log`: notifications among the other lines of the worker's log."""

import structlog

from armarium.notify.model import Channel, ChannelKind, Sent, Severity, Translate
from armarium.settings import Settings

log = structlog.get_logger(__name__)

LEVELS = {Severity.INFORMATION: "info", Severity.WARNING: "warning", Severity.ERROR: "error"}


class LogChannel:
    def send(self, sent: Sent) -> None:
        about = sent.notification
        write = getattr(log, LEVELS[about.severity])
        # In English, as all lines of the log; the text is for those who have only the line.
        write("notification", subject=str(about.subject), text=str(about.text), key=about.key, id=sent.id)


def make(_settings: Settings, _translate: Translate) -> Channel:
    return LogChannel()


LOG = ChannelKind("log", make)
