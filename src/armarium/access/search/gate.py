"""The TimeGate as people come to it: where it leads nowhere, they get the page that helps."""

from starlette.responses import Response

from armarium.access.door.site import Visit
from armarium.access.memento.timegate import asked_address
from armarium.access.memento.timegate import timegate as gate
from armarium.access.search import answers
from armarium.access.search.closest import closest
from armarium.access.search.frame import restricted
from armarium.access.search.question import Question
from armarium.access.view import Restricted
from armarium.core import clock
from armarium.core.errors import NotFound


def timegate(visit: Visit) -> Response:
    """`/<collection>/<url>`"""
    try:
        return gate(visit)
    except (NotFound, Restricted) as failure:
        if not _is_person(visit):
            raise
        url = asked_address(visit.rest)
        if isinstance(failure, NotFound):
            return answers.nothing(visit, Question(url), noted=True)
        now = clock.now()
        seen = closest(visit.view, url, f"{now.year:04}{now:%m%d%H%M%S}")
        if seen is None or seen.allowed:
            raise
        return restricted(visit, seen, url)


def _is_person(visit: Visit) -> bool:
    headers = visit.request.headers
    return "text/html" in headers.get("accept", "") and "accept-datetime" not in headers
