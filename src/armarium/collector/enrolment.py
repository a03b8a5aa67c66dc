"""Becoming known to the server, once."""

import asyncio
from pathlib import Path

import structlog

from armarium.collector.identity import Identity, new_identity, read_identity, write_identity
from armarium.collector.pauses import Pauses
from armarium.collector.server import Denied, Link, Server
from armarium.collector.settings import CollectorSettings, machine_name
from armarium.core.collecting import Enrolled, Enrolment, Machine
from armarium.core.errors import Misconfigured, Unavailable
from armarium.core.message import message

log = structlog.get_logger(__name__)


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
