"""Ports of the loopback for the demonstration: the ordinary ones, or others that are free."""

import secrets
import shutil
import socket
from contextlib import ExitStack
from dataclasses import dataclass

from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.demo.folder import Ports

# --- What somebody types to call the demonstration again.


RUN = "./run"  # of a checkout, where nothing is installed for the whole machine


def called(*options: str) -> str:
    """`armarium demo --clean` where there is such a command; otherwise as it was called, by `./run`."""
    return " ".join(("armarium" if shutil.which("armarium") else RUN, "demo", *options))


# --- Ports of the loopback for the demonstration: the ordinary ones, or others that are free.


HOST = "127.0.0.1"
ORDINARY = Ports(staff=8000, readers=8090, web=8070, names=0)  # that of names nobody has to know
#: But it stays the same, so it is none of those that the kernel lends to whoever calls out: such a one may
#: well be taken when the demonstration is opened again.
NAMES = range(20_000, 30_000)
TRIES = 50


@dataclass(frozen=True)
class Asked:
    """Ports that somebody wants; None: any."""

    staff: int | None = None
    readers: int | None = None
    web: int | None = None


def chosen(asked: Asked) -> Ports:
    """What was asked for, or else what is free. The ports are held until all are found."""
    with ExitStack() as held:
        return Ports(
            staff=_found(held, asked.staff, "--port", ORDINARY.staff),
            readers=_found(held, asked.readers, "--readers-port", ORDINARY.readers),
            web=_found(held, asked.web, "--web-port", ORDINARY.web),
            names=_of_names(held),
        )


def again(known: Ports, asked: Asked) -> Ports:
    """For a demonstration that is there: its web must be where the archived addresses say it is."""
    if asked.web not in (None, known.web):
        raise Refused(
            message(
                "The small web of this demonstration was archived on port %(port)s, and stays there. To "
                "build another: %(command)s.",
                port=known.web,
                command=called("--anew", "--web-port", str(asked.web)),
            )
        )
    with ExitStack() as held:
        for port in (known.web, known.names):
            if not _taken(held, port, datagrams=port == known.names):
                raise Refused(
                    message(
                        "Port %(port)s, on which the small web of the demonstration was archived, is used by "
                        "another program. Stop that one, or build the demonstration anew: %(command)s.",
                        port=port,
                        command=called("--anew"),
                    )
                )
        return Ports(
            staff=_found(held, asked.staff, "--port", known.staff),
            readers=_found(held, asked.readers, "--readers-port", known.readers),
            web=known.web,
            names=known.names,
        )


def _found(held: ExitStack, port: int | None, option: str, usual: int) -> int:
    if port is None:
        return _free(held, usual)
    if not _taken(held, port):
        raise Refused(
            message(
                "Port %(port)s is used by another program. Stop that one, or choose another port with "
                "%(option)s.",
                port=port,
                option=option,
            )
        )
    return port


def _of_names(held: ExitStack) -> int:
    for _ in range(TRIES):
        port = secrets.choice(NAMES)
        if _taken(held, port, datagrams=True):
            return port
    raise Refused(_none_is_free())


def _free(held: ExitStack, wished: int) -> int:
    if _taken(held, wished):
        return wished
    for _ in range(TRIES):
        with socket.create_server((HOST, 0)) as found:
            port = int(found.getsockname()[1])
        if _taken(held, port):
            return port
    raise Refused(_none_is_free())


def _none_is_free() -> Message:
    return message("No port of this machine is free. Stop some programs, then try again.")


def _taken(held: ExitStack, port: int, *, datagrams: bool = False) -> bool:
    """Take the port until all are found; False: somebody else has it."""
    kinds = (socket.SOCK_STREAM, socket.SOCK_DGRAM) if datagrams else (socket.SOCK_STREAM,)
    for kind in kinds:
        one = held.enter_context(socket.socket(socket.AF_INET, kind))
        if kind is socket.SOCK_STREAM:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind((HOST, port))
            if kind is socket.SOCK_STREAM:
                one.listen(1)
        except OSError:
            return False
    return True
