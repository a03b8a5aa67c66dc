"""Pages of imports: files of domains, pasted as a list."""

from typing import Any

from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.languages.speech import say
from armarium.planning.domains.model import Import
from armarium.planning.domains.pages import EDIT, VIEW, DomainsService
from armarium.planning.domains.service import Domains
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router

ADDRESS = "/planning/imports"
pages = Router(prefix=ADDRESS)


@pages.get("", dependencies=VIEW)
def imports_page(page: Page, domains: DomainsService, number: PageNumber = 1) -> Response:
    return show_imports(page, domains, number, filled())


@pages.post("", dependencies=EDIT)
def import_domains(page: Page, form: PostedForm, domains: DomainsService) -> Response:
    try:
        refuse_nothing(form)
        name = form.get("name").strip()[:200] or say(message("Pasted list"))
        taken = domains.imports.run(page.actor, name, form.get("lines").splitlines())
    except Refused as refusal:
        return show_imports(page, domains, 1, form.refuse(refusal))
    text = message(
        "Domains made: %(created)s; known before: %(known)s; repeated lines: %(repeated)s; lines refused: "
        "%(refused)s.",
        created=taken.created,
        known=taken.known,
        repeated=taken.repeated,
        refused=taken.refused,
    )
    return page.done(f"{ADDRESS}/{taken.id}", text, "warning" if taken.refused else "good")


def refuse_nothing(form: Form) -> None:
    if not form.get("lines").strip():
        raise Refused(message("Write at least one domain."), field="lines")


def show_imports(page: PageRequest, domains: Domains, number: int, form: Form) -> Response:
    found, total = domains.imports.page(limit=PAGE_SIZE, offset=offset_of(number))
    return page.show(
        "planning/domains_imports.html",
        form,
        imports=found,
        total=total,
        page=page.paging(number, total),
        may_change=page.may(Permission.PLANNING_EDIT),
    )


@pages.get("/{number}", dependencies=VIEW)
def import_page(page: Page, number: Number, domains: DomainsService) -> Response:
    found = domains.imports.get(number)
    return page.show("planning/domains_import.html", taken=found, faults=faults_of(found))


def faults_of(found: Import) -> list[dict[str, Any]]:
    return [
        {"line": one["line"], "text": one["text"], "fault": Message(one["template"], one["values"])}
        for one in found.faults
    ]
