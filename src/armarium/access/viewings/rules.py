"""Which missing addresses are worth a note, what they look like, and what people type for jobs."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from armarium.access.rewrite.archival_addresses import NotArchival, parse_archival
from armarium.access.viewings.model import LONGEST_URL, MOST_JOBS, MissingKind
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.text import storable
from armarium.formats.url import InvalidUrl, normal, parse, registered_domain
from armarium.web.numbers import number_in

ENDINGS: dict[MissingKind, str] = {
    MissingKind.PAGE: "htm html xhtml shtml php php3 asp aspx jsp cgi cfm do",
    MissingKind.IMAGE: "gif jpg jpeg jpe png webp avif svg ico bmp tif tiff",
    MissingKind.STYLE: "css less scss",
    MissingKind.SCRIPT: "js mjs cjs wasm",
    MissingKind.FONT: "woff woff2 ttf otf eot",
    MissingKind.MEDIA: "mp3 mp4 m4a m4s m4v webm ogg ogv oga wav mov avi flv swf ts m3u8 mpd aac",
    MissingKind.DOCUMENT: "pdf doc docx xls xlsx ppt pptx odt ods odp rtf ps epub txt zip",
    MissingKind.DATA: "json xml rss atom csv jsonp map webmanifest",
}
_KIND_OF = {ending: kind for kind, endings in ENDINGS.items() for ending in endings.split()}
_ENDING = re.compile(r"\.([a-z0-9]{1,12})$")
_STRETCH = re.compile(r"(\d{1,18})\s*(?:-|–|\.\.)\s*(\d{1,18})")
_BETWEEN = re.compile(r"[,;\s]+")


def worth_noting(url: str) -> str | None:
    """The address in its normal form; None: none that could be harvested, or too long to be kept.

    Archived scripts ask for whatever they like: most of what is not the web was never meant to be fetched.
    """
    if not url.lower().startswith(("http://", "https://")) or len(url) > LONGEST_URL:
        return None
    try:
        written = normal(url).partition("#")[0]
    except InvalidUrl:
        return None
    return written if len(written) <= LONGEST_URL else None  # in its normal form all of it is ASCII


def page_that_asked(referrer: str, viewing: int) -> str:
    """The address of the page as it was on the web, as far as it fits.

    Through the proxy a browser names it so; else it names the address at which the archive shows it.
    """
    if not referrer.lower().startswith(("http://", "https://")):
        return ""
    _, shown, archival = referrer.partition(f"/viewing-{viewing}/")
    if shown:
        try:
            referrer = parse_archival(archival).url
        except NotArchival:
            return ""
    return storable(referrer)[:LONGEST_URL]


def domain_of(url: str) -> str:
    """The registered domain, or the host where there is none."""
    try:
        host = parse(url).host or ""
    except InvalidUrl:
        return ""
    return registered_domain(host) or host


def kind_of(url: str) -> MissingKind:
    """By the ending of the path. Addresses without one are pages, most often."""
    path = urlsplit(url).path.rpartition("/")[2].lower()
    ending = _ENDING.search(path)
    if ending is None:
        return MissingKind.PAGE
    return _KIND_OF.get(ending[1], MissingKind.OTHER)


def jobs_in(text: str) -> tuple[int, ...]:
    """Numbers of jobs, and stretches of them: `12, 40-60`."""
    found: set[int] = set()
    for first, last in _stretches(text):
        if last - first >= MOST_JOBS or len(found) > MOST_JOBS:
            raise too_many_jobs()
        found.update(range(first, last + 1))
    return tuple(sorted(found))


def stretches(jobs: tuple[int, ...]) -> str:
    """As people write them: `12, 40-60`."""
    found: list[list[int]] = []
    for number in jobs:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in found)


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    rest = _STRETCH.sub(lambda one: f"{one[1]}-{one[2]}", text)
    for word in filter(None, _BETWEEN.split(rest)):
        first, dash, last = word.partition("-")
        numbers = number_in(first), number_in(last if dash else first)
        if not numbers[0] or not numbers[1] or numbers[1] < numbers[0]:
            told = message(
                "“%(word)s” is not a job number. Write numbers as 12, 40-60.", word=storable(word[:40])
            )
            raise Refused(told, field="jobs")
        yield numbers[0], numbers[1]


def too_many_jobs() -> Refused:
    told = message("A viewing can have at most %(most)s jobs.", most=MOST_JOBS)
    return Refused(told, field="jobs")
