"""Pages of imports, and of aliases that have expired or soon will."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.languages.speech import say
from armarium.planning.domains.model import Import
from armarium.planning.domains.service import Domains
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor, needs
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, Paging, offset_of
from armarium.web.posted import PostedForm
from armarium.web.services import service
from armarium.web.shell import PageShell, done

pages = APIRouter(prefix="/planning")

VIEW = [Depends(needs(Permission.PLANNING_VIEW))]
EDIT = [Depends(needs(Permission.PLANNING_EDIT))]
DomainsService = Annotated[Domains, Depends(service(Domains))]


@pages.get("/imports", dependencies=VIEW)
def imports_page(
    request: Request, visitor: Visitor, page: PageShell, domains: DomainsService, number: PageNumber = 1
) -> Response:
    return show_imports(request, visitor, page, domains, number, filled())


@pages.post("/imports", dependencies=EDIT)
def import_domains(
    request: Request, visitor: Visitor, form: PostedForm, page: PageShell, domains: DomainsService
) -> Response:
    try:
        refuse_nothing(form)
        name = form.get("name").strip()[:200] or say(message("Pasted list"))
        taken = domains.imports.run(visitor.actor, name, form.get("lines").splitlines())
    except Refused as refusal:
        return show_imports(request, visitor, page, domains, 1, form.refuse(refusal), 422)
    text = message(
        "Domains made: %(created)s; known before: %(known)s; repeated lines: %(repeated)s; lines refused: "
        "%(refused)s.",
        created=taken.created,
        known=taken.known,
        repeated=taken.repeated,
        refused=taken.refused,
    )
    kind = "warning" if taken.refused else "good"
    return done(request, f"/planning/imports/{taken.id}", text, kind)


def refuse_nothing(form: Form) -> None:
    if not form.get("lines").strip():
        raise Refused(message("Write at least one domain."), field="lines")


def show_imports(
    request: Request,
    visitor: Visitor,
    page: PageShell,
    domains: Domains,
    number: int,
    form: Form,
    status: int = 200,
) -> Response:
    found, total = domains.imports.page(limit=PAGE_SIZE, offset=offset_of(number))
    context: dict[str, Any] = {
        "form": form,
        "imports": found,
        "total": total,
        "page": Paging(request, number, total),
        "may_change": visitor.may(Permission.PLANNING_EDIT),
    }
    return page.page(request, "planning/domains_imports.html", status=status, **context)


@pages.get("/imports/{number}", dependencies=VIEW)
def import_page(request: Request, number: Number, page: PageShell, domains: DomainsService) -> Response:
    found = domains.imports.get(number)
    return page.page(request, "planning/domains_import.html", taken=found, faults=faults_of(found))


def faults_of(found: Import) -> list[dict[str, Any]]:
    return [
        {"line": one["line"], "text": one["text"], "fault": Message(one["template"], one["values"])}
        for one in found.faults
    ]


@pages.get("/aliases", dependencies=VIEW)
def aliases_page(
    request: Request,
    visitor: Visitor,
    page: PageShell,
    domains: DomainsService,
    state: str = "expired",
    number: PageNumber = 1,
) -> Response:
    live = state == "live"
    found, total = domains.aliases.page(live=live, limit=PAGE_SIZE, offset=offset_of(number))
    _, others = domains.aliases.page(live=not live, limit=1)
    context: dict[str, Any] = {
        "aliases": found,
        "live": live,
        "counts": {"live": total if live else others, "expired": others if live else total},
        "page": Paging(request, number, total),
        "may_change": visitor.may(Permission.PLANNING_EDIT),
    }
    return page.page(request, "planning/domains_aliases.html", **context)


@pages.post("/aliases/{number}/renew", dependencies=EDIT)
def renew_alias(request: Request, number: Number, visitor: Visitor, domains: DomainsService) -> Response:
    renewed = domains.aliases.renew(visitor.actor, number)
    text = message("The alias %(name)s is renewed.", name=renewed.name)
    return done(request, "/planning/aliases", text)
