"""The areas of the readers' origin, put together."""

from collections.abc import Callable, Mapping

from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp

from armarium.access.cdxserver.internet_archive import ia_cdx
from armarium.access.cdxserver.outback import outback_cdx
from armarium.access.cdxserver.pywb import collinfo, pywb_cdx
from armarium.access.downloads import download
from armarium.access.memento.timemap import timemap
from armarium.access.origins.content import Content
from armarium.access.origins.readers import Door, Reading
from armarium.access.replay.engine import Replay
from armarium.access.requests.site import ContentAddresses, Handler, Routes, Site, Visit
from armarium.access.requests.threads import Threads
from armarium.access.search import answers, home, shell
from armarium.access.search.frame import Frames, timegate
from armarium.access.search.shell import ProblemPages


def to_content(entering: ContentAddresses) -> Handler:
    """Archived content is answered on its own origin only, which has to know who asks."""

    def lead(visit: Visit) -> Response:
        path = visit.request.scope["raw_path"].decode("latin-1").partition("?")[0]
        query = visit.request.scope["query_string"].decode("latin-1")
        return RedirectResponse(entering.src(visit, f"{path}?{query}" if query else path), 307)

    return lead


def routes(
    entering: ContentAddresses,
    gated: Callable[[Handler], Handler] = lambda handler: handler,
    reader_pages: Mapping[str, Handler] | None = None,
    reader_methods: Mapping[str, frozenset[str]] | None = None,
) -> Routes:
    """`gated` goes around the pages to which readers come; `reader_pages` are for those with accounts."""
    frames = Frames(entering)
    return Routes(
        pages={
            "/": gated(home.home),
            "/collinfo.json": collinfo,
            "/cdx/search/cdx": ia_cdx,
            "/-/language": shell.keep_appearance,
            "/-/spread": shell.keep_spread,
            "/-/part/banner": frames.banner,
            **(reader_pages or {}),
        },
        below={shell.STATIC: shell.serve_static, "/-/outbackcdx/": outback_cdx},
        of_collection={
            "": gated(home.collection),
            "cdx": pywb_cdx,
            "index": pywb_cdx,
            "timemap": timemap,
            "record": download,
            "search": gated(answers.search),
        },
        asked=gated(answers.asked),
        timegate=gated(timegate),
        frame=gated(frames.page),
        content=to_content(entering),
        methods={
            "/-/language": frozenset({"POST"}),
            "/-/spread": frozenset({"POST"}),
            **(reader_methods or {}),
        },
    )


def door(
    site: Site, table: Routes, threads: Threads, replay: Replay, ticket_pages: ASGIApp | None = None
) -> Door:
    reading = Reading(site, table, threads, ProblemPages(site))
    return Door(site, reading, Content(site, replay, threads, ticket_pages))
