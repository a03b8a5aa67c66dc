"""Our crawler beside Heritrix on sites of others: what each alone finds, and what their guesses are worth.

    python -m bench.crawl.sites --heritrix DIR FOLDER [FOLDER …]     sites: each a folder with an index.html
    python -m bench.crawl.sites FOLDER [FOLDER …]                    ours beside wget
    python -m bench.crawl.sites --show …                             and every file and address meant

The folders are served on loopback, each at an address of its own, and crawled all at once, by one crawler
after the other. Nothing else can be reached: the whole runs in a network of its own, so that addresses on
other hosts are asked for in vain, but are in the logs. Documentation packages of Debian
(`apt-get download X-doc`, `dpkg -x`) and packages of npm that hold a built site are good folders.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.crawl.alone import again_alone, is_alone, no_names
from bench.crawl.folders import Folders, Site, as_sites, served
from bench.crawl.measure import Run, run
from bench.crawl.tools import OURS, Tool, tools

COLUMNS = ("files", "found", "alone", "asked", "guesses", "right", "false", "false/1,000", "elsewhere")
SPECULATIVE = "X"


@dataclass
class Finding:
    """What one crawler came to at one site."""

    found: set[str] = field(default_factory=set)
    asked: int = 0  # addresses of the site
    right: list[str] = field(default_factory=list)  # guesses
    false: list[str] = field(default_factory=list)  # guesses, too
    elsewhere: list[str] = field(default_factory=list)  # guesses that lead to other hosts

    def add(self, other: "Finding") -> None:
        self.found |= other.found
        self.asked += other.asked
        self.right += other.right
        self.false += other.false
        self.elsewhere += other.elsewhere

    def row(self, files: int, alone: int) -> list[object]:
        guesses = len(self.right) + len(self.false)
        rate = f"{1000 * len(self.false) / max(self.asked, 1):.1f}"
        counts = (len(self.right), len(self.false), rate, len(self.elsewhere))
        return [files, len(self.found), alone, self.asked, guesses, *counts]


@dataclass(frozen=True)
class Seeds:
    """The sites, as tools are told of them."""

    seeds: Path
    sites: list[str]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("bench.crawl.sites", description="Crawlers on sites of others.")
    parser.add_argument("sites", nargs="+", type=Path, metavar="FOLDER", help="or a page of it to begin with")
    parser.add_argument("--heritrix", type=Path, metavar="DIR", help="Heritrix 3, unpacked; else wget")
    parser.add_argument("--show", action="store_true", help="the files and addresses, too")
    parser.add_argument("--seconds", type=float, default=900, help="at most for each crawl; then it is cut")
    wanted = parser.parse_args(arguments)
    if not is_alone():
        return again_alone("bench.crawl.sites", arguments)
    peer = "Heritrix 3" if wanted.heritrix else "wget --warc"
    chosen = [tool for tool in tools(wanted.heritrix) if tool.name in (OURS, peer)]
    for tool in chosen:
        if tool.missing:
            sys.stderr.write(f"{tool} is not there: {tool.missing}.\n")
            return 2
    with no_names(), served(as_sites(wanted.sites)) as folders:
        results = {tool.name: _crawled(tool, folders, wanted.seconds) for tool in chosen}
        _report(results, folders.sites, show=wanted.show)
    return 0


def _crawled(tool: Tool, folders: Folders, seconds: float) -> dict[str, Finding]:
    for site in folders.sites:
        site.forget()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        seeds = Path(place, "seeds.txt")
        seeds.write_text("".join(f"{folders.seed(site)}\n" for site in folders.sites))
        call = tool.call(Seeds(seeds, [site.host for site in folders.sites]), Path(place))
        done = run(call.command, Path(place), call.environment, seconds=seconds)
        findings = {site.host: Finding(_files(site)) for site in folders.sites}
        for log in Path(place).rglob("crawl.log"):
            _read(log, folders, findings)
    _say_how(tool, done)
    return findings


def _files(site: Site) -> set[str]:
    """What was given, each file by one name: a link in the folder is no other file."""
    return {str((site.folder / path).resolve()) for path in site.given}


def _read(log: Path, folders: Folders, findings: dict[str, Finding]) -> None:
    """Heritrix's columns, which ours are, too: date, status, size, address, hops, where it stood …"""
    for line in log.read_text(errors="replace").splitlines():
        columns = line.split()
        if len(columns) < 6 or not columns[3].startswith(("http:", "https:")):
            continue
        status, url, hops, via = columns[1], *columns[3:6]
        guess = hops.endswith(SPECULATIVE)
        site = folders.site_of(url)
        if site is not None:
            finding = findings[site.host]
            finding.asked += 1
            if guess:
                (finding.false if status.startswith(("4", "5", "-")) else finding.right).append(
                    f"{url} in {via}"
                )
        elif guess and (origin := folders.site_of(via)) is not None:
            findings[origin.host].elsewhere.append(f"{url} in {via}")


def _say_how(tool: Tool, done: Run) -> None:
    cut = ", cut" if done.cut else ""
    say(f"{tool}: {done.wall:.0f} s, {done.cpu:.0f} s of CPU, exit code {done.code}{cut}")


def _report(results: dict[str, dict[str, Finding]], sites: Sequence[Site], *, show: bool) -> None:
    say(f"{'':<36}" + "".join(f"{name:>12}" for name in COLUMNS))
    totals = {name: Finding() for name in results}
    files = 0
    for site in sites:
        here = sum(1 for path in site.folder.rglob("*") if path.is_file())
        files += here
        found = {name: finding[site.host] for name, finding in results.items()}
        _rows(site.name, here, found, show=show)
        for name, finding in found.items():
            totals[name].add(finding)
    _rows("together", files, totals, show=False)


def _rows(site: str, files: int, findings: dict[str, Finding], *, show: bool) -> None:
    for name, finding in findings.items():
        others = set().union(*(other.found for key, other in findings.items() if key != name))
        alone = sorted(finding.found - others)
        row = finding.row(files, len(alone))
        say(f"{site[:23]:<24}{name:<12}" + "".join(f"{cell!s:>12}" for cell in row))
        if show:
            meant = {"alone": alone, "false": finding.false, "elsewhere": finding.elsewhere}
            for word, each in meant.items():
                for address in each:
                    say(f"    {name} {word}: {address}")


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
