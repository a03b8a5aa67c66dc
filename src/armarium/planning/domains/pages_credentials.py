"""Pages of the credentials of a domain. Secrets go in and never come out."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.planning.domains.model import CredentialKind, Domain, NewCredential
from armarium.planning.domains.rules import parse_form_fields
from armarium.planning.domains.service import Domains
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor, needs
from armarium.web.paging import Number
from armarium.web.posted import PostedForm
from armarium.web.services import service
from armarium.web.shell import PageShell, done

pages = APIRouter(prefix="/planning/domains/{number}")

EDIT = [Depends(needs(Permission.PLANNING_EDIT))]
DomainsService = Annotated[Domains, Depends(service(Domains))]

KIND_OPTIONS = (
    (CredentialKind.BASIC.value, message("Basic: the browser asks for name and password")),
    (CredentialKind.DIGEST.value, message("Digest: likewise, by another method")),
    (CredentialKind.FORM.value, message("A form on a page")),
)


@pages.get("/credentials/new", dependencies=EDIT)
def new_credential_page(
    request: Request, number: Number, page: PageShell, domains: DomainsService
) -> Response:
    return show_credential(request, page, domains.get(number), filled(kind=CredentialKind.BASIC.value))


@pages.post("/credentials/new", dependencies=EDIT)
def add_credential(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    domains: DomainsService,
) -> Response:
    try:
        domains.credentials.add(visitor.actor, number, credential_of(form))
    except Refused as refusal:
        form.values["fields"] = None  # secrets are not sent back, not even to whoever typed them
        return show_credential(request, page, domains.get(number), form.refuse(refusal), 422)
    text = message("The credential is kept, encrypted. It cannot be shown again.")
    return done(request, f"/planning/domains/{number}", text)


@pages.post("/credentials/{which}/active", dependencies=EDIT)
def change_credential(
    request: Request,
    number: Number,
    which: Number,
    visitor: Visitor,
    form: PostedForm,
    domains: DomainsService,
) -> Response:
    domains.credentials.set_active(visitor.actor, number, which, form.get("active") == "yes")
    return done(request, f"/planning/domains/{number}", message("The credential is changed."))


def credential_of(form: Form) -> NewCredential:
    kind = form.get("kind")
    if kind not in set(CredentialKind):
        raise Refused(message("Choose how the site asks for the credential."), field="kind")
    return NewCredential(
        kind=CredentialKind(kind),
        realm=form.get("realm").strip(),
        user_name=form.get("user_name").strip(),
        password=form.get("password"),
        login_url=form.get("login_url").strip(),
        fields=parse_form_fields(form.get("fields")) if kind == CredentialKind.FORM else {},
    )


def show_credential(
    request: Request, page: PageShell, owner: Domain, form: Form, status: int = 200
) -> Response:
    context = {"domain": owner, "form": form, "kind_options": KIND_OPTIONS}
    return page.page(request, "planning/domains_credential.html", status=status, **context)
