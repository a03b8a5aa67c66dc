"""The small web before its first edition: every site has fewer pages then, and a date on its front page."""

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from armarium.demo.web.model import Answer, Site

FILE = "youth"
GROWTH = 0.6  # of its pages, that a site has written in its last year
MONTHS = 12
LEAST = 2  # pages, with which every site begins


@dataclass(frozen=True)
class Youth:
    """How many months before its first edition the web is, and what day it says on its pages."""

    months: int = 0
    day: str = ""


GROWN = Youth()


def read_youth(folder: Path) -> Youth:
    try:
        months, _, day = (folder / FILE).read_text("utf-8").strip().partition(" ")
        return Youth(int(months), day)
    except (OSError, ValueError):
        return GROWN


def write_youth(folder: Path, youth: Youth) -> None:
    """Whole or not at all, as an edition."""
    beside = folder / f"{FILE}.{os.getpid()}"
    beside.write_text(f"{youth.months} {youth.day}\n", "utf-8")
    beside.replace(folder / FILE)


@cache
def unwritten(site: Site, months: int) -> frozenset[str]:
    """The paths of pages that the site does not have yet."""
    pages = [page.path for page in site.pages if page.path != "/"]
    written = math.ceil(len(pages) * (1 - GROWTH * months / MONTHS))
    return frozenset(pages[max(written, LEAST) :])


def young(site: Site, path: str, answer: Answer, youth: Youth) -> Answer | None:
    """The answer as it was then; None: there is no such page yet."""
    absent = unwritten(site, youth.months)
    if path in absent:
        return None
    if not answer.kind.startswith("text/html") or answer.status != 200:
        return answer
    body = _unlinked(answer.body, sorted(absent))
    if path == "/":
        body = body.replace(b"</main>", b"<p><small>%s</small></p>\n</main>" % youth.day.encode())
    return replace(answer, body=body)


def _unlinked(body: bytes, paths: Sequence[str]) -> bytes:
    for path in paths:
        link = rb'<a href="%s">(.*?)</a>' % re.escape(path).encode()
        body = re.sub(link, rb"\1", body)
    return body
