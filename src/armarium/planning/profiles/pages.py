"""The pages of profiles: what there is, its versions, and the form, or TOML, in which they are made."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Depends, Query
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.crawl_order import merged
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.languages.speech import say
from armarium.planning.audit_history import history_of
from armarium.planning.profiles import rules, toml
from armarium.planning.profiles.form import Key, all_keys, document_of, shown, typed, written
from armarium.planning.profiles.rules import BadOrder, Profile, Version
from armarium.planning.profiles.service import MOST_COUNTED, Profiles
from armarium.planning.profiles.words import CHOICES, grouped, title_of, titles, value_in_words
from armarium.planning.searching import STATES
from armarium.web.forms import Form, filled
from armarium.web.lists import csv_answer
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import LARGEST, PAGE_SIZE, Number, PageNumber, Paging, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/planning/profiles"
pages = Router(prefix=ADDRESS)

ProfilesService = Annotated[Profiles, Depends(service(Profiles))]
Which = Annotated[int, Query(ge=1, le=1_000_000)]
Copied = Annotated[int | None, Query(alias="from", ge=1, le=LARGEST)]
As = Annotated[str, Query(alias="as", max_length=10)]

VIEW, RULES = guarded(Permission.PLANNING_VIEW), guarded(Permission.PLANNING_RULES)
MACHINES = Permission.COLLECTORS_MANAGE  # needed for what a profile says of the machines that crawl
USAGE_SHOWN = 20
VERSIONS_SHOWN = 50
TOML = "toml"
MOST_EXPORTED = 10_000
EXPORTED = (
    *(message("Name"), message("Description"), message("Version")),
    *(message("Configurations"), message("In use")),
)


@pages.get("", dependencies=VIEW)
def profiles_page(
    page: Page,
    profiles: ProfilesService,
    q: str = "",
    state: str = "",
    export: str = "",
    number: PageNumber = 1,
) -> Response:
    used = profiles.usage_counts()
    if export == "csv":
        found, _ = profiles.matching(q, STATES.get(state), limit=MOST_EXPORTED)
        rows = ((one.name, one.description, one.version, used.get(one.id, 0), one.active) for one in found)
        return csv_answer("profiles", EXPORTED, rows)
    found, total = profiles.matching(q, STATES.get(state), limit=PAGE_SIZE, offset=offset_of(number))
    return page.show(
        "planning/profiles_list.html",
        profiles=found,
        q=q,
        state=state,
        used=used,
        most_counted=MOST_COUNTED,
        total=total,
        page=page.paging(number, total),
        may_change=page.may(Permission.PLANNING_RULES),
    )


# A new one, and another version ---------------------------------------------------------------------


@pages.get("/new", dependencies=RULES)
def new_profile_page(
    page: Page, profiles: ProfilesService, copied: Copied = None, written: As = ""
) -> Response:
    """An empty form, or one that begins as another profile."""
    model = profiles.get(copied) if copied else None
    document = model.document if model else {}
    if not page.may(MACHINES):
        document = rules.without_machine(document)
    return show_form(page, begun(document, written), copied=model)


@pages.post("/new", dependencies=RULES)
def create_profile(page: Page, form: PostedForm, profiles: ProfilesService) -> Response:
    try:
        profile = profiles.create(
            page.actor,
            form.get("name"),
            description=form.get("description"),
            document=posted_document(form, page, {}),
            reason=form.get("reason"),
            machines=page.may(MACHINES),
        )
    except Refused as refusal:
        return show_form(page, marked(form, refusal))
    text = message("The profile %(name)s is created.", name=profile.name)
    return page.done(f"{ADDRESS}/{profile.id}", text)


@pages.get("/{number}/edit", dependencies=RULES)
def edit_page(page: Page, number: Number, profiles: ProfilesService, written: As = "") -> Response:
    profile = profiles.get(number)
    return show_form(page, begun(profile.document, written, seen=profile.mark), profile)


@pages.post("/{number}/edit", dependencies=RULES)
def make_version(page: Page, number: Number, form: PostedForm, profiles: ProfilesService) -> Response:
    before, machines = profiles.get(number), page.may(MACHINES)
    reason, seen = form.get("reason"), form.get("seen")
    try:
        document = posted_document(form, page, before.document)
        profile = profiles.new_version(page.actor, number, document, reason, seen=seen, machines=machines)
    except Refused as refusal:
        return show_form(page, marked(form, refusal), before)
    text = message(
        "Version %(version)s of %(name)s is created. Jobs created from now on use it.",
        version=profile.version,
        name=profile.name,
    )
    return page.done(f"{ADDRESS}/{number}", text)


def begun(document: Mapping[str, Any], written_as: str, **about: str) -> Form:
    """The form, or the TOML, that begins as a document."""
    if written_as == TOML:
        return filled(**{"as": TOML, "toml": toml.written(document)}, **about)
    return filled(**typed(document), **about)


def posted_document(form: Form, page: PageRequest, before: Mapping[str, Any]) -> dict[str, Any]:
    """What was sent, as a form or as TOML; what the form did not ask stays as it was."""
    if form.get("as") == TOML:
        return toml.read(form.get("toml"))
    if page.may(MACHINES):
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
    asked = {key.path for key in all_keys()}
    for key, fault in refusal.faults.items():
        if key in asked:
            form.errors[key] = say(fault)
        else:
            form.errors[""] = f"{key}: {say(fault)}" if key else say(fault)
    return form


def show_form(
    page: PageRequest, form: Form, profile: Profile | None = None, *, copied: Profile | None = None
) -> Response:
    fixed = frozenset[str]() if page.may(MACHINES) else rules.MACHINE
    context: dict[str, Any] = {
        "profile": profile,
        "copied": copied,
        "left_out": bool(copied and fixed and rules.machine_part(copied.document)),
        "address": f"{ADDRESS}/{profile.id}/edit" if profile else f"{ADDRESS}/new",
        "same": f"&from={copied.id}" if copied else "",
    }
    if form.get("as") == TOML:
        return page.show("planning/profiles_toml.html", form, **context)
    before = typed(profile.document if profile else {})
    context |= {"groups": shown_groups(form, fixed, before), "labels": titles()}
    return page.show("planning/profiles_form.html", form, **context)


def shown_groups(form: Form, fixed: frozenset[str], before: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The groups of the form; the first, and those in which something differs or is wrong, are open.

    Keys that are fixed for this person are shown as they were before, whatever was sent.
    """
    form.values.update({key: value for key, value in before.items() if key in fixed})
    found = []
    for group, keys in grouped():
        asked = [shown_key(key, form.values, key.path in fixed) for key in keys]
        changed = sum(one["differs"] for one in asked)
        wrong = any(key.path in form.errors for key in keys)
        about = {"group": group, "keys": asked, "changed": changed}
        found.append({**about, "open": wrong or bool(changed) or group.open})
    return found


