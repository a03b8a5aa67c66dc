"""The crawlers that run side by side: how each is called, and what it needs to be there.

All crawl the same seeds as fast as they can: no pause, no robots.txt (ours obeys it: it costs one request a
site, and the sitemaps are found there). Each is told by its own means to stay on the sites of the seeds and
to take what pages embed from the one host beside them.
"""

import importlib.util
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bench.crawl import heritrix
from bench.crawl.web import EMBEDS, free_port

OURS = "armarium"


class Web(Protocol):
    """What is to be crawled."""

    @property
    def seeds(self) -> Path:
        """A file, one seed a line."""

    @property
    def sites(self) -> list[str]:
        """The hosts of the seeds."""


@dataclass(frozen=True)
class Call:
    command: list[str]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Tool:
    name: str
    call: Callable[[Web, Path], Call]  # the web, and an empty folder for what the tool writes
    missing: str = ""  # what to do before it can run

    def __str__(self) -> str:
        return self.name


def _armarium(processes: int) -> Callable[[Web, Path], Call]:
    def call(web: Web, folder: Path) -> Call:
        seeds = ("--seeds", str(web.seeds), "--out", str(folder / "crawl"))
        shared = ("--processes", str(processes)) if processes > 1 else ()
        return Call([sys.executable, "-m", "armarium", "crawl", *seeds, "--delay", "0", "--quiet", *shared])

    return call


def _wget(web: Web, folder: Path) -> Call:
    # With several seeds wget may not leave their hosts: it would crawl all sites anew for each seed.
    hosts = web.sites
    spanning = ["--span-hosts", f"--domains={hosts[0]},{EMBEDS}"] if len(hosts) == 1 else []
    following = ["--recursive", "--level=inf", "--page-requisites", "--execute=robots=off", *spanning]
    patience = ["--tries=1", "--timeout=20"]
    writing = [f"--warc-file={folder / 'wget'}", "--delete-after", "--no-verbose", "--output-file=wget.log"]
    return Call(["wget", *following, *patience, *writing, f"--input-file={web.seeds}"])


def _httrack(web: Web, folder: Path) -> Call:
    limits = ["-%!", "-c32", "-A0", "-%c0", "-s0", "-R0", "-r999999"]
    quiet = ["-q", "-Q", "-I0"]
    places = ["-%L", str(web.seeds), "-O", str(folder / "mirror"), "-n", f"+{EMBEDS}*"]
    return Call(["httrack", *places, *quiet, *limits])


def _scrapy(web: Web, folder: Path) -> Call:
    arguments = [str(web.seeds), str(folder / "scrapy.warc.gz"), EMBEDS]
    return Call([sys.executable, str(Path(__file__).parent / "spider.py"), *arguments])


def _heritrix(home: Path) -> Callable[[Web, Path], Call]:
    def call(web: Web, folder: Path) -> Call:
        jobs = heritrix.prepare(home, folder, web.seeds)
        interface = ("-a", "bench:bench", "-b", "127.0.0.1", "-p", str(free_port()))
        command = [str(heritrix.program(home)), *interface, "-j", str(jobs), "-r", heritrix.JOB]
        return Call(command, {"FOREGROUND": "true", "HERITRIX_OUT": str(folder / "heritrix.log")})

    return call


def tools(heritrix_home: Path | None) -> list[Tool]:
    """All of them, those that are missing too. The first is ours."""
    return [
        Tool(OURS, _armarium(1)),
        Tool(f"{OURS}, 2 processes", _armarium(2)),
        Tool("wget --warc", _wget, _unless(_on_path("wget"), "install the Debian package wget")),
        Tool("httrack", _httrack, _unless(_on_path("httrack"), "install the Debian package httrack")),
        Tool(
            "scrapy + warcio",
            _scrapy,
            _unless(_importable("scrapy") and _importable("warcio"), "pip install scrapy warcio"),
        ),
        _heritrix_tool(heritrix_home),
    ]


def _heritrix_tool(home: Path | None) -> Tool:
    advice = (
        "unpack the dist zip of org.archive.heritrix:heritrix:3.13.0 from Maven Central, "
        "and name its folder with --heritrix; Java 17 is needed"
    )
    there = home is not None and heritrix.program(home).is_file() and _on_path("java")
    return Tool("Heritrix 3", _heritrix(home.absolute() if home else Path()), _unless(there, advice))


def _unless(there: bool, advice: str) -> str:
    return "" if there else advice


def _on_path(program: str) -> bool:
    return shutil.which(program) is not None


def _importable(module: str) -> bool:
    return importlib.util.find_spec(module) is not None
