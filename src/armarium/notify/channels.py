"""Which channels there are, and which of them are chosen."""

from collections.abc import Iterable, Mapping
from importlib.metadata import entry_points

import structlog

from armarium.core.errors import Misconfigured
from armarium.core.message import message
from armarium.notify.mail import MAIL
from armarium.notify.model import Channel, ChannelKind, Sent, Severity, Translate
from armarium.notify.settings import NotifySettings
from armarium.settings import Section, Settings

# --- The channel `log`: notifications among the other lines of the worker's log.


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


# --- Which channels there are, and which of them are chosen.


GROUP = "armarium.notify"
OUR_OWN = (LOG, MAIL)


def known_kinds() -> dict[str, ChannelKind]:
    """Our own channels and those of installed plug-ins, by name."""
    kinds = {kind.name: kind for kind in OUR_OWN}
    for entry in entry_points(group=GROUP):
        kind = entry.load()
        if not isinstance(kind, ChannelKind):
            raise Misconfigured(
                message(
                    "The plug-in %(plugin)s offers no ChannelKind as notification channel. "
                    "Ask its makers for a version that fits this Armarium.",
                    plugin=entry.value,
                )
            )
        if kinds.setdefault(kind.name, kind) is not kind:
            raise Misconfigured(
                message(
                    "Two notification channels are named %(name)s (one from %(plugin)s). Remove one of them.",
                    name=kind.name,
                    plugin=entry.value,
                )
            )
    return kinds


def sections(kinds: Iterable[ChannelKind]) -> tuple[type[Section], ...]:
    """The sections of the settings file that notifications add, those of plug-ins included."""
    return (NotifySettings, *(section for kind in kinds for section in kind.sections))


def chosen(kinds: Mapping[str, ChannelKind], settings: Settings, translate: Translate) -> dict[str, Channel]:
    channels = {}
    for name in settings[NotifySettings].channels:
        if name not in kinds:
            raise Misconfigured(
                message(
                    "There is no notification channel named %(name)s (notify.channels). "
                    "Known are: %(known)s.",
                    name=name,
                    known=", ".join(sorted(kinds)),
                )
            )
        channels[name] = kinds[name].make(settings, translate)
    return channels
