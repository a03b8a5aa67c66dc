"""Health, readiness and metrics of the web process."""

from ipaddress import ip_address, ip_network
from typing import Annotated

from fastapi import Depends
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from armarium.accounts.model import Identity, Permission
from armarium.core.errors import Forbidden
from armarium.core.message import message
from armarium.processes.model import examine
from armarium.web.guard import client_address, public
from armarium.web.routes import Router
from armarium.web.settings import WebSettings

router = Router()


@router.get("/healthz", dependencies=[Depends(public)], include_in_schema=False)
async def health() -> Response:
    """The process answers."""
    return PlainTextResponse("ok\n")


@router.get("/readyz", dependencies=[Depends(public)], include_in_schema=False)
def ready(request: Request) -> Response:
    """The process can do its work."""
    readiness = examine(request.app.state.checks)
    return JSONResponse(readiness.as_json(), 200 if readiness.ready else 503)


@router.get("/metrics", include_in_schema=False)
def metrics(request: Request, identity: Annotated[Identity | None, Depends(public)]) -> Response:
    if not (identity and identity.may(Permission.SYSTEM_VIEW)) and not _is_near(request):
        raise Forbidden(message("Metrics are for the networks in the setting web.metrics_networks."))
    registry: CollectorRegistry = request.app.state.registry
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


def _is_near(request: Request) -> bool:
    settings: WebSettings = request.app.state.settings
    if "x-forwarded-for" in request.headers and not settings.trusted_proxies:
        return False  # a proxy nobody told us of: its own address says nothing about who asks
    try:
        address = ip_address(client_address(request))
    except ValueError:
        return False
    return any(address in ip_network(network) for network in settings.metrics_networks)
