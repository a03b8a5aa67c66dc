"""The API for collectors: what `core.collecting` describes, under /api/collector.

Its guards let nobody in by a session or an API token. Whoever is refused learns nothing about the reason; the
log does. Only a collector that proves who it is learns that it is revoked: it would ask for ever otherwise.
"""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any, TypeVar

import structlog
from fastapi import Depends, Query
from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from armarium.core import clock
from armarium.core.collecting import (
    CHUNK_BYTES,
    Ended,
    Enrolled,
    Enrolment,
    FileName,
    FileOffered,
    FileState,
    Heartbeat,
    HeartbeatAnswer,
    JobEnd,
    LeaseAnswer,
    LeaseRequest,
)
from armarium.core.message import message
from armarium.core.services import Services
from armarium.formats.token import Reason, Untrusted, claimed_name, verify_proof
from armarium.planning.arrivals.handover import Digests
from armarium.planning.arrivals.service import Arrivals, Piece
from armarium.planning.collectors.model import Code, Collector, Declined
from armarium.planning.collectors.service import Collectors
from armarium.planning.leasing.service import Leases
from armarium.web.guard import client_address
from armarium.web.paging import LARGEST, Number
from armarium.web.problems import Problem, respond
from armarium.web.routes import LateRoute, Router
from armarium.web.services import service
from armarium.web.streams import Stream

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


# Routes ---------------------------------------------------------------------------------------------


LARGEST_END = 16_000_000  # bytes: the result of a job with a hundred thousand domains
LARGEST_NEWS = 1_000_000

#: Larger than a form: pieces of files, and the results of broad jobs.
BODIES = {"/api/collector/jobs/": LARGEST_END}

STATUS = {
    Code.PROOF: 401,
    Code.REVOKED: 403,
    Code.ENROLMENT: 403,
    Code.NAME_TAKEN: 409,
    Code.LEASE_LOST: 409,
    Code.VALUES: 422,
    Code.TOO_LARGE: 413,
    Code.NO_OFFER: 404,
    Code.OFFSET: 409,
    Code.OTHER_CONTENT: 409,
    Code.CHECKSUM: 409,
    Code.NOT_STORED: 409,
    Code.NO_ROOM: 507,
}

D = TypeVar("D", bound=BaseModel)
FILE_NAME: TypeAdapter[str] = TypeAdapter(FileName)


class CollectorRoute(LateRoute):
    """Tells collectors in a word what a refusal is about, so that they can act upon it."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await handle(request)
            except Declined as refusal:
                headers = {"WWW-Authenticate": "Collector"} if refusal.code is Code.PROOF else {}
                more = {"code": refusal.code.value, **refusal.facts}
                return respond(request, Problem(STATUS[refusal.code], refusal.message, headers, more))

        return answer


def document(kind: type[D], most: int = LARGEST_NEWS) -> Callable[[Request], D]:
    """A FastAPI dependency that reads the document of a request, after its guard has let it in."""

    def read(request: Request) -> D:
        body: bytes = request.state.body
        if len(body) > most:
            raise Declined(Code.TOO_LARGE, message("The document has more than %(most)s bytes.", most=most))
        try:
            return kind.model_validate_json(body)
        except ValidationError as problem:
            places = ", ".join(".".join(map(str, error["loc"])) or "all" for error in problem.errors()[:5])
            text = message("The document is no %(kind)s: %(places)s.", kind=kind.__name__, places=places)
            raise Declined(Code.VALUES, text) from None

    return read


def checked_name(name: str) -> str:
    try:
        return FILE_NAME.validate_python(name)
    except ValidationError:
        raise Declined(Code.VALUES, message("This cannot be the name of a file.")) from None


collector_api = Router(prefix="/collector", route_class=CollectorRoute, include_in_schema=False)

PROVED = [Depends(collector)]
CollectorsService = Annotated[Collectors, Depends(service(Collectors))]
LeasesService = Annotated[Leases, Depends(service(Leases))]
ArrivalsService = Annotated[Arrivals, Depends(service(Arrivals))]
DigestsService = Annotated[Digests, Depends(service(Digests))]
PlainName = Annotated[str, Depends(checked_name)]
Attempt = Annotated[int, Query(ge=1, le=2**31 - 1)]
Offset = Annotated[int, Query(ge=0, le=LARGEST)]


@collector_api.post("/enrol", dependencies=[Depends(enrolling)])
def enrol(
    request: Request,
    asked: Annotated[Enrolment, Depends(document(Enrolment))],
    collectors: CollectorsService,
) -> Enrolled:
    return collectors.enrol(asked, client_address(request))


@collector_api.post("/lease", dependencies=PROVED)
def lease(
    sender: Sender, asked: Annotated[LeaseRequest, Depends(document(LeaseRequest))], leases: LeasesService
) -> LeaseAnswer:
    return leases.lease(sender, asked)


@collector_api.post("/jobs/{number}/heartbeat", dependencies=PROVED)
def beat(
    number: Number,
    sender: Sender,
    news: Annotated[Heartbeat, Depends(document(Heartbeat))],
    leases: LeasesService,
) -> HeartbeatAnswer:
    return leases.beat(sender, number, news)


@collector_api.get("/jobs/{number}/digests", dependencies=PROVED)
def read_digests(number: Number, sender: Sender, digests: DigestsService, attempt: Attempt) -> Response:
    """Sorted CDXJ of what the archive has of the job's domains. A stream that breaks is no whole answer."""
    pieces = digests.pieces(sender, number, attempt)
    if pieces is None:
        return Response(status_code=204)
    return Stream(pieces, media_type="text/x-cdxj")


@collector_api.post("/jobs/{number}/files", dependencies=PROVED)
def offer_file(
    number: Number,
    sender: Sender,
    file: Annotated[FileOffered, Depends(document(FileOffered))],
    arrivals: ArrivalsService,
) -> FileState:
    return arrivals.offer(sender, number, file)


@collector_api.get("/jobs/{number}/files/{name}", dependencies=PROVED)
def read_file_state(
    number: Number, name: PlainName, sender: Sender, arrivals: ArrivalsService, attempt: Attempt
) -> FileState:
    return arrivals.state(sender, number, attempt, name)


@collector_api.put("/jobs/{number}/files/{name}", dependencies=PROVED)
def receive_piece(
    request: Request,
    number: Number,
    name: PlainName,
    sender: Sender,
    arrivals: ArrivalsService,
    attempt: Attempt,
    offset: Offset,
) -> FileState:
    data: bytes = request.state.body
    if len(data) > CHUNK_BYTES:
        raise Declined(Code.TOO_LARGE, message("A piece has at most %(most)s bytes.", most=CHUNK_BYTES))
    return arrivals.receive(sender, number, Piece(attempt, name, offset, data))


@collector_api.post("/jobs/{number}/end", dependencies=PROVED)
def end(
    number: Number,
    sender: Sender,
    result: Annotated[JobEnd, Depends(document(JobEnd, LARGEST_END))],
    leases: LeasesService,
) -> Ended:
    return leases.end(sender, number, result)
