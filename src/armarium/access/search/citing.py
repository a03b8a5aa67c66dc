"""How an archived page is cited."""

from urllib.parse import urlsplit

from armarium.access.search import dates, links
from armarium.access.settings import AccessSettings
from armarium.core.message import Message, message
from armarium.formats.cdx.timestamps import moment


def persistent(settings: AccessSettings, timestamp: str, url: str) -> str:
    """The page as a PWID (urn:pwid:<archive>:<UTC time>:<part or page>:<address>); empty without a date."""
    at = moment(timestamp)
    if at is None:
        return ""
    archive = urlsplit(settings.reading).hostname or ""
    return f"urn:pwid:{archive}:{at:%Y-%m-%dT%H:%M:%SZ}:page:{links.readable(url)}"


def sentence(settings: AccessSettings, library: str, collection: str, timestamp: str, url: str) -> Message:
    """For a footnote."""
    return message(
        "%(url)s, captured %(date)s, %(archive)s, %(address)s",
        url=links.readable(url),
        date=dates.told(timestamp),
        archive=library or urlsplit(settings.reading).hostname or "",
        address=settings.reading + links.frame(collection, timestamp, url),
    )
