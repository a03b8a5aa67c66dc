"""How a collection is: its records by state and theme, what they brought, what is set, who works on it."""

from collections.abc import Mapping, Sequence

from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.message import message
from armarium.selection.collections.api import CollectionsService
from armarium.selection.collections.model import PARTS, Collection
from armarium.selection.collections.pages import ADDRESS, VIEW, frame, tried
from armarium.selection.collections.queries import Figures
from armarium.selection.model import STATES, VALUES, Budget, Combination, Depth, Frequency, RecordState
from armarium.selection.transfer.api import TransfersService
from armarium.selection.transfer.model import Month
from armarium.web.history import history_of
from armarium.web.pages import Page
from armarium.web.paging import Number
from armarium.web.plots.model import Part, Plot, Series, Shares, Unit
from armarium.web.routes import Router

pages = Router(prefix=ADDRESS)


@pages.get("/{number}", dependencies=VIEW)
def collection_page(
    page: Page,
    number: Number,
    collections: CollectionsService,
    transfers: TransfersService,
    budget: Budget | None = None,
    frequency: Frequency | None = None,
    depth: Depth | None = None,
) -> Response:
    """With a combination in the address: whether it may be chosen here."""
    known = collections.get(number)
    figures, by_theme = collections.figures_of(number)
    asked = Combination(budget, frequency, depth) if budget and frequency and depth else None
    form, answer = tried(known, collections, asked)
    return page.show(
        "selection/collections_show.html",
        **frame(known, page.may(Permission.SELECTION_RULES), "overview"),
        plots_of_collection=plots(known, figures, by_theme),
        plots_of_months=months(transfers.months(number)),
        figures=figures,
        by_theme=by_theme,
        members=collections.members(number),
        groups=collections.member_groups(number),
        matrix=collections.matrix(),
        form=form,
        answer=answer,
        parts=PARTS,
        history=[
            one if one["was"] else {**one, "changes": []}  # what was entered stands above
            for one in history_of(page.request, page.shell, "collection", number, words=VALUES)
        ],
    )


def plots(known: Collection, figures: Figures, by_theme: Mapping[int, int]) -> list[Shares]:
    records = f"/selection/records?collection={known.id}"
    counts = (
        (RecordState.VALIDATED, figures.validated, "good"),
        (RecordState.PROPOSED, figures.proposed, "third"),
        (RecordState.REFUSED, figures.refused, "bad"),
    )
    states = [Part(STATES[one], many, f"{records}&state={one}", tone) for one, many, tone in counts if many]
    themes = [
        Part(one.name, by_theme[one.id], f"{records}&theme={one.id}")
        for one in sorted(known.themes, key=lambda one: -by_theme.get(one.id, 0))
        if by_theme.get(one.id)
    ]
    return [
        Shares("states", message("Records by state"), states),
        Shares("themes", message("Records by theme"), themes),
    ]


def months(brought: Sequence[Month]) -> list[Plot]:
    if not brought:
        return []
    labels = [f"{one.first:%Y-%m}" for one in brought]
    objects = Series(message("Objects"), [one.objects for one in brought])
    size = Series(message("Bytes"), [one.bytes for one in brought], tone="second")
    return [
        Plot("objects", message("Objects per month"), labels, [objects]),
        Plot("bytes", message("Bytes per month"), labels, [size], unit=Unit.BYTES),
    ]
