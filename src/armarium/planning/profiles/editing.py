"""Pages on which profiles are made and changed: a form made from the crawl order, or TOML."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.languages.speech import say
from armarium.planning.profiles import toml
from armarium.planning.profiles.form import document_of, shown, typed, written
from armarium.planning.profiles.keys import Key, parts
from armarium.planning.profiles.model import Profile
from armarium.planning.profiles.rules import BadOrder
from armarium.planning.profiles.service import Profiles
from armarium.web.forms import Form, PostedForm, filled
from armarium.web.guard import Visitor, needs
from armarium.web.paging import LARGEST, Number
from armarium.web.services import service
from armarium.web.shell import PageShell, done

ProfilesService = Annotated[Profiles, Depends(service(Profiles))]
Copied = Annotated[int | None, Query(alias="from", ge=1, le=LARGEST)]

RULES = [Depends(needs(Permission.PLANNING_RULES))]
ADDRESS = "/planning/profiles"

editing = APIRouter(prefix=ADDRESS)


@editing.get("/new", dependencies=RULES)
def new_profile_page(
    request: Request, page: PageShell, profiles: ProfilesService, copied: Copied = None
) -> Response:
    """An empty form, or one that begins as another profile."""
    model = profiles.get(copied) if copied else None
    document = model.document if model else {}
    form = filled(**typed(document), toml=toml.written(document))
    return show_form(request, page, form, copied=model)


@editing.post("/new", dependencies=RULES)
def create_profile(
    request: Request, visitor: Visitor, form: PostedForm, page: PageShell, profiles: ProfilesService
) -> Response:
    try:
        profile = profiles.create(
            visitor.actor,
            form.get("name"),
            description=form.get("description"),
            document=posted_document(form),
            reason=form.get("reason"),
        )
    except Refused as refusal:
        return show_form(request, page, marked(form, refusal), status=422)
    return done(
        request, f"{ADDRESS}/{profile.id}", message("The profile %(name)s is made.", name=profile.name)
    )


@editing.get("/{number}/edit", dependencies=RULES)
def edit_page(request: Request, number: Number, page: PageShell, profiles: ProfilesService) -> Response:
    profile = profiles.get(number)
    form = filled(**typed(profile.document), toml=toml.written(profile.document), seen=profile.mark)
    return show_form(request, page, form, profile)


@editing.post("/{number}/edit", dependencies=RULES)
def make_version(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    profiles: ProfilesService,
) -> Response:
    try:
        document, seen = posted_document(form), form.get("seen") or None
        profile = profiles.new_version(visitor.actor, number, document, form.get("reason"), seen=seen)
    except Refused as refusal:
        return show_form(request, page, marked(form, refusal), profiles.get(number), status=422)
    text = message(
        "Version %(version)s of %(name)s is made. Jobs made from now on use it.",
        version=profile.version,
        name=profile.name,
    )
    return done(request, f"{ADDRESS}/{number}", text)


def posted_document(form: Form) -> dict[str, Any]:
    """Of the two forms on the page, that which was sent."""
    return toml.read(form.get("toml")) if form.get("as") == "toml" else document_of(form)


def marked(form: Form, refusal: Refused) -> Form:
    """The form with what is wrong at each field; in TOML all of it is one field."""
    if form.get("as") == "toml":
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
    form: Form,
    profile: Profile | None = None,
    *,
    copied: Profile | None = None,
    status: int = 200,
) -> Response:
    as_form, as_toml = two_forms(form, profile.document if profile else {})
    context = {
        "form": as_form,
        "toml_form": as_toml,
        "profile": profile,
        "copied": copied,
        "sections_shown": shown_parts(as_form),
        "address": f"{ADDRESS}/{profile.id}/edit" if profile else f"{ADDRESS}/new",
    }
    return page.page(request, "planning/profiles_form.html", status=status, **context)


def two_forms(sent: Form, kept: Mapping[str, Any]) -> tuple[Form, Form]:
    """The page has two: the one that was sent with its faults, the other with what is kept."""
    about = {name: sent.values[name] for name in ("name", "description", "reason", "seen")}
    if sent.get("as") == "toml":
        as_form = filled(**about, **typed(kept))
        as_toml = Form(values=sent.values, errors=sent.errors)
    else:
        as_form = sent
        as_toml = filled(**about, toml=sent.values["toml"] or toml.written(kept))
    as_toml.id = "toml"
    return as_form, as_toml


def shown_parts(form: Form) -> list[dict[str, Any]]:
    """The sections of the form; those in which something is said, or wrong, are open."""
    found = []
    for part in parts():
        changed = sum(differs(key, form.values) for key in part.keys)
        wrong = any(key.path in form.errors for key in part.keys)
        shown_keys = [{"key": key, "default": shown(key.default) or ""} for key in part.keys]
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
