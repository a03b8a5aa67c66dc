"""Places without end: a calendar that goes on for ever, a shop with addresses for each visit."""

import calendar
import re
from datetime import date
from hashlib import sha256

from armarium.demo.web.building import whole_page
from armarium.demo.web.model import Answer, Site

_MONTH = re.compile(r"(\d{4})-(\d{2})\.html")


def trapped(site: Site, path: str, query: str) -> Answer | None:
    """What an address within a trap answers; None: it is none."""
    if site.trap is None or not path.startswith(site.trap[1]):
        return None
    body = _TRAPS[site.trap[0]](site.trap[1], path.removeprefix(site.trap[1]), query)
    if body is None:
        return None
    title, words = body
    return Answer(whole_page(site, path, title, words).encode())


def _calendar(folder: str, rest: str, _: str) -> tuple[str, str] | None:
    """Every month has a next one."""
    found = _MONTH.fullmatch(rest)
    if found is None or not 1 <= int(found[2]) <= 12 or not 1 <= int(found[1]) <= 9998:
        return None
    year, month = int(found[1]), int(found[2])
    weeks = calendar.Calendar().monthdayscalendar(year, month)
    rows = "".join("<tr>" + "".join(f"<td>{day or ''}</td>" for day in week) + "</tr>" for week in weeks)
    before, after = _month(folder, year, month - 1), _month(folder, year, month + 1)
    words = f'<table>{rows}</table><p><a href="{before}">← before</a> · <a href="{after}">after →</a></p>'
    return date(year, month, 1).strftime("%m / %Y"), words


def _month(folder: str, year: int, month: int) -> str:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return f"{folder}{year:04d}-{month:02d}.html"


def _session(folder: str, rest: str, query: str) -> tuple[str, str] | None:
    """Each page hands out a new session, and every address carries it."""
    if rest not in _SHELVES:
        return None
    session = sha256(f"{rest}?{query}".encode()).hexdigest()[:32]
    links = "".join(
        f'<li><a href="{folder}{name}?PHPSESSID={session}">{title}</a></li>'
        for name, title in _SHELVES.items()
    )
    return _SHELVES[
        rest
    ], f"<p>Your basket is number {session[:6]}. It is empty, and light.</p><ul>{links}</ul>"


_SHELVES = {"basket.php": "Your basket", "wishes.php": "Your wishes", "till.php": "To the till"}
_TRAPS = {"calendar": _calendar, "session": _session}
