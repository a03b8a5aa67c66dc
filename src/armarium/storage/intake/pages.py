"""The pages of imports: what came from outside, and what is in watched folders."""

from typing import Annotated, Any

from fastapi import Depends
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.message import message
from armarium.storage.intake.model import NOT_TAKEN, OUTCOMES, AccessionFigures, Line, Outcome
from armarium.storage.intake.service import Intake
from armarium.storage.intake.watching import Watching, WatchOrders
from armarium.web.pages import Page, guarded
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, offset_of
from armarium.web.plots.model import Plot, Series, Shape, Unit
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/storage/intake"
pages = Router(prefix=ADDRESS)

IntakeService = Annotated[Intake, Depends(service(Intake))]
WatchingService = Annotated[Watching, Depends(service(Watching))]
OrdersService = Annotated[WatchOrders, Depends(service(WatchOrders))]

VIEW = guarded(Permission.STORAGE_VIEW)
MANAGE = guarded(Permission.STORAGE_MANAGE)


@pages.get("", dependencies=VIEW)
def intake_page(
    page: Page, intake: IntakeService, watching: WatchingService, q: str = "", number: PageNumber = 1
) -> Response:
    found, total = intake.page(q.strip(), limit=PAGE_SIZE, offset=offset_of(number))
    context: dict[str, Any] = {
        "filter": {"q": q},
        "accessions": [shown(one) for one in found],
        "total": total,
        "page": page.paging(number, total),
        "may_change": page.may(Permission.STORAGE_MANAGE),
    }
    if page.is_part:
        return page.part("storage/intake_table.html", **context)
    context["watched"] = watching.folders()
    return page.show("storage/intake_list.html", **context)


@pages.post("/look", dependencies=MANAGE)
def look_now(page: Page, orders: OrdersService) -> Response:
    if orders.look(page.actor):
        text = message("The watched folders will be checked in a moment.")
    else:
        text = message("The watched folders are about to be checked.")
    return page.done(ADDRESS, text)


@pages.get("/{number}", dependencies=VIEW)
def accession_page(
    page: Page, number: Number, intake: IntakeService, outcome: str = "", at: PageNumber = 1
) -> Response:
    accession = intake.get(number)
    wanted = [Outcome(outcome)] if outcome in set(Outcome) else []
    found, total = intake.lines(number, wanted, limit=PAGE_SIZE, offset=offset_of(at))
    return page.live(
        "storage/intake_show.html",
        "storage/intake_lines.html",
        accession=shown(accession),
        lines=[shown_line(line) for line in found],
        speed=speed_of(intake, number),
        total=total,
        page=page.paging(at, total),
        outcome=outcome,
        outcome_options=[
            (one.value, title) for one, (_, title) in OUTCOMES.items() if accession.counts.get(one)
        ],
    )


def shown(figures: AccessionFigures) -> dict[str, Any]:
    """An accession as the templates read it."""
    accession, counts = figures.accession, figures.counts
    return {
        "id": accession.id,
        "name": accession.name,
        "source": accession.source.splitlines(),
        "note": accession.note,
        "at": accession.created_at,
        "by": accession.created_by,
        "files": figures.files - counts.get(Outcome.PASSED, 0),
        "taken": counts.get(Outcome.TAKEN, 0),
        "waiting": counts.get(Outcome.WAITING, 0),
        "known": counts.get(Outcome.KNOWN, 0),
        "not_taken": figures.not_taken,
        "bytes": figures.bytes,
    }


def speed_of(intake: Intake, number: int) -> Plot | None:
    if not (pace := intake.speed(number)):
        return None
    moments, amounts = zip(*pace, strict=True)
    series = (Series(message("Bytes imported per second"), amounts),)
    return Plot("speed", message("Speed"), moments, series, Shape.LINES, Unit.BYTE_RATE)


def shown_line(line: Line) -> dict[str, Any]:
    tone, title = OUTCOMES[line.outcome]
    return {
        "path": line.path,
        "name": line.name,
        "file": line.file,
        "remark": line.remark,
        "size": line.size,
        "tone": tone,
        "outcome": title,
        "lost": line.outcome in NOT_TAKEN,
    }