def shown_key(key: Key, values: Mapping[str, Any], fixed: bool) -> dict[str, Any]:
    words = CHOICES.get(key.path, {})
    return {
        "key": key,
        "title": title_of(key.path),
        "options": [(one, words.get(one, one)) for one in key.choices],
        "default": value_in_words(key, key.default) or "",
        "differs": differs(key, values),
        "fixed": rules.MACHINE_ONLY if fixed else None,
    }


def differs(key: Key, values: Mapping[str, Any]) -> bool:
    return (values.get(key.path) or "") != (written(key, key.default) or "")


# One of them ----------------------------------------------------------------------------------------


@pages.get("/{number}", dependencies=VIEW)
def profile_page(page: Page, number: Number, profiles: ProfilesService, versions: PageNumber = 1) -> Response:
    return show_profile(page, profiles, profiles.get(number), versions=versions)


@pages.post("/{number}", dependencies=RULES)
def describe_profile(page: Page, number: Number, form: PostedForm, profiles: ProfilesService) -> Response:
    said = {"name": form.get("name"), "description": form.get("description")}
    active, seen = form.ticked("active"), form.get("seen")
    try:
        profile = profiles.describe(page.actor, number, **said, active=active, seen=seen)
    except Refused as refusal:
        return show_profile(page, profiles, profiles.get(number), form.refuse(refusal))
    return page.done(f"{ADDRESS}/{number}", message("The profile %(name)s is saved.", name=profile.name))


