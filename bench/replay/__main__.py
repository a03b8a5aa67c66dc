"""Replay, side by side: `armarium replay` and pywb over the same files, on loopback, in one run.

    python -m bench.replay                   everything; installs pywb into a scratch environment (a minute)
    python -m bench.replay --pywb DIR        an environment in which pywb is installed already
    python -m bench.replay --small           in half a minute: fewer questions, a long record of 64 MB
    python -m bench.replay --only            ours alone

Each is asked the same questions over four kept connections: archived pages of 30 kB with 90 links as they are
(raw), and rewritten; and the captures of an address (CDX). CPU is that of the server and its child processes,
whoever asks costs nothing; so compare answers per CPU second. The two never run at the same time.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from bench.replay import servers
from bench.replay.asking import KINDS, Figures, ask, first_byte
from bench.replay.collection import Collection, make

GIGABYTE = 1 << 30


@dataclass(frozen=True)
class Result:
    figures: dict[str, Figures]
    first_byte: float
    memory: int


def main(arguments: Sequence[str]) -> int:
    wanted = _arguments(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        long_bytes = GIGABYTE // 16 if wanted.small else GIGABYTE
        collection = make(folder, pages=100, long_bytes=long_bytes)
        count = 300 if wanted.small else 2000
        results = {"armarium": _measured(servers.ours(collection, folder), collection, count)}
        venv = None if wanted.only else wanted.pywb or servers.install_pywb(folder)
        if venv is not None:
            results["pywb"] = _measured(servers.pywb(collection, folder, venv), collection, count)
        elif not wanted.only:
            sys.stderr.write("pywb cannot be installed here: ours alone.\n")
        _print(results, long_bytes)
    return 0


def _measured(running: AbstractContextManager[servers.Server], collection: Collection, count: int) -> Result:
    with running as server:
        figures = {kind: ask(server, collection, kind, count) for kind in KINDS}
        return Result(figures, first_byte(server, collection), server.memory())


def _print(results: dict[str, Result], long_bytes: int) -> None:
    write = sys.stdout.write
    for kind in KINDS:
        for name, result in results.items():
            found = result.figures[kind]
            write(
                f"{kind:10} {name:9} {found.per_cpu_second:8.0f} per CPU second   "
                f"p50 {found.p50:6.2f} ms   p99 {found.p99:6.2f} ms\n"
            )
        if len(results) == 2:
            one, other = (results[name].figures[kind] for name in ("armarium", "pywb"))
            faster, slower = one.per_cpu_second / other.per_cpu_second, one.p99 / other.p99
            write(f"{'':10} ratio     {faster:8.1f}                  p99 {slower:.2f}\n")
    for name, result in results.items():
        write(f"first byte of {long_bytes >> 20} MB   {name:9} {result.first_byte:8.1f} ms\n")
        write(f"memory                {name:9} {result.memory / 1e6:8.0f} MB\n")


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.replay")
    parser.add_argument("--pywb", type=Path, help="environment with pywb")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--only", action="store_true", help="ours alone")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
