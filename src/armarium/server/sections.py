"""Which sections the settings file may have. Apart from the assembly, so that a process without a house, such
as a collector, can read its settings without importing the rooms."""

from pathlib import Path

from armarium.access.settings import AccessSettings
from armarium.accounts.directory.settings import DirectorySettings, OpenIdSettings
from armarium.accounts.settings import AccountSettings
from armarium.accounts.vault import VaultSettings
from armarium.collector.settings import CollectorSettings
from armarium.db.settings import DatabaseSettings
from armarium.index.settings import IndexSettings
from armarium.languages.speech import translate
from armarium.logs.settings import LogSettings
from armarium.notify import channels
from armarium.notify.model import Channel
from armarium.planning.settings import PlanningSettings
from armarium.processes.settings import MonitoringSettings, ProcessSettings
from armarium.selection.settings import EntrySettings, SelectionSettings
from armarium.server.settings import ServerSettings
from armarium.settings import Section, Settings, load
from armarium.storage.settings import StorageSettings
from armarium.tasks.settings import TaskSettings
from armarium.web.settings import WebSettings

SECTIONS: tuple[type[Section], ...] = (
    WebSettings,
    ServerSettings,
    DatabaseSettings,
    AccountSettings,
    DirectorySettings,
    OpenIdSettings,
    VaultSettings,
    TaskSettings,
    SelectionSettings,
    EntrySettings,
    PlanningSettings,
    CollectorSettings,
    StorageSettings,
    IndexSettings,
    AccessSettings,
    *channels.sections(channels.known_kinds().values()),
    ProcessSettings,
    MonitoringSettings,
    LogSettings,
)


def load_settings(home: Path | None, file: Path | None) -> Settings:
    """What the command line names, or the environment, or the defaults."""
    return load(SECTIONS, home=home, file=file)


def check_plug_ins(settings: Settings) -> dict[str, Channel]:
    """The plug-ins that the settings name; raises `Misconfigured` for one that is not there."""
    return channels.chosen(channels.known_kinds(), settings, translate)
