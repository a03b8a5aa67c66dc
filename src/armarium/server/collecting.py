"""`armarium collector`, and what `armarium up` gives to the ones it starts. The process needs no database."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from armarium import logs
from armarium.collector.child import MODULE
from armarium.collector.identity import read_identity
from armarium.collector.process import WORK, key_file, run_collector
from armarium.collector.settings import CollectorSettings, machine_name
from armarium.core.actor import SYSTEM
from armarium.server.child import ChildSpec
from armarium.server.settings import ServerSettings
from armarium.server.supervised import Supervised
from armarium.settings import Settings
from armarium.settings.load import exposure_warning
from armarium.web.settings import WebSettings

if TYPE_CHECKING:  # a collector has no house: it would carry all of it in its memory
    from armarium.planning.collectors.service import Collectors

log = structlog.get_logger(__name__)

ENROLMENT = "ARMARIUM_COLLECTOR_ENROLMENT"
COMMAND = (sys.executable, "-m", "armarium", "collector")


def run_collector_process(
    settings: Settings, supervised: Supervised, *, drain: bool = False, engine: str = MODULE
) -> None:
    logs.configure(settings, process=supervised.name or "collector")
    if warning := exposure_warning(settings):
        log.warning("settings file shows secrets", reason=warning)
    supervised.ready()
    run_collector(settings[CollectorSettings], settings.home, own_site(settings), drain=drain, engine=engine)


def own_site(settings: Settings) -> str:
    """The site of this machine, past any reverse proxy."""
    web = settings[WebSettings]
    host = "localhost" if web.host in {"0.0.0.0", "::", "127.0.0.1", "::1"} else web.host  # noqa: S104
    return f"http://{f'[{host}]' if ':' in host else host}:{web.port}"


def collector_children(
    settings: Settings,
    place: Mapping[str, str],
    collectors: "Collectors",
    command: tuple[str, ...] = COMMAND,
) -> list[ChildSpec]:
    """Those that `armarium up` starts, each with a name, keys and a folder of its own."""
    return [
        ChildSpec(
            f"collector-{number}",
            command=command,
            environment={**place, **_own(settings, number), **_code(settings, number, collectors)},
        )
        for number in range(1, settings[ServerSettings].collectors + 1)
    ]


def _own(settings: Settings, number: int) -> dict[str, str]:
    """The first has what the settings say; each further one has that with its number."""
    if number == 1:
        return {}
    chosen = settings[CollectorSettings]
    work = (chosen.work or settings.home / WORK).absolute()
    return {
        "ARMARIUM_COLLECTOR_NAME": f"{(chosen.name or machine_name())[:59]}-{number}",
        "ARMARIUM_COLLECTOR_WORK": f"{work}-{number}",
        "ARMARIUM_COLLECTOR_KEY_FILE": f"{key_file(chosen, settings.home)}-{number}",
    }


def _code(settings: Settings, number: int, collectors: "Collectors") -> dict[str, str]:
    """A code for one that has no keys yet, unless it belongs to another server or brings its own."""
    chosen = settings[CollectorSettings]
    own = _own(settings, number).get("ARMARIUM_COLLECTOR_KEY_FILE")
    identity = read_identity(Path(own) if own else key_file(chosen, settings.home))
    known = identity is not None and identity.server_key is not None
    if known or chosen.server is not None or chosen.enrolment is not None:
        return {}
    return {ENROLMENT: collectors.new_code(SYSTEM).code}
