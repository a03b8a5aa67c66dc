"""The CDX server in the dialect of the Internet Archive."""

from collections.abc import Iterator
from itertools import chain

from starlette.responses import Response

from armarium.access.cdxserver import steps, writing
from armarium.access.cdxserver.answering import answer, complaining, text_complaint
from armarium.access.cdxserver.lines import Patience
from armarium.access.cdxserver.parameters import Parameters
from armarium.access.cdxserver.resuming import Mark
from armarium.access.cdxserver.rows import Answer, Row
from armarium.access.cdxserver.wanted import Wanted
from armarium.access.door.site import Visit
from armarium.access.memento.links import LINK_FORMAT, timemap_entry
from armarium.access.model import EVERYTHING
from armarium.access.view import View
from armarium.formats.cdx.line import ABSENT, ENCODING, ERRORS

_TYPES = {"text": "text/plain", "json": "application/json", "link": LINK_FORMAT}


def _complaint(status: int, text: str) -> Response:
    """Clients look for the header, which the Internet Archive's server has."""
    response = text_complaint(status, text)
    response.headers["X-Archive-Wayback-Runtime-Error"] = "RuntimeException"
    return response


@complaining(_complaint)
def ia_cdx(visit: Visit) -> Response:
    parameters = Parameters.of(visit.rest.partition("?")[2])
    view = visit.site.view(parameters.text("collection") or EVERYTHING, visit.reader)
    wanted = Wanted.of(parameters)
    output = parameters.choice("output", *_TYPES)
    if parameters.flag("showNumPages"):
        blocks = steps.blocks_of(wanted.asked.captures(view, Patience()))
        return Response(f"{-(-blocks // wanted.blocks)}\n", media_type="text/plain")
    visit.site.uses.note("list", "shown", collection=view.collection.name, reader=visit.reader)
    accepted = visit.request.headers.get("accept-encoding", "")
    gzip = "gzip" in accepted and parameters.text("gzip") != "false"
    rows = Answer(view, wanted, resumable=parameters.flag("showResumeKey")).rows()
    return answer(_written(visit, view, output, wanted, rows), _TYPES[output], gzip=gzip)


def _written(
    visit: Visit, view: View, output: str, wanted: Wanted, rows: Iterator[Row | Mark]
) -> Iterator[bytes]:
    if output == "json":
        yield from _as_json(wanted, rows)
        return
    for row in rows:
        if isinstance(row, Mark):
            yield f"\n{row}\n".encode()
        elif output == "text":
            cells = (cell.replace(" ", "%20") or ABSENT for cell in row.cells)
            yield " ".join(cells).encode(ENCODING, ERRORS) + b"\n"
        elif not row.told.restricted:
            yield timemap_entry(visit.site.settings, view.collection, row.told.line) + b",\n"


def _as_json(wanted: Wanted, rows: Iterator[Row | Mark]) -> Iterator[bytes]:
    shown = ([[], [str(row)]] if isinstance(row, Mark) else [row.cells] for row in rows)
    return writing.json_rows(chain.from_iterable(shown), header=list(wanted.fields))
