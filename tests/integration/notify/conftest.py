"""Real SMTP servers on loopback, each named after how it behaves."""

import asyncio
import ssl
import subprocess
from collections.abc import Callable, Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

SECRET = "correct horse"


class Postbox:
    """Takes all mail."""

    def __init__(self) -> None:
        self.letters: list[EmailMessage] = []
        self.envelopes: list[Envelope] = []
        self.encrypted: list[bool] = []

    async def handle_DATA(self, _server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        letter = message_from_bytes(envelope.content or b"", policy=policy.default)  # type: ignore[arg-type]
        assert isinstance(letter, EmailMessage)
        self.letters.append(letter)
        self.envelopes.append(envelope)
        self.encrypted.append(session.ssl is not None)
        return "250 taken"


class Flaky(Postbox):
    """Is busy at first."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    async def handle_MAIL(  # noqa: N802
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.times:
            self.times -= 1
            return "451 4.3.0 busy, come back later"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 go on"


class Refusing(Postbox):
    """Knows nobody."""

    async def handle_RCPT(  # noqa: N802
        self, _server: SMTP, _session: Session, _envelope: Envelope, _address: str, _options: list[str]
    ) -> str:
        return "550 5.1.1 no such mailbox"


class Choosy(Postbox):
    """Takes mail for one of two."""

    async def handle_RCPT(  # noqa: N802
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        if address.startswith("gone@"):
            return "550 5.1.1 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 fine"


def check_password(
    _server: SMTP, _session: Session, _envelope: Envelope, _mechanism: str, data: Any
) -> AuthResult:
    assert isinstance(data, LoginPassword)
    right = data.login == b"armarium" and data.password == SECRET.encode()
    return AuthResult(success=right, handled=right)


class FreePort(Controller):
    def _trigger_server(self) -> None:
        # The controller tries a connection of its own: to port 0, unless it is told which one it was given.
        assert isinstance(self.server, asyncio.Server)
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call]


Serve = Callable[..., int]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server with a handler; returns its port."""
    controllers: list[Controller] = []

    def start(handler: Postbox, **options: Any) -> int:
        controller = FreePort(handler, hostname="127.0.0.1", port=0, **options)
        controller.start()
        controllers.append(controller)
        return int(controller.port)

    yield start
    for controller in controllers:
        controller.stop()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for localhost that signs itself, with its key in the same file."""
    folder = tmp_path_factory.mktemp("certificate")
    key, file = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout {key.name} "
        f"-out {file.name} -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost".split(),
        cwd=folder,
        check=True,
        capture_output=True,
    )
    file.write_bytes(file.read_bytes() + key.read_bytes())
    return file


@pytest.fixture
def server_context(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


@pytest.fixture
def client_context(certificate: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(certificate))
