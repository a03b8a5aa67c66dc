"""`armarium collector`: the process, from its settings to its end."""

import asyncio
import os
import signal
from pathlib import Path

import structlog
import uvloop

from armarium.collector.child import MODULE
from armarium.collector.collector import Collector
from armarium.collector.enrolment import enrolled_identity
from armarium.collector.identity import described
from armarium.collector.job import Limits
from armarium.collector.job_folder import Work
from armarium.collector.server import Link, Server
from armarium.collector.settings import CollectorSettings

log = structlog.get_logger(__name__)

WORK = "work"
KEY_FILE = "secrets/collector-key"


def run_collector(
    settings: CollectorSettings, home: Path, address: str, *, drain: bool = False, engine: str = MODULE
) -> None:
    """Collect until a signal comes. `address`: of the server, where the settings name none."""
    work = Work((settings.work or home / WORK).absolute())
    with work.claimed(), asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_collect(settings, key_file(settings, home), address, work, drain=drain, engine=engine))


def key_file(settings: CollectorSettings, home: Path) -> Path:
    return (settings.key_file or home / KEY_FILE).absolute()


async def _collect(
    settings: CollectorSettings, keys: Path, address: str, work: Work, *, drain: bool, engine: str
) -> None:
    link = Link(settings.server or address, settings.ca_file, settings.proxy)
    if settings.answers_can_be_forged:
        log.warning("answers of the server can be forged by anybody on the way", server=link.address)
    task = asyncio.current_task()
    assert task is not None
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, task.cancel)  # until there is something to end in order
    try:
        machine = described(work, slots=settings.slots, jobs=(), min_free_bytes=settings.min_free_bytes)
        identity = await enrolled_identity(keys, link, settings, machine)
    except asyncio.CancelledError:
        return
    server = Server(link, identity)
    limits = Limits(
        settings.slots,
        settings.min_free_bytes,
        settings.engine_processes,
        settings.hung_seconds,
        engine,
    )
    collector = Collector(server, work, limits)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, collector.stop)
    log.info("collecting", collector=identity.name, server=link.address, work=str(work.root), pid=os.getpid())
    try:
        await collector.run(drain=drain)
    finally:
        await server.close()
