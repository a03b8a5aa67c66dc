"""A network of its own for a bench: loopback, and a name server that knows no name.

So crawlers of sites that link to the whole world reach nothing of it, and are told so at once. Needed are
`unshare` and `mount` of util-linux and `ip` of iproute2, and that the account may make user namespaces.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_INSIDE = "BENCH_NETWORK_OF_ITS_OWN"
_SETTING_UP = 'ip link set lo up && mount --bind "$0" /etc/resolv.conf && exec "$@"'
_NEEDED = ("unshare", "mount", "ip")


def is_alone() -> bool:
    return _INSIDE in os.environ


def again_alone(module: str, arguments: Sequence[str]) -> int:
    """Run the module once more, in a network of its own; its exit code is returned."""
    lacking = [program for program in _NEEDED if shutil.which(program) is None]
    if lacking:
        sys.stderr.write(f"Install {', '.join(lacking)} (Debian: util-linux, mount, iproute2).\n")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        resolver = Path(folder, "resolv.conf")
        resolver.write_text("nameserver 127.0.0.1\n")
        inside = [sys.executable, "-m", module, *arguments]
        command = ["unshare", "--map-root-user", "--net", "--mount", "sh", "-c", _SETTING_UP, str(resolver)]
        environment = dict(os.environ) | {_INSIDE: "1"}
        return subprocess.run([*command, *inside], env=environment, check=False).returncode  # noqa: S603


@contextmanager
def no_names() -> Iterator[None]:
    """A name server on loopback that answers every question with: there is no such name."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 53))
        threading.Thread(target=_answer, args=(server,), daemon=True).start()
        yield


def _answer(server: socket.socket) -> None:
    """RFC 1035, 4.1.1: the question comes back, as an answer (QR, RA) with the code 3."""
    while True:
        try:
            question, client = server.recvfrom(4096)
        except OSError:
            return
        if len(question) > 12:
            head = question[:2] + bytes((0x80 | question[2] & 1, 0x83)) + question[4:6] + bytes(6)
            server.sendto(head + question[12 : _end_of_name(question) + 4], client)


def _end_of_name(question: bytes) -> int:
    at = 12
    while at < len(question) and question[at]:
        at += 1 + question[at]
    return at + 1
