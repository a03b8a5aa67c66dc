"""Crawling, side by side: `armarium crawl` against the crawlers of the field, on webs with a known truth.

    python -m bench.crawl                    both webs, all crawlers that are there
    python -m bench.crawl --small            in half a minute: small webs, ours and wget
    python -m bench.crawl one --tools armarium,wget
    python -m bench.crawl --heritrix DIR     Heritrix 3 too, unpacked there

The webs are built and served on loopback by `bench.testweb`. The crawlers take turns. CPU is that of the
crawler and its child processes; what was fetched is what the server says. The server has a core's share too:
compare URLs per CPU second, and URLs/s only within one run.
"""

import argparse
import platform
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.crawl import table
from bench.crawl.measure import run
from bench.crawl.table import Result
from bench.crawl.tools import OURS, Tool, tools
from bench.crawl.web import Size, Web, served

WEBS = {"one": Size(1, 5000), "many": Size(200, 100)}
SMALL = {"one": Size(1, 300), "many": Size(20, 20)}
SMALL_TOOLS = (OURS, "wget --warc")


def main(arguments: Sequence[str]) -> int:
    wanted = _arguments(arguments)
    unknown = [part for part in wanted.parts if part not in WEBS]
    if unknown:
        sys.stderr.write(f"There is no {', '.join(unknown)}; there are {', '.join(WEBS)}.\n")
        return 2
    chosen = _chosen(tools(wanted.heritrix), wanted)
    say(f"{_machine()}, {datetime.now(UTC):%Y-%m-%d}")  # noqa: TID251 - a bench is not the program
    for tool in chosen:
        if tool.missing:
            say(f"without {tool}: {tool.missing}.")
    there = [tool for tool in chosen if not tool.missing]
    sizes = SMALL if wanted.small else WEBS
    for part in wanted.parts or sizes:
        say(f"\n{part}: {sizes[part]}")
        with tempfile.TemporaryDirectory() as folder, served(Path(folder), sizes[part]) as web:
            _report(_measured(there, web, Path(folder), wanted.rounds, wanted.seconds))
    return 0


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("bench.crawl", description="Crawlers, side by side.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(WEBS))
    parser.add_argument("--small", action="store_true", help="small webs, ours and wget")
    parser.add_argument("--tools", default="", help="names, or how they begin, separated by commas")
    parser.add_argument("--heritrix", type=Path, metavar="DIR", help="Heritrix 3, unpacked")
    parser.add_argument("--rounds", type=int, default=1, metavar="N")
    parser.add_argument("--seconds", type=float, default=300, help="at most for each crawl; then it is cut")
    return parser.parse_args(arguments)


def _chosen(known: list[Tool], wanted: argparse.Namespace) -> list[Tool]:
    names = tuple(name.strip().lower() for name in wanted.tools.split(",") if name.strip())
    if names:
        return [tool for tool in known if tool.name.lower().startswith(names)]
    return [tool for tool in known if tool.name in SMALL_TOOLS] if wanted.small else known


def _measured(
    there: Sequence[Tool], web: Web, folder: Path, rounds: int, seconds: float
) -> dict[str, list[Result]]:
    """Each tool in turn, then all again: a machine that gets slower does so for all of them."""
    results: dict[str, list[Result]] = {}
    for _ in range(rounds):
        for tool in there:
            result = _crawled(tool, web, folder, seconds)
            if result is not None:
                results.setdefault(tool.name, []).append(result)
    return results


def _crawled(tool: Tool, web: Web, folder: Path, seconds: float) -> Result | None:
    """None where it fetched next to nothing: what it said is shown instead."""
    web.forget()
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as place:
        call = tool.call(web, Path(place))
        done = run(call.command, Path(place), call.environment, seconds=seconds)
    result = Result(done, web.score())
    if result.urls <= len(web.sites):
        say(f"{tool} did not crawl (exit code {done.code}): {done.said}")
        return None
    return result


def _report(results: dict[str, list[Result]]) -> None:
    say(table.speeds(results, OURS))
    say(table.findings(results))


def _machine() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text() if cpuinfo.exists() else ""
    models = [line.partition(":")[2].strip() for line in text.splitlines() if "model name" in line]
    model = models[0] if models else platform.machine()
    return f"{model}, {len(models)} cores, Python {platform.python_version()}"


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
