"""The pages of replicas."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import Depends
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.accounts.vault import Vault
from armarium.core.errors import NotFound, Refused
from armarium.core.message import Message, message
from armarium.db.database import Database
from armarium.storage.history import shown_event
from armarium.storage.model import Replica, ReplicaKind, ReplicaState
from armarium.storage.replicas import opened
from armarium.storage.replicas.forms import as_form, replica_in, setup_in
from armarium.storage.replicas.model import KIND_HELP, KINDS, Content, ReplicaDetails, role_options, shown
from armarium.storage.replicas.service import Replicas
from armarium.storage.replicas.trials import Trials
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import Number, number_in
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/storage/replicas"
EVENTS_SHOWN = 20
pages = Router(prefix=ADDRESS)

ReplicasService = Annotated[Replicas, Depends(service(Replicas))]
DatabaseService = Annotated[Database, Depends(service(Database))]


def trials(
    database: DatabaseService, vault: Annotated[Vault, Depends(service(Vault))], replicas: ReplicasService
) -> Trials:
    return Trials(database, vault, replicas)


def contents(replicas: ReplicasService) -> Mapping[int, Content]:
    return replicas.contents()


TrialsService = Annotated[Trials, Depends(trials)]
Contents = Annotated[Mapping[int, Content], Depends(contents)]

VIEW = guarded(Permission.STORAGE_VIEW)
MANAGE = guarded(Permission.STORAGE_MANAGE)


@pages.get("", dependencies=VIEW)
def replicas_page(page: Page, replicas: ReplicasService, held: Contents) -> Response:
    return page.live(
        "storage/replicas_list.html",
        "storage/replicas_table.html",
        replicas=[shown(one, held) for one in replicas.all_details()],
        on_one_disk=opened.on_one_disk(replicas.home, replicas.in_use()),
        may_change=page.may(Permission.STORAGE_MANAGE),
    )


# A new one --------------------------------------------------------------------------------------------


@pages.get("/new", dependencies=MANAGE)
def new_replica_page(page: Page, kind: str = "") -> Response:
    if kind not in set(ReplicaKind):
        choices = [(one.value, KINDS[one], text) for one, text in KIND_HELP.items()]
        return page.show("storage/replicas_kinds.html", choices=choices)
    return show_new(page, ReplicaKind(kind), filled(role="copy", audit_days=90))


@pages.post("/new", dependencies=MANAGE)
def add_replica(
    page: Page, form: PostedForm, replicas: ReplicasService, trials: TrialsService, kind: str = ""
) -> Response:
    if kind not in set(ReplicaKind):
        raise NotFound(message("There is no such kind of replica."))
    chosen = ReplicaKind(kind)
    try:
        setup = setup_in(form, chosen)
        fresh = replica_in(form, chosen, setup)
        if form.ticked("try"):
            found = trials.fresh(fresh, setup.secrets or {})
            return show_new(page, chosen, form, found=found)
        added = replicas.add(page.actor, fresh.name, chosen, setup)
    except Refused as refusal:
        return show_new(page, chosen, form.refuse(refusal))
    text = message("Replica %(name)s is added. Every file is copied into it from now on.", name=added.name)
    return page.done(f"{ADDRESS}/{added.id}", text)


def show_new(page: PageRequest, kind: ReplicaKind, form: Form, *, found: Message | None = None) -> Response:
    return page.show(
        "storage/replicas_new.html",
        form=form,
        kind=kind.value,
        kind_title=KINDS[kind],
        role_options=role_options(),
        found=found,
        has_keys=False,
    )


# One of them ------------------------------------------------------------------------------------------


@pages.get("/{number}", dependencies=VIEW)
def replica_page(page: Page, number: Number, replicas: ReplicasService, held: Contents) -> Response:
    return show_replica(page, replicas, replicas.details(number), held)


@pages.post("/{number}", dependencies=MANAGE)
def change_replica(
    page: Page,
    number: Number,
    form: PostedForm,
    replicas: ReplicasService,
    trials: TrialsService,
    held: Contents,
) -> Response:
    details = replicas.details(number)
    try:
        setup = setup_in(form, details.replica.kind, details.replica)
        if form.ticked("try"):
            found = trials.known(number, setup)
            return show_replica(page, replicas, details, held, form=form, found=found)
        changed = replicas.change(page.actor, number, setup, seen=number_in(form.get("seen")) or 0)
    except Refused as refusal:
        return show_replica(page, replicas, details, held, form=form.refuse(refusal))
    return page.done(f"{ADDRESS}/{number}", message("Replica %(name)s is saved.", name=changed.name))


@pages.post("/{number}/read-only", dependencies=MANAGE)
def make_read_only(page: Page, number: Number, form: PostedForm, replicas: ReplicasService) -> Response:
    changed = replicas.set_state(page.actor, number, ReplicaState.READ_ONLY, form.get("reason"))
    text = message("%(name)s gets no new files. It is read and audited as before.", name=changed.name)
    return page.done(f"{ADDRESS}/{number}", text)


@pages.post("/{number}/activate", dependencies=MANAGE)
def activate(page: Page, number: Number, form: PostedForm, replicas: ReplicasService) -> Response:
    changed = replicas.set_state(page.actor, number, ReplicaState.ACTIVE, form.get("reason"))
    text = message("%(name)s is in use. What it lacks is copied into it from now on.", name=changed.name)
    return page.done(f"{ADDRESS}/{number}", text)


@pages.post("/{number}/retire", dependencies=MANAGE)
def retire(
    page: Page, number: Number, form: PostedForm, replicas: ReplicasService, held: Contents
) -> Response:
    details = replicas.details(number)
    form.id = "retire"
    try:
        check_named(details.replica, form.get("name"))
        replicas.set_state(page.actor, number, ReplicaState.RETIRED, form.get("reason"))
    except Refused as refusal:
        leaving = form.refuse(refusal)
        return show_replica(page, replicas, details, held, leaving=leaving)
    text = message("%(name)s is retired. What lies in it stays as it is.", name=details.replica.name)
    return page.done(f"{ADDRESS}/{number}", text)


def check_named(replica: Replica, typed: str) -> None:
    if typed.strip() != replica.name:
        raise Refused(message("Type the name of the replica to retire it."), field="name")


def show_replica(
    page: PageRequest,
    replicas: Replicas,
    details: ReplicaDetails,
    held: Mapping[int, Content],
    *,
    form: Form | None = None,
    leaving: Form | None = None,
    found: Message | None = None,
) -> Response:
    events = replicas.events(replica=details.replica.id, limit=EVENTS_SHOWN)
    may_change = page.may(Permission.STORAGE_MANAGE)
    return page.live(
        "storage/replicas_show.html",
        "storage/replicas_state.html",
        replica=shown(details, held),
        events=[shown_event(one) for one in events],
        form=form or as_form(details),
        leaving=leaving or Form(id="retire"),
        found=found,
        kind=details.replica.kind.value,
        role_options=role_options(),
        has_keys=details.has_secrets,
        may_change=may_change and details.replica.state is not ReplicaState.RETIRED,
        may_revive=may_change and details.replica.state is not ReplicaState.ACTIVE,
        may_audit=page.may(Permission.AUDIT_VIEW),
    )
