"""The world outside of a browser: whatever reaches it is remembered."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Outside:
    """One port, for connections (TCP) and for datagrams (UDP)."""

    port: int
    heard: list[str] = field(default_factory=list)


@contextmanager
def outside() -> Iterator[Outside]:
    stream = socket.create_server(("127.0.0.1", 0))
    port: int = stream.getsockname()[1]
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind(("127.0.0.1", port))
    place = Outside(port)

    def listen() -> None:
        with suppress(OSError):
            while True:
                connection, _ = stream.accept()
                threading.Thread(target=hear, args=(connection,), daemon=True).start()

    def hear(connection: socket.socket) -> None:
        with suppress(OSError), connection:
            connection.settimeout(1)
            place.heard.append("a connection")  # even one that says nothing: names and times are news, too
            place.heard.append(connection.recv(200).decode("latin-1").partition("\r")[0])

    def listen_for_datagrams() -> None:
        with suppress(OSError):
            while True:
                datagrams.recv(2000)
                place.heard.append("a datagram")

    for work in (listen, listen_for_datagrams):
        threading.Thread(target=work, daemon=True).start()
    try:
        yield place
    finally:
        for one in (stream, datagrams):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
