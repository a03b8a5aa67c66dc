"""`/<collection>/compare?url=…&one=…&other=…`: two captures of an address, and what changed between them."""

from starlette.responses import RedirectResponse, Response

from armarium.access.comparison.difference import Difference, difference
from armarium.access.comparison.page_text import lines_of
from armarium.access.model import Seen
from armarium.access.replay.capture import open_capture
from armarium.access.requests.site import ContentAddresses, Visit
from armarium.access.requests.threads import current_work
from armarium.access.search import answers, links, shell
from armarium.access.search.frame import WHOLE, by_way_of_spread, restricted
from armarium.access.search.listing import closest
from armarium.access.search.question import Question, address_of, dashed, digits_of
from armarium.access.view import Restricted
from armarium.core import clock
from armarium.core.errors import ArmariumError, Refused
from armarium.core.message import Message, message
from armarium.web.forms import filled

SHORT = 1 << 18  # bytes of both records together up to which this takes no time


class Comparisons:
    """`entering` leads the reader, as who they are, to the origin of the content."""

    def __init__(self, entering: ContentAddresses) -> None:
        self._entering = entering

    def page(self, visit: Visit) -> Response:
        asked = visit.request.query_params
        url, _ = address_of(asked.get("url", ""), "")
        try:
            moments = [digits_of(asked.get(name, ""), name) for name in ("one", "other")]
        except Refused as refusal:
            form = filled(**dict(asked)).refuse(refusal)
            return shell.page(visit, "reading/compare.html", status=422, form=form, url=url, stamps=[])
        now = f"{clock.now():%Y%m%d%H%M%S}"
        # Who names only one wants it beside the newest; who names none, the first beside the newest.
        found = [
            closest(visit.view, url, at or beyond) for at, beyond in zip(moments, ("1", now), strict=True)
        ]
        if found[0] is None or found[1] is None:
            return answers.nothing(visit, Question(url))
        one, other = sorted((found[0], found[1]), key=lambda seen: seen.line.timestamp)
        stamps = [seen.line.timestamp[:WHOLE] for seen in (one, other)]
        if stamps != moments:
            return RedirectResponse(links.compare(visit.collection.name, url, *stamps), 302)
        for seen in (one, other):
            if not seen.allowed:
                return restricted(visit, seen, url)
        return self._shown(visit, url, one, other)

    def _shown(self, visit: Visit, url: str, one: Seen, other: Seen) -> Response:
        alone = one.decision.one_reader or other.decision.one_reader
        changed, why_not = (None, _ALONE) if alone else changes(visit, one, other)
        response = shell.page(
            visit,
            "reading/compare.html",
            form=filled(one=dashed(_stamp(one)), other=dashed(_stamp(other))),
            url=url,
            sides=[] if alone else [self._side(visit, url, seen) for seen in (one, other)],
            stamps=[_stamp(one), _stamp(other)],
            changed=changed,
            why_not=why_not,
        )
        self._entering.dress(visit, response)
        return response

    def _side(self, visit: Visit, url: str, seen: Seen) -> tuple[str, str, str]:
        """Of one capture its timestamp, the address for the frame, and that of the frame aside."""
        path = links.content(visit.collection.name, seen.line.timestamp, url)
        return _stamp(seen), *by_way_of_spread(visit, self._entering.src(visit, path))


_ALONE = message("Only one reader at a time may have this page, so it cannot be shown twice.")


def changes(visit: Visit, one: Seen, other: Seen) -> tuple[Difference | None, Message | None]:
    """What changed, or why that cannot be told."""
    if (one.line.length or 0) + (other.line.length or 0) > SHORT:
        current_work().go_on()
    texts = []
    for seen in (one, other):
        try:
            capture = open_capture(visit.view, seen)
        except Restricted as refusal:  # the original of a revisit may be closed
            return None, refusal.message
        except ArmariumError:
            return None, message("One of the two captures cannot be read at the moment.")
        if capture.seen.decision.one_reader:
            return None, _ALONE
        lines = lines_of(capture)
        if lines is None:
            return None, message("Only pages of text can be compared line by line.")
        texts.append(lines)
    found = difference(*texts)
    return found, message("So much changed that a list of it would not help.") if found is None else None


def _stamp(seen: Seen) -> str:
    return seen.line.timestamp[:WHOLE]
