"""The pages of batches: functions that run over many files of the archive."""

import json
from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import Depends
from starlette.responses import Response, StreamingResponse

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.storage.batches.model import (
    FIELD,
    RESULTS,
    SELECTIONS,
    STATES,
    Batch,
    Function,
    Parameter,
    Result,
    ResultState,
    selection,
)
from armarium.storage.batches.service import Batches
from armarium.storage.model import RunState
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, offset_of
from armarium.web.plots.model import Plot, Series, Shape, Unit
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/storage/batches"
NDJSON = "application/x-ndjson"
LONGEST_SHOWN = 2000  # characters of a result in the table; the download has all
pages = Router(prefix=ADDRESS)

BatchesService = Annotated[Batches, Depends(service(Batches))]

VIEW = guarded(Permission.STORAGE_VIEW)
READ = guarded(Permission.STORAGE_READ)
MANAGE = guarded(Permission.STORAGE_MANAGE)


@pages.get("", dependencies=VIEW)
def batches_page(page: Page, batches: BatchesService, state: str = "", number: PageNumber = 1) -> Response:
    wanted = RunState(state) if state in set(RunState) else None
    found, total = batches.page(wanted, limit=PAGE_SIZE, offset=offset_of(number))
    return page.live(
        "storage/batches_list.html",
        "storage/batches_table.html",
        filter={"state": state},
        state_options=[(one.value, title) for one, (_, title) in STATES.items()],
        batches=[shown(one) for one in found],
        total=total,
        page=page.paging(number, total),
        may_change=page.may(Permission.STORAGE_MANAGE),
    )


def shown(batch: Batch) -> dict[str, Any]:
    tone, title = STATES[batch.state]
    return {
        "id": batch.id,
        "function": batch.function,
        "arguments": [(name, _in_short(value)) for name, value in batch.arguments.items()],
        "selection": SELECTIONS[batch.selection.kind],
        "selected": batch.selection.value,
        "tone": tone,
        "state": title,
        "open": batch.is_open,
        "by": batch.by,
        "created": batch.created_at,
        "started": batch.started_at,
        "ended": batch.ended_at,
        "expected_end": batch.expected_end(clock.now()),
        "running": batch.state is RunState.RUNNING,
        "total": batch.files_total,
        "files": batch.files,
        "failures": batch.failures,
        "error": batch.error,
    }


def _in_short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


# A new one --------------------------------------------------------------------------------------------


@pages.get("/new", dependencies=MANAGE)
def new_batch_page(page: Page, batches: BatchesService, function: str = "") -> Response:
    known = batches.functions()
    if function not in known.found:
        context: dict[str, Any] = {"functions": list(known.found.values()), "troubles": known.troubles}
        return page.show("storage/batches_functions.html", **context)
    chosen = known.found[function]
    given = {f"{FIELD}{one.name}": _default(one.default) for one in chosen.parameters}
    return show_new(page, chosen, filled(kind="all", **given))


def _default(value: object) -> object:
    return "" if value is None or value is False else "yes" if value is True else value


@pages.post("/new", dependencies=MANAGE)
def start_batch(page: Page, form: PostedForm, batches: BatchesService, function: str = "") -> Response:
    chosen = batches.function(function)
    try:
        given = {one.name: _typed(form, one) for one in chosen.parameters}
        files = selection(form.get("kind"), form.get("value"))
        started = batches.start(page.actor, chosen.name, given, files)
    except Refused as refusal:
        return show_new(page, chosen, form.refuse(refusal))
    text = message("The batch was started. Files: %(count)s.", count=started.files_total)
    return page.done(f"{ADDRESS}/{started.id}", text)


def _typed(form: Form, parameter: Parameter) -> str:
    """Browsers leave unticked boxes out, which means no, not that nothing was said."""
    name = f"{FIELD}{parameter.name}"
    if parameter.kind is bool:
        return "yes" if form.ticked(name) else "no"
    return form.get(name)


def show_new(page: PageRequest, function: Function, form: Form) -> Response:
    return page.show(
        "storage/batches_new.html",
        function=function,
        form=form,
        fields=[(f"{FIELD}{one.name}", one) for one in function.parameters],
        kind_options=[(kind.value, title) for kind, title in SELECTIONS.items()],
    )


# One of them ------------------------------------------------------------------------------------------


@pages.get("/{number}", dependencies=VIEW)
def batch_page(
    page: Page, number: Number, batches: BatchesService, state: str = "", at: PageNumber = 1
) -> Response:
    batch = batches.get(number)
    wanted = ResultState(state) if state in set(ResultState) else None
    may_read = page.may(Permission.STORAGE_READ)
    found, total = batches.results(number, wanted, limit=PAGE_SIZE, offset=offset_of(at))
    return page.live(
        "storage/batches_show.html",
        "storage/batches_state.html",
        batch=shown(batch),
        speed=speed_of(batches, number),
        state=state,
        state_options=[(one.value, title) for one, (_, title) in RESULTS.items()],
        results=[shown_result(one) for one in found] if may_read else [],
        total=total,
        page=page.paging(at, total),
        may_read=may_read,
        may_change=page.may(Permission.STORAGE_MANAGE),
    )


def speed_of(batches: Batches, number: int) -> Plot | None:
    if not (pace := batches.speed(number)):
        return None
    moments, amounts = zip(*pace, strict=True)
    series = (Series(message("Files per second"), amounts),)
    return Plot("speed", message("Speed"), moments, series, Shape.LINES, Unit.RATE)


def shown_result(result: Result) -> dict[str, Any]:
    tone, title = RESULTS[result.state]
    text = "" if result.state is not ResultState.DONE else _in_short(result.result)
    return {
        "file": result.file,
        "name": result.name,
        "tone": tone,
        "state": title,
        "text": result.error or text,
        "seconds": result.seconds,
        "came": result.at is not None,
    }


@pages.post("/{number}/cancel", dependencies=MANAGE)
def cancel_batch(page: Page, number: Number, batches: BatchesService) -> Response:
    batches.cancel(page.actor, number)
    text = message("The batch was cancelled. Results so far are kept.")
    return page.done(f"{ADDRESS}/{number}", text)


@pages.get("/{number}/results.ndjson", dependencies=READ)
def download(number: Number, batches: BatchesService) -> Response:
    return ndjson(batches, batches.get(number))


def ndjson(batches: Batches, batch: Batch) -> Response:
    """A line of JSON for each result that has come."""
    name = f"batch-{batch.id}-results.ndjson"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(_lines(batches, batch.id), media_type=NDJSON, headers=headers)


def _lines(batches: Batches, number: int) -> Iterator[bytes]:
    for result in batches.all_results(number):
        yield json.dumps(result.described(), ensure_ascii=False).encode() + b"\n"
