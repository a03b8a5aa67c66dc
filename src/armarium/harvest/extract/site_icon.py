"""The icon of a site: no page needs to name it, and browsers ask for it all the same."""

from armarium.formats.url import resolve
from armarium.harvest.extract.document import Document
from armarium.harvest.model import Hop, Link

PLACE = "/favicon.ico"
CONTEXT = "favicon"


def site_icon(document: Document) -> list[Link]:
    """That of the place where a seed was found.

    HTML Standard, link type "icon": `/favicon.ico`, resolved against the address of the page, not its base.
    """
    head = document.head
    answered = head is not None and 200 <= (head.status or 0) < 300
    if not (document.options.favicon and answered) or document.hop.strip(Hop.REDIRECT):
        return []
    return [Link(resolve(document.url, PLACE), Hop.INFERRED, CONTEXT)]


def is_site_icon(document: Document) -> bool:
    """A server that answers with a page instead has no icon, and nobody asked for that page."""
    return document.hop.endswith(Hop.INFERRED)