def show_profile(
    page: PageRequest, profiles: Profiles, profile: Profile, form: Form | None = None, *, versions: int = 1
) -> Response:
    offset = offset_of(versions, VERSIONS_SHOWN)
    found, total = profiles.versions(profile.id, limit=VERSIONS_SHOWN, offset=offset)
    usage, used = profiles.usage(profile.id, limit=USAGE_SHOWN)
    differing = said(profile.document)
    return page.show(
        "planning/profiles_show.html",
        form or form_of(profile),
        profile=profile,
        said=differing,
        differing=sum(len(one["rows"]) for one in differing),
        versions=found,
        page=Paging(page.request, versions, total, VERSIONS_SHOWN),
        usage=usage,
        used=used,
        most_counted=MOST_COUNTED,
        history=history_of(page.request, page.shell, "profile", profile.id),
        may_change=page.may(Permission.PLANNING_RULES),
    )


def form_of(profile: Profile) -> Form:
    active = "yes" if profile.active else None
    return filled(name=profile.name, description=profile.description, active=active, seen=profile.mark)


def said(document: Any) -> list[dict[str, Any]]:
    """What a document says beside the defaults, in words, by group."""
    values = dict(rules.flat(document))
    found = []
    for group, keys in grouped():
        # Some keys are kept even where planning has them so by default: queues.by, for example.
        different = [key for key in keys if shown(values.get(key.path, key.default)) != shown(key.default)]
        rows = [in_words(key, values[key.path]) for key in different]
        if rows:
            found.append({"group": group, "rows": rows})
    return found


def in_words(key: Key, value: object) -> dict[str, Any]:
    return {
        "key": key.path,
        "title": title_of(key.path),
        "value": value_in_words(key, value),
        "default": value_in_words(key, key.default),
    }


# Versions -------------------------------------------------------------------------------------------


@pages.get("/{number}/versions/{which}", dependencies=VIEW)
def version_page(page: Page, number: Number, which: Number, profiles: ProfilesService) -> Response:
    return show_version(page, profiles.get(number), profiles.version(number, which))


def show_version(page: PageRequest, profile: Profile, version: Version, form: Form | None = None) -> Response:
    return page.show(
        "planning/profiles_version.html",
        form or filled(seen=profile.mark),
        profile=profile,
        version=version,
        said=said(version.document),
        may_change=page.may(Permission.PLANNING_RULES),
    )


@pages.post("/{number}/versions/{which}/restore", dependencies=RULES)
def go_back(
    page: Page, number: Number, which: Number, form: PostedForm, profiles: ProfilesService
) -> Response:
    reason, seen, machines = form.get("reason"), form.get("seen"), page.may(MACHINES)
    try:
        profile = profiles.go_back(page.actor, number, which, reason, seen=seen, machines=machines)
    except Refused as refusal:
        known, version = profiles.get(number), profiles.version(number, which)
        return show_version(page, known, version, form.refuse(refusal))
    text = message(
        "Version %(version)s has the settings of version %(older)s again.",
        version=profile.version,
        older=which,
    )
    return page.done(f"{ADDRESS}/{number}", text)


@pages.get("/{number}/versions/{which}/profile.toml", dependencies=VIEW)
def download(number: Number, which: Number, profiles: ProfilesService) -> Response:
    profile, version = profiles.get(number), profiles.version(number, which)
    text = toml.written(version.document, head=f"Profile {profile.name}, version {version.version}")
    headers = {"Content-Disposition": f'attachment; filename="profile-{number}-version-{which}.toml"'}
    return Response(text, media_type="application/toml", headers=headers)


@pages.get("/{number}/differences", dependencies=VIEW)
def differences_page(
    page: Page, number: Number, profiles: ProfilesService, before: Which = 1, after: Which | None = None
) -> Response:
    profile = profiles.get(number)
    older, newer = profiles.version(number, before), profiles.version(number, after or profile.version)
    rows = [
        {
            "key": one.key,
            "title": title_of(one.key),
            "before": shown(one.before),
            "after": shown(one.after),
            "default": shown(rules.default_of(one.key)),
        }
        for one in rules.differences(older.document, newer.document)
    ]
    versions, _ = profiles.versions(number)
    return page.show(
        "planning/profiles_differences.html",
        profile=profile,
        before=older,
        after=newer,
        rows=rows,
        versions=versions,
    )
