"""`armarium collector`: the process, from its settings to its end."""

import asyncio
import os
import signal
from pathlib import Path

import structlog
import uvloop

from armarium.collector.child import MODULE
from armarium.collector.collector import Collector
from armarium.collector.identity import Identity, described, new_identity, read_identity, write_identity
from armarium.collector.job import Limits
from armarium.collector.job_folder import Work
from armarium.collector.pauses import Pauses
from armarium.collector.server import Denied, Link, Server
from armarium.collector.settings import CollectorSettings, machine_name
from armarium.core.collecting import Enrolled, Enrolment, Machine
from armarium.core.errors import Misconfigured, Unavailable
from armarium.core.message import message

log = structlog.get_logger(__name__)


# --- Becoming known to the server, once.


async def enrolled_identity(
    file: Path, link: Link, settings: CollectorSettings, machine: Machine
) -> Identity:
    """Who this collector is; a new one enrols with its code. A server that is away is waited for."""
    identity = read_identity(file)
    if identity is not None and identity.server_key is not None:
        return identity
    if settings.enrolment is None:
        raise Misconfigured(
            message(
                "This collector is not known to the server %(server)s. Make a code there (Harvesting, "
                "Collectors), and start the collector once with it: ARMARIUM_COLLECTOR_ENROLMENT=<code>",
                server=link.address,
            )
        )
    name = settings.name or machine_name()
    if identity is None or identity.name != name:
        identity = new_identity(file, name)
    found = await _enrol(identity, link, _request(identity, settings, machine))
    identity = identity.enrolled(found.name, dict(found.server_key))
    write_identity(file, identity)
    log.info("enrolled", collector=identity.name, server=link.address)
    return identity


def _request(identity: Identity, settings: CollectorSettings, machine: Machine) -> Enrolment:
    assert settings.enrolment is not None
    return Enrolment(
        code=settings.enrolment.get_secret_value(),
        name=identity.name,
        signing_key=identity.keys.public_signing,
        sealing_key=identity.keys.public_sealing,
        channels=tuple(settings.channels),
        machine=machine,
    )


async def _enrol(identity: Identity, link: Link, enrolment: Enrolment) -> Enrolled:
    server, pauses = Server(link, identity), Pauses()
    try:
        while True:
            try:
                return await server.enrol(enrolment)
            except Unavailable as error:
                pause = pauses.next()
                log.warning("not enrolled yet", pause_seconds=round(pause, 1), reason=str(error))
                await asyncio.sleep(pause)
    except Denied as error:
        raise _not_enrolled(link, error) from None
    finally:
        await server.close()


def _not_enrolled(link: Link, refusal: Denied) -> Misconfigured:
    if refusal.code != "enrolment-code":  # the code is still good: the sentence says what is not
        text = message(
            "The server %(server)s does not enrol this collector. %(reason)s",
            server=link.address,
            reason=str(refusal),
        )
    else:
        text = message(
            "The server %(server)s does not enrol this collector. %(reason)s Make a new code there, and "
            "start the collector once with it: ARMARIUM_COLLECTOR_ENROLMENT=<code>",
            server=link.address,
            reason=str(refusal),
        )
    return Misconfigured(text)


# --- The process.


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
