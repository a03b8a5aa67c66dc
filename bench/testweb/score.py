"""Compares what a crawler fetched or stored with the truth."""

import base64
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from bench.testweb.model import LEVELS, Truth
from bench.testweb.requests import canonical
from bench.testweb.web import Web


class Seen(NamedTuple):
    url: str
    status: int = 0
    sha1: str | None = None


def read_truth(folder: Path) -> dict[str, Truth]:
    truth = {}
    with (folder / "truth.tsv").open() as file:
        next(file)
        for line in file:
            url, level, kind, status, _, _, sha1, _ = line.rstrip("\n").split("\t")
            truth[url] = Truth(level, kind, int(status), sha1)
    return truth


def from_log(web: Web, log: Path) -> tuple[list[Seen], dict[str, Any]]:
    """What was asked for, and how politely."""
    seen: list[Seen] = []
    times: defaultdict[str, list[float]] = defaultdict(list)
    connections = set()
    for file in (log, *sorted(log.parent.glob(f"{log.name}.[0-9]*"))):  # one for each process
        for line in file.read_text(encoding="latin-1").splitlines():
            moment, connection, host, target, status, _ = line.split("\t")
            seen.append(Seen(f"{web.parameters.scheme}://{host}{target}", int(status)))
            times[host].append(float(moment))
            connections.add(connection)
    every = [moment for of_host in times.values() for moment in of_host]
    seconds = round(max(every) - min(every), 3) if every else 0
    facts: dict[str, Any] = {"requests": len(seen), "connections": len(connections), "seconds": seconds}
    gaps = sorted(later - earlier for of_host in times.values() for earlier, later in pairwise(of_host))
    if gaps:
        facts["per_host_gap_s"] = {"min": round(gaps[0], 4), "median": round(gaps[len(gaps) // 2], 4)}
    return seen, facts


def from_warc(files: Iterable[Path]) -> tuple[list[Seen], dict[str, Any]]:
    """What was stored. Read by warcio: whoever wrote it must not be its own judge."""
    from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415  (an extra of the tests)

    seen: list[Seen] = []
    counts: Counter[str] = Counter()
    for path in files:
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                counts[record.rec_type] += 1
                url = (record.rec_headers.get_header("WARC-Target-URI") or "").strip("<>")
                if record.rec_type not in ("response", "revisit") or not url.startswith("http"):
                    continue
                status = int(record.http_headers.get_statuscode() or 0) if record.http_headers else 0
                content = record.content_stream().read() if record.rec_type == "response" else None
                seen.append(Seen(url, status, _digest(content) if content is not None else None))
    return seen, {"records": dict(counts)}


def _digest(content: bytes) -> str:
    return base64.b32encode(hashlib.sha1(content).digest()).decode()  # noqa: S324  (as WARC files have it)


def score(
    web: Web, truth: dict[str, Truth], seen: Sequence[Seen]
) -> tuple[dict[str, Any], list[tuple[str, str, str]]]:
    """Recall and over-fetch, and what was missed."""
    times: Counter[str] = Counter()
    over: Counter[str] = Counter()
    wrong_body = wrong_status = 0
    sites = {web.origin(host) for host in web.built}
    for one in seen:
        url = _spelled(one.url)
        times[url] += 1
        true = truth.get(url)
        if true is None:
            over[_unknown(url, sites)] += 1
            continue
        if true.level not in LEVELS:
            over[true.level] += 1
        wrong_body += bool(one.sha1 and one.sha1 != true.sha1)
        wrong_status += bool(one.status and one.status not in (true.status, 304))
    required = {url: true for url, true in truth.items() if true.level in LEVELS}
    rows: dict[str, list[int]] = {}
    for url, true in required.items():
        _count(rows, true.level, url in times)
    for url, true in required.items():
        if true.level == "html":
            _count(rows, f"html/{true.kind}", url in times)
    recall = {
        name: {"expected": all_, "found": found, "recall": round(found / all_, 4)}
        for name, (all_, found) in rows.items()
    }
    result = {
        "distinct": len(times),
        "repeated": sum(count - 1 for count in times.values()),
        "over_fetch": dict(over),
        "wrong_body": wrong_body,
        "wrong_status": wrong_status,
        "recall": recall,
    }
    return result, [(true.level, true.kind, url) for url, true in required.items() if url not in times]


def _count(rows: dict[str, list[int]], name: str, found: bool) -> None:
    row = rows.setdefault(name, [0, 0])
    row[0] += 1
    row[1] += found


def _unknown(url: str, sites: set[str]) -> str:
    """What an address is that the truth does not have."""
    scheme, _, rest = url.partition("://")
    authority, _, path = rest.partition("/")
    if f"{scheme}://{authority}" not in sites:
        return "outside"
    if path.startswith(("calendar/", "loop/")):
        return "trap"
    return "excluded" if path.startswith(("private/", "search")) else "invented"


def _spelled(url: str) -> str:
    """In the truth's spelling."""
    scheme, _, rest = url.partition("://")
    authority, _, path = rest.partition("/")
    target = ("/" + path.partition("#")[0]).encode("utf-8", "surrogateescape")
    return f"{scheme}://{authority.lower()}{canonical(target).decode('latin-1')}"
