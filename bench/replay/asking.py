"""Asking over kept connections, and what it cost the one who answers."""

import http.client
import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from bench.replay.collection import LONG, Collection
from bench.replay.servers import Server

KINDS = ("raw", "rewritten", "cdx")
CONNECTIONS = 4


@dataclass(frozen=True)
class Figures:
    per_cpu_second: float
    p50: float  # milliseconds
    p99: float
    answers: int


def ask(server: Server, collection: Collection, kind: str, count: int) -> Figures:
    """The same questions for both, in the same order: `count` in all, over several connections."""
    chosen = random.Random(7)  # noqa: S311
    addresses = [
        server.address(kind, chosen.choice(collection.timestamps), chosen.choice(collection.addresses))
        for _ in range(count)
    ]
    _ask_all(addresses[: count // 5])  # warm
    before = server.cpu()
    taken = sorted(_ask_all(addresses))
    spent = server.cpu() - before
    return Figures(count / spent, taken[len(taken) // 2], taken[int(len(taken) * 0.99)], len(taken))


def first_byte(server: Server, collection: Collection) -> float:
    """Milliseconds until the body of the long record begins; the rest is left."""
    address = server.address("raw", collection.timestamps[0], LONG)
    best = float("inf")
    for _ in range(3):
        begin = time.perf_counter()
        connection, path = _connection(address)
        connection.request("GET", path)
        answer = connection.getresponse()
        if answer.status != 200 or len(answer.read(1000)) != 1000:
            raise SystemExit(f"{server.name} does not give the long record: {answer.status}")
        best = min(best, (time.perf_counter() - begin) * 1000)
        connection.close()
    return best


def _ask_all(addresses: Sequence[str]) -> list[float]:
    taken: list[float] = []
    failures: list[str] = []

    def work(part: Sequence[str]) -> None:
        connection, _ = _connection(part[0])
        for address in part:
            parts = urlsplit(address)
            begin = time.perf_counter()
            connection.request("GET", f"{parts.path}?{parts.query}" if parts.query else parts.path)
            answer = connection.getresponse()
            body = answer.read()
            taken.append((time.perf_counter() - begin) * 1000)
            if answer.status != 200 or len(body) < 100:
                failures.append(f"{answer.status} {address}")

    threads = [threading.Thread(target=work, args=(addresses[n::CONNECTIONS],)) for n in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise SystemExit(f"{len(failures)} answers are wrong, the first: {failures[0]}")
    return taken


def _connection(address: str) -> tuple[http.client.HTTPConnection, str]:
    parts = urlsplit(address)
    assert parts.hostname is not None, address
    return http.client.HTTPConnection(parts.hostname, parts.port, timeout=120), parts.path
