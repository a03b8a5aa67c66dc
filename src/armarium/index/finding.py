"""What the search box finds in the index: the last captures of an address, and access collections."""

import re
from collections.abc import Sequence
from urllib.parse import quote

from armarium.accounts.model import Identity, Permission
from armarium.core.message import message
from armarium.core.services import Services
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.query import Query
from armarium.index.captures.pages import ADDRESS as CAPTURES
from armarium.index.chain.model import MAIN
from armarium.index.chain.service import Chain
from armarium.index.collections.pages import ADDRESS as COLLECTIONS
from armarium.languages.speech import moment
from armarium.web.finding import MOST, Finder, Found, fits

VIEW = Permission.INDEX_VIEW
ADDRESS = re.compile(r"(https?://)?[^\s/:@]+(\.[^\s/:@.]+)+\.?(:[0-9]{1,5})?(/\S*)?\Z", re.IGNORECASE)
COLLECTIONS_LOOKED_THROUGH = 500


def captures(services: Services, _: Identity, words: str) -> Sequence[Found]:
    """The newest of exactly this address: one look into the index. Words that are no address ask nothing."""
    if not ADDRESS.match(words):
        return []
    newest = Query(url=words, reverse=True, limit=MOST + 1)
    lines = services.get(Chain).lookup(MAIN).search(newest).lines
    return [_found(line) for line in lines]


def _found(line: CdxLine) -> Found:
    url = line.url or line.key
    there = quote(f"/all/{line.timestamp}/{url}", safe="")
    about = " · ".join(filter(None, (moment(line.date), line.text("status"), line.mime)))
    return Found(url, f"/access/go?to={there}", about)


def collections(services: Services, _: Identity, words: str) -> Sequence[Found]:
    known, _total = services.get(Chain).collections.page(limit=COLLECTIONS_LOOKED_THROUGH)
    return [
        Found(one.title or one.name, f"{COLLECTIONS}/{one.id}", one.name)
        for one in known
        if fits(words, one.name, one.title)
    ]


FINDERS = (
    Finder(message("Captures"), VIEW, captures, f"{CAPTURES}?url="),
    Finder(message("Access collections"), VIEW, collections),
)
