"""A small HTTP endpoint for processes that are no web servers: alive, ready, figures for Prometheus."""

import json
import socket
import threading
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

import structlog
from prometheus_client import CollectorRegistry, Info, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from armarium.core.errors import Misconfigured
from armarium.core.message import message
from armarium.processes.model import Check, examine
from armarium.processes.settings import MonitoringSettings

log = structlog.get_logger(__name__)

JSON = "application/json"
TEXT = "text/plain; charset=utf-8"


class Monitor:
    """Listens from its making on, so that `address` is known; answers inside the `with` block."""

    def __init__(
        self, settings: MonitoringSettings, *, checks: Mapping[str, Check], registry: CollectorRegistry
    ) -> None:
        try:
            self._server = _Server(settings.host, settings.port, checks, registry)
        except OSError as error:
            raise Misconfigured(
                message(
                    "Monitoring cannot listen on %(host)s port %(port)s: %(reason)s. "
                    "Change monitoring.host or monitoring.port in the settings; port 0 takes any free one.",
                    host=settings.host,
                    port=settings.port,
                    reason=error.strerror or str(error),
                )
            ) from error
        self._thread = threading.Thread(target=self._server.serve_forever, name="monitor", daemon=True)

    @property
    def address(self) -> str:
        host, port = self._server.server_address[:2]
        text = host.decode() if isinstance(host, bytes | bytearray) else str(host)
        return f"http://[{text}]:{port}" if ":" in text else f"http://{text}:{port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a slow client must not keep the process from ending

    def __init__(
        self, host: str, port: int, checks: Mapping[str, Check], registry: CollectorRegistry
    ) -> None:
        self.checks = checks
        self.registry = registry
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Handler)

    def server_bind(self) -> None:
        # Not HTTPServer's own: it asks the name service for our full name, which may take seconds.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002  (names given)
        log.warning("monitoring request failed", client=str(client_address), exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 10  # seconds for a client to say something
    server_version = "armarium"
    sys_version = ""

    def do_GET(self) -> None:
        match self.path.partition("?")[0]:
            case "/healthz":
                self._answer(HTTPStatus.OK, TEXT, b"alive\n")
            case "/readyz":
                readiness = examine(self.server.checks)
                status = HTTPStatus.OK if readiness.ready else HTTPStatus.SERVICE_UNAVAILABLE
                self._answer(status, JSON, json.dumps(readiness.as_json()).encode())
            case "/metrics":
                self._answer(HTTPStatus.OK, CONTENT_TYPE_LATEST, generate_latest(self.server.registry))
            case _:
                self._answer(HTTPStatus.NOT_FOUND, TEXT, b"Ask for /healthz, /readyz or /metrics.\n")

    do_HEAD = do_GET  # noqa: N815  (name given by http.server)

    def _answer(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (name given by http.server)
        log.debug("monitoring request", client=self.client_address[0], line=format % args)


# --- Figures that every process gives to Prometheus.


def registry_for(*, kind: str, name: str, version: str) -> CollectorRegistry:
    """A registry of its own for this process, with what all processes tell.

    Not prometheus_client's global one: importing a module must not add to what a process says.
    """
    registry = CollectorRegistry()
    ProcessCollector(
        registry=registry
    )  # memory, start time, CPU, open files: the names Prometheus users expect
    info = Info("armarium_process", "Which process of Armarium this is, and its version.", registry=registry)
    info.info({"kind": kind, "name": name, "version": version})
    return registry
