"""Guards of the addresses for collectors. Sessions and API tokens open none of them.

Whoever is refused learns nothing about the reason; the log does. Only a collector that proves who it is
learns that it is revoked: it would ask for ever otherwise.
"""

from typing import Annotated

import structlog
from fastapi import Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from armarium.core import clock
from armarium.core.message import message
from armarium.core.services import Services
from armarium.formats.token import Reason, Untrusted, claimed_name, verify_proof
from armarium.planning.collectors.model import Code, Collector, Declined
from armarium.planning.collectors.service import Collectors
from armarium.web.guard import client_address

log = structlog.get_logger(__name__)

LONGEST_SHOWN = 63  # characters of a claimed name in the log


async def collector(request: Request) -> Collector:
    """Guard of requests that must prove which collector sends them."""
    shown, name = request.headers.get("authorization", ""), ""
    try:
        name = claimed_name(shown)
        found, body = await _proved(request, shown, name)
    except Untrusted as refusal:
        address = client_address(request)
        why = {"reason": refusal.reason.value, "detail": str(refusal)}
        log.warning("collector refused", claimed=name[:LONGEST_SHOWN], address=address, **why)
        raise Declined(
            Code.PROOF, message("The request does not prove which collector it comes from.")
        ) from None
    request.state.body = body
    return found


async def _proved(request: Request, shown: str, name: str) -> tuple[Collector, bytes]:
    collectors = _collectors(request)
    found = await run_in_threadpool(collectors.known, name)
    if found is None:
        raise Untrusted(Reason.FOREIGN, "There is no such collector.")
    proof = verify_proof(
        shown, found.signing_key, method=request.method, target=target_of(request), now=clock.now()
    )
    if found.revoked_at:
        log.warning("revoked collector refused", collector=found.name, address=client_address(request))
        raise Declined(
            Code.REVOKED,
            message("The collector %(name)s is revoked: its key opens nothing any more.", name=found.name),
        )
    # Only now: a stranger's megabytes are not even read.
    body = await request.body()
    proof.check_body(body)
    if not await run_in_threadpool(collectors.is_new_request, found, proof, client_address(request)):
        raise Untrusted(Reason.REPLAYED, "The request was answered before: this is a copy.")
    return found, body


async def enrolling(request: Request) -> None:
    """Guard of enrolment: the one-time code in the document is the proof, and is judged there."""
    request.state.body = await request.body()


def target_of(request: Request) -> str:
    """Path and query as they were sent: decoded, two requests could look alike."""
    query = request.scope.get("query_string", b"")
    target: bytes = request.scope["raw_path"] + (b"?" + query if query else b"")
    return target.decode("latin-1")


def _collectors(request: Request) -> Collectors:
    services: Services = request.app.state.services
    return services.get(Collectors)


Sender = Annotated[Collector, Depends(collector)]
