"""TLS: how much a certificate must prove, and what is recorded of it.

Every connection is first tried as a browser would. Where that fails and the policy allows it, the next rung
of the ladder is tried, and the reason of the failure is kept with the facts: so `open` takes every page and
still says for which of them somebody vouches. Python has no way to verify and go on in one handshake; the
second connection is paid once, then the rung is remembered for the server.
"""

import asyncio
import hashlib
import ssl
import time
import warnings
from functools import cached_property
from typing import NamedTuple

from armarium.core.crawl_order import TlsPolicy
from armarium.harvest.fetch.exchange import TlsFacts

REMEMBERED_SECONDS = 600.0  # then the server is tried anew: certificates are renewed
MOST_REMEMBERED = 20_000
NAME_PROBLEMS = frozenset({62, 63, 64})  # X509_V_ERR_HOSTNAME_MISMATCH and its kin for mail and addresses


class TlsRefused(OSError):  # noqa: N818  (reads as what happened)
    """The server's TLS is not what the policy asks for, or no TLS at all."""


class Rung(NamedTuple):
    """One way to try."""

    context: ssl.SSLContext
    sends_name: bool = True


class Memory(NamedTuple):
    rung: int
    problem: str
    until: float


class Ladder:
    """The ways to try, and which one each server needed."""

    def __init__(self, policy: TlsPolicy, authorities: str = "") -> None:
        """`authorities`: a file of certificates in PEM, beside those of the system. Raises OSError."""
        self._policy = policy
        self._authorities = authorities
        self._memory: dict[tuple[str, int], Memory] = {}
        if authorities:
            self._verifying()  # a file that cannot be read is told at once

    @cached_property
    def _rungs(self) -> list[Rung]:
        """Made for the first server with TLS: to read the certificates of the system takes a while."""
        rungs = [Rung(self._verifying())]
        if self._policy is TlsPolicy.NORMAL:
            chain = self._verifying()
            chain.check_hostname = False
            rungs.append(Rung(chain))
        elif self._policy is TlsPolicy.OPEN:
            anything = accepting_anything()
            # Some servers break off when they are told a name that they do not know.
            rungs += [Rung(anything), Rung(anything, sends_name=False)]
        for rung in rungs:
            rung.context.set_alpn_protocols(["http/1.1"])
        return rungs

    def _verifying(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        if self._authorities:
            context.load_verify_locations(cafile=self._authorities)
        return context

    def __len__(self) -> int:
        return len(self._rungs)

    def __getitem__(self, number: int) -> Rung:
        return self._rungs[number]

    def start(self, host: str, port: int) -> tuple[int, str]:
        """Where to begin with this server, and the problem that is known of it."""
        known = self._memory.get((host, port))
        if known is None or known.until < time.monotonic():
            return 0, ""
        return known.rung, known.problem

    def remember(self, host: str, port: int, rung: int, problem: str) -> None:
        if rung == 0:
            return
        if len(self._memory) >= MOST_REMEMBERED:
            self._memory.clear()
        self._memory[host, port] = Memory(rung, problem, time.monotonic() + REMEMBERED_SECONDS)

    def may_go_on(self, rung: int, error: OSError) -> bool:
        """Whether the next rung may be tried after this failure."""
        if rung + 1 >= len(self._rungs):
            return False
        if self._policy is TlsPolicy.NORMAL:
            return isinstance(error, ssl.SSLCertVerificationError) and error.verify_code in NAME_PROBLEMS
        return True  # also when the server only hangs up: many do so instead of saying what they dislike


def accepting_anything() -> ssl.SSLContext:
    """Every certificate, every version and cipher that OpenSSL still knows: old servers are heritage too."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = ssl.TLSVersion.TLSv1
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.options |= getattr(ssl, "OP_LEGACY_SERVER_CONNECT", 0x4)
    return context


def reason_of(error: OSError) -> str:
    """Why a handshake failed, in OpenSSL's words."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    if isinstance(error, ssl.SSLError):
        return (error.reason or str(error)).replace("_", " ").lower()
    return str(error) or type(error).__name__


def facts_of(transport: asyncio.BaseTransport, problem: str) -> TlsFacts:
    secured: ssl.SSLObject = transport.get_extra_info("ssl_object")
    cipher = secured.cipher()
    certificate = secured.getpeercert(binary_form=True) or b""
    return TlsFacts(
        protocol=secured.version() or "",
        cipher=cipher[0] if cipher else "",
        verified=not problem,
        problem=problem,
        fingerprint=hashlib.sha256(certificate).hexdigest() if certificate else "",
    )
