"""The pages of profiles: what there is, its versions, and what differs between two of them."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.planning.audit_history import history_of
from armarium.planning.profiles import rules, toml
from armarium.planning.profiles.form import shown
from armarium.planning.profiles.form_pages import MACHINES, editing
from armarium.planning.profiles.model import Profile, Version
from armarium.planning.profiles.queries import MOST_COUNTED
from armarium.planning.profiles.service import Profiles
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor, needs
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, Paging, offset_of
from armarium.web.posted import PostedForm
from armarium.web.services import service
from armarium.web.shell import PageShell, done

ProfilesService = Annotated[Profiles, Depends(service(Profiles))]
Which = Annotated[int, Query(ge=1, le=1_000_000)]

VIEW = [Depends(needs(Permission.PLANNING_VIEW))]
RULES = [Depends(needs(Permission.PLANNING_RULES))]
ADDRESS = "/planning/profiles"
USAGE_SHOWN = 20
VERSIONS_SHOWN = 50

pages = APIRouter()
pages.include_router(editing)  # first: “new” would be taken for a number


@pages.get(ADDRESS, dependencies=VIEW)
def profiles_page(
    request: Request, visitor: Visitor, page: PageShell, profiles: ProfilesService, number: PageNumber = 1
) -> Response:
    found, total = profiles.page(limit=PAGE_SIZE, offset=offset_of(number))
    return page.page(
        request,
        "planning/profiles_list.html",
        profiles=found,
        used=profiles.usage_counts(),
        most_counted=MOST_COUNTED,
        total=total,
        page=Paging(request, number, total),
        may_change=visitor.may(Permission.PLANNING_RULES),
    )


@pages.get(f"{ADDRESS}/{{number}}", dependencies=VIEW)
def profile_page(
    request: Request,
    number: Number,
    visitor: Visitor,
    page: PageShell,
    profiles: ProfilesService,
    versions: PageNumber = 1,
) -> Response:
    return show_profile(request, page, visitor, profiles, profiles.get(number), versions=versions)


@pages.post(f"{ADDRESS}/{{number}}", dependencies=RULES)
def describe_profile(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    profiles: ProfilesService,
) -> Response:
    try:
        profile = profiles.describe(
            visitor.actor,
            number,
            name=form.get("name"),
            description=form.get("description"),
            active=form.ticked("active"),
            seen=form.get("seen"),
        )
    except Refused as refusal:
        refused = form.refuse(refusal)
        known = profiles.get(number)
        return show_profile(request, page, visitor, profiles, known, form=refused, status=422)
    return done(request, f"{ADDRESS}/{number}", message("The profile %(name)s is saved.", name=profile.name))


def show_profile(
    request: Request,
    page: PageShell,
    visitor: Visitor,
    profiles: Profiles,
    profile: Profile,
    *,
    form: Form | None = None,
    versions: int = 1,
    status: int = 200,
) -> Response:
    found, total = profiles.versions(
        profile.id, limit=VERSIONS_SHOWN, offset=offset_of(versions, VERSIONS_SHOWN)
    )
    usage, used = profiles.usage(profile.id, limit=USAGE_SHOWN)
    context: dict[str, Any] = {
        "profile": profile,
        "form": form or form_of(profile),
        "said": said(profile.document),
        "versions": found,
        "page": Paging(request, versions, total, VERSIONS_SHOWN),
        "usage": usage,
        "used": used,
        "most_counted": MOST_COUNTED,
        "history": history_of(request, page, "profile", profile.id),
        "may_change": visitor.may(Permission.PLANNING_RULES),
    }
    return page.page(request, "planning/profiles_show.html", status=status, **context)


def form_of(profile: Profile) -> Form:
    return filled(
        name=profile.name,
        description=profile.description,
        active="yes" if profile.active else None,
        seen=profile.mark,
    )


def said(document: Any) -> list[dict[str, str | None]]:
    """What a document says, key by key, beside the defaults."""
    return [
        {"key": key, "value": shown(value), "default": shown(rules.default_of(key))}
        for key, value in rules.flat(document)
    ]


# Versions -------------------------------------------------------------------------------------------


@pages.get(f"{ADDRESS}/{{number}}/versions/{{which}}", dependencies=VIEW)
def version_page(
    request: Request,
    number: Number,
    which: Number,
    visitor: Visitor,
    page: PageShell,
    profiles: ProfilesService,
) -> Response:
    return show_version(request, page, visitor, profiles.get(number), profiles.version(number, which))


def show_version(
    request: Request,
    page: PageShell,
    visitor: Visitor,
    profile: Profile,
    version: Version,
    *,
    form: Form | None = None,
    status: int = 200,
) -> Response:
    context: dict[str, Any] = {
        "profile": profile,
        "version": version,
        "said": said(version.document),
        "form": form or filled(seen=profile.mark),
        "may_change": visitor.may(Permission.PLANNING_RULES),
    }
    return page.page(request, "planning/profiles_version.html", status=status, **context)


@pages.post(f"{ADDRESS}/{{number}}/versions/{{which}}/restore", dependencies=RULES)
def go_back(
    request: Request,
    number: Number,
    which: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    profiles: ProfilesService,
) -> Response:
    try:
        profile = profiles.go_back(
            visitor.actor,
            number,
            which,
            form.get("reason"),
            seen=form.get("seen") or None,
            machines=visitor.may(MACHINES),
        )
    except Refused as refusal:
        version, known = profiles.version(number, which), profiles.get(number)
        refused = form.refuse(refusal)
        return show_version(request, page, visitor, known, version, form=refused, status=422)
    text = message(
        "Version %(version)s says again what version %(older)s said.", version=profile.version, older=which
    )
    return done(request, f"{ADDRESS}/{number}", text)


@pages.get(f"{ADDRESS}/{{number}}/versions/{{which}}/profile.toml", dependencies=VIEW)
def download(number: Number, which: Number, profiles: ProfilesService) -> Response:
    profile, version = profiles.get(number), profiles.version(number, which)
    text = toml.written(version.document, head=f"Profile {profile.name}, version {version.version}")
    headers = {"Content-Disposition": f'attachment; filename="profile-{number}-version-{which}.toml"'}
    return Response(text, media_type="application/toml", headers=headers)


@pages.get(f"{ADDRESS}/{{number}}/differences", dependencies=VIEW)
def differences_page(
    request: Request,
    number: Number,
    page: PageShell,
    profiles: ProfilesService,
    before: Which = 1,
    after: Which | None = None,
) -> Response:
    profile = profiles.get(number)
    older, newer = profiles.version(number, before), profiles.version(number, after or profile.version)
    rows = [
        {
            "key": one.key,
            "before": shown(one.before),
            "after": shown(one.after),
            "default": shown(rules.default_of(one.key)),
        }
        for one in rules.differences(older.document, newer.document)
    ]
    versions, _ = profiles.versions(number)
    context: dict[str, Any] = {
        "profile": profile,
        "before": older,
        "after": newer,
        "rows": rows,
        "versions": versions,
    }
    return page.page(request, "planning/profiles_differences.html", **context)
