"""The CDX server in the dialect of the Internet Archive: its rows, and where an answer goes on."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice

from starlette.responses import Response

from armarium.access.captures import responses
from armarium.access.captures.lines import ListedCapture, Patience, TooMuch
from armarium.access.captures.responses import answer, complaining, text_complaint
from armarium.access.cdxserver import steps
from armarium.access.cdxserver.internet_archive_query import InternetArchiveQuery, ResumeMark
from armarium.access.cdxserver.parameters import Parameters
from armarium.access.memento.links import LINK_FORMAT, timemap_entry
from armarium.access.model import EVERYTHING
from armarium.access.requests.site import Visit
from armarium.access.view import View
from armarium.formats.cdx.line import ABSENT, ENCODING, ERRORS


@dataclass(frozen=True)
class Row:
    told: ListedCapture
    cells: list[str]


class Answer:
    """The rows of an answer, and where the next one goes on, if it is asked for and there is more."""

    def __init__(self, view: View, wanted: InternetArchiveQuery, *, resumable: bool) -> None:
        self._view = view
        self._wanted = wanted
        self._resumable = resumable and not (wanted.last or wanted.asked.closest)
        self._repetitions = steps.Repetitions()
        self._reached: ListedCapture | None = None  # the last capture that was read and may be known

    def rows(self) -> Iterator[Row | ResumeMark]:
        wanted = self._wanted
        if wanted.last:
            yield from self._last()
            return
        results = islice(self._groups(self._captures()), wanted.offset, None)
        ended: ListedCapture | None = None
        following: steps.Group | None = None
        try:
            for group in islice(results, wanted.limit):
                ended = group.told
                yield self._row(group)
            if not self._resumable or (following := next(results, None)) is None:
                return
        except TooMuch:
            if not self._resumable or self._reached is None:
                raise
            ended = self._reached
        if ended is not None:
            yield ResumeMark.behind(ended, following.told if following else None)

    def _last(self) -> Iterator[Row]:
        """From the end, if nothing depends on what comes before."""
        wanted = self._wanted
        if wanted.value is None and not wanted.counts and not wanted.offset and not wanted.asked.closest:
            question = replace(wanted.asked, reverse=not wanted.asked.reverse)
            found = self._groups(question.captures(self._view, Patience()))
            kept = list(islice(found, wanted.limit))[::-1]
        else:
            kept = list(deque(islice(self._groups(self._captures()), wanted.offset, None), wanted.limit))
        yield from map(self._row, kept)

    def _captures(self) -> Iterator[ListedCapture]:
        found = self._wanted.asked.captures(self._view, Patience())
        if self._wanted.page is not None:
            found = steps.page_of(found, self._wanted.page, self._wanted.blocks)
        return found

    def _groups(self, found: Iterator[ListedCapture]) -> Iterator[steps.Group]:
        wanted = self._wanted
        found = steps.with_bare_digests(self._noted(found))
        if wanted.counts:
            yield from self._counted(steps.groups(self._fresh(found), wanted.filters, wanted.value))
            return
        before, found = self._behind(found)
        found = steps.passing(found, wanted.filters)
        if wanted.value is not None:
            if before is not None and not steps.passes(before, wanted.filters):
                before = None
            found = steps.firsts(found, wanted.value, before)
        if wanted.originals:
            found = steps.with_originals(self._view, found)
        for told in found:
            yield steps.Group(told)

    def _counted(self, found: Iterator[steps.Group]) -> Iterator[steps.Group]:
        for group in found:
            if self._wanted.originals:
                group.told = next(steps.with_originals(self._view, [group.told]))
            yield group

    def _noted(self, found: Iterator[ListedCapture]) -> Iterator[ListedCapture]:
        for told in found:
            self._reached = told
            yield told

    def _fresh(self, found: Iterator[ListedCapture]) -> Iterator[ListedCapture]:
        return self._behind(found)[1]

    def _behind(self, found: Iterator[ListedCapture]) -> tuple[ListedCapture | None, Iterator[ListedCapture]]:
        """The last capture of an earlier answer, and those that it did not have."""
        mark, before = self._wanted.mark, None
        if mark is None:
            return None, found
        for told in found:
            if not mark.is_behind(told):
                return before, chain([told], found)
            before = told
        return before, iter(())

    def _row(self, group: steps.Group) -> Row:
        wanted = self._wanted
        told = group.told
        if not wanted.counts:
            return Row(told, responses.cells(told, wanted.fields))
        counted = {
            "dupecount": str(self._repetitions.of(told)) if "dupecount" in wanted.counts else "",
            "skipcount": str(group.skipped),
            "groupcount": str(group.skipped + 1),
            "uniqcount": str(len(group.digests)),
            "endtimestamp": group.last or told.timestamp,
        }
        cells = [
            counted[name] if name in counted else responses.cells(told, [name])[0]  #
            for name in wanted.fields
        ]
        return Row(told, cells)


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
    wanted = InternetArchiveQuery.of(parameters)
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
    visit: Visit, view: View, output: str, wanted: InternetArchiveQuery, rows: Iterator[Row | ResumeMark]
) -> Iterator[bytes]:
    if output == "json":
        yield from _as_json(wanted, rows)
        return
    for row in rows:
        if isinstance(row, ResumeMark):
            yield f"\n{row}\n".encode()
        elif output == "text":
            cells = (cell.replace(" ", "%20") or ABSENT for cell in row.cells)
            yield " ".join(cells).encode(ENCODING, ERRORS) + b"\n"
        elif not row.told.restricted:
            yield timemap_entry(visit.site.settings, view.collection, row.told.line) + b",\n"


def _as_json(wanted: InternetArchiveQuery, rows: Iterator[Row | ResumeMark]) -> Iterator[bytes]:
    shown = ([[], [str(row)]] if isinstance(row, ResumeMark) else [row.cells] for row in rows)
    return responses.json_rows(chain.from_iterable(shown), header=list(wanted.fields))
