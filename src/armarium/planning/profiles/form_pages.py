"""Pages on which profiles are made and changed: a form made from the crawl order, or TOML."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Identity, Permission
from armarium.core.crawl_order import merged
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.languages.speech import say
from armarium.planning.profiles import rules, toml
from armarium.planning.profiles.form import Key, document_of, parts, shown, typed, written
from armarium.planning.profiles.model import Profile
from armarium.planning.profiles.rules import BadOrder
from armarium.planning.profiles.service import Profiles
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor, needs
from armarium.web.paging import LARGEST, Number
from armarium.web.posted import PostedForm
from armarium.web.services import service
from armarium.web.shell import PageShell, done

ProfilesService = Annotated[Profiles, Depends(service(Profiles))]
Copied = Annotated[int | None, Query(alias="from", ge=1, le=LARGEST)]
As = Annotated[str, Query(alias="as", max_length=10)]

MACHINES = Permission.COLLECTORS_MANAGE  # needed for what a profile says of the machines that crawl
RULES = [Depends(needs(Permission.PLANNING_RULES))]
ADDRESS = "/planning/profiles"
TOML = "toml"

editing = APIRouter(prefix=ADDRESS)


@editing.get("/new", dependencies=RULES)
def new_profile_page(
    request: Request,
    visitor: Visitor,
    page: PageShell,
    profiles: ProfilesService,
    copied: Copied = None,
    written: As = "",
) -> Response:
    """An empty form, or one that begins as another profile."""
    model = profiles.get(copied) if copied else None
    document = model.document if model else {}
    if not visitor.may(MACHINES):
        document = rules.without_machine(document)
    form = begun(document, written)
    return show_form(request, page, visitor, form, copied=model)


@editing.post("/new", dependencies=RULES)
def create_profile(
    request: Request, visitor: Visitor, form: PostedForm, page: PageShell, profiles: ProfilesService
) -> Response:
    try:
        profile = profiles.create(
            visitor.actor,
            form.get("name"),
            description=form.get("description"),
            document=posted_document(form, visitor, {}),
            reason=form.get("reason"),
            machines=visitor.may(MACHINES),
        )
    except Refused as refusal:
        return show_form(request, page, visitor, marked(form, refusal), status=422)
    return done(
        request, f"{ADDRESS}/{profile.id}", message("The profile %(name)s is made.", name=profile.name)
    )


@editing.get("/{number}/edit", dependencies=RULES)
def edit_page(
    request: Request,
    number: Number,
    visitor: Visitor,
    page: PageShell,
    profiles: ProfilesService,
    written: As = "",
) -> Response:
    profile = profiles.get(number)
    form = begun(profile.document, written, seen=profile.mark)
    return show_form(request, page, visitor, form, profile)


@editing.post("/{number}/edit", dependencies=RULES)
def make_version(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    profiles: ProfilesService,
) -> Response:
    before = profiles.get(number)
    try:
        profile = profiles.new_version(
            visitor.actor,
            number,
            posted_document(form, visitor, before.document),
            form.get("reason"),
            seen=form.get("seen") or None,
            machines=visitor.may(MACHINES),
        )
    except Refused as refusal:
        return show_form(request, page, visitor, marked(form, refusal), before, status=422)
    text = message(
        "Version %(version)s of %(name)s is made. Jobs made from now on use it.",
        version=profile.version,
        name=profile.name,
    )
    return done(request, f"{ADDRESS}/{number}", text)


def begun(document: Mapping[str, Any], written_as: str, **about: str) -> Form:
    """The form, or the TOML, that begins as a document."""
    if written_as == TOML:
        return filled(**{"as": TOML, "toml": toml.written(document)}, **about)
    return filled(**typed(document), **about)


def posted_document(form: Form, visitor: Identity, before: Mapping[str, Any]) -> dict[str, Any]:
    """What was sent, as a form or as TOML; what the form did not ask stays as it was."""
    if form.get("as") == TOML:
        return toml.read(form.get("toml"))
    if visitor.may(MACHINES):
        return document_of(form)
    return merged(rules.without_machine(document_of(form)), rules.machine_part(before))


def marked(form: Form, refusal: Refused) -> Form:
    """The form with what is wrong at each field; in TOML all of it is one field."""
    if form.get("as") == TOML:
        of_document = isinstance(refusal, BadOrder) or refusal.field == "toml"
        form.errors["toml" if of_document else refusal.field or ""] = say(refusal.message)
        return form
    if not isinstance(refusal, BadOrder):
        return form.refuse(refusal)
    asked = {key.path for part in parts() for key in part.keys}
    for key, fault in refusal.faults.items():
        if key in asked:
            form.errors[key] = say(fault)
        else:
            form.errors[""] = f"{key}: {say(fault)}" if key else say(fault)
    return form


def show_form(
    request: Request,
    page: PageShell,
    visitor: Identity,
    form: Form,
    profile: Profile | None = None,
    *,
    copied: Profile | None = None,
    status: int = 200,
) -> Response:
    address = f"{ADDRESS}/{profile.id}/edit" if profile else f"{ADDRESS}/new"
    fixed = frozenset[str]() if visitor.may(MACHINES) else rules.MACHINE
    context: dict[str, Any] = {
        "form": form,
        "profile": profile,
        "copied": copied,
        "left_out": bool(copied and fixed and rules.machine_part(copied.document)),
        "address": address,
        "same": f"&from={copied.id}" if copied else "",
    }
    if form.get("as") == TOML:
        return page.page(request, "planning/profiles_toml.html", status=status, **context)
    before = typed(profile.document if profile else {})
    context |= {"sections_shown": shown_parts(form, fixed, before), "labels": labels()}
    return page.page(request, "planning/profiles_form.html", status=status, **context)


def labels() -> dict[str, str]:
    """What the list of faults calls each field: several sections have a key of one name."""
    return {key.path: f"{say(part.title)} · {key.title}" for part in parts() for key in part.keys}


def shown_parts(form: Form, fixed: frozenset[str], before: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The sections of the form; those in which something is said, or wrong, are open.

    Keys that are fixed for this person are shown as they were before, whatever was sent.
    """
    form.values.update({key: value for key, value in before.items() if key in fixed})
    why = dict.fromkeys(fixed, rules.MACHINE_ONLY)
    found = []
    for part in parts():
        changed = sum(differs(key, form.values) for key in part.keys)
        wrong = any(key.path in form.errors for key in part.keys)
        shown_keys = [
            {"key": key, "default": shown(key.default) or "", "fixed": why.get(key.path)} for key in part.keys
        ]
        found.append(
            {
                "name": part.name,
                "title": part.title,
                "keys": shown_keys,
                "changed": changed,
                "open": bool(changed) or wrong,
            }
        )
    return found


def differs(key: Key, values: Mapping[str, Any]) -> bool:
    return (values.get(key.path) or "") != (written(key, key.default) or "")
