"""The pages of replicas."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

from fastapi import Depends
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.accounts.vault import Vault
from armarium.core.errors import NotFound, Refused
from armarium.core.message import Message, message
from armarium.db.database import Database
from armarium.languages.speech import month
from armarium.languages.speech import number as in_figures
from armarium.storage.history import shown_event
from armarium.storage.model import AuditKind, Replica, ReplicaKind, ReplicaState, RunState
from armarium.storage.replicas import opened
from armarium.storage.replicas.forms import as_form, replica_in, setup_in
from armarium.storage.replicas.growth import Growth
from armarium.storage.replicas.model import (
    KIND_HELP,
    KINDS,
    Content,
    LastAudit,
    ReplicaDetails,
    role_options,
    shown,
)
from armarium.storage.replicas.service import Replicas
from armarium.storage.replicas.trials import Trials
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import Number, number_in
from armarium.web.plots.model import Plot, Series, Shape, Unit
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/storage/replicas"
EVENTS_SHOWN = 20
SHOW_FILES = message("Show files")
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
    growth, audits = replicas.growth(), replicas.last_audits()
    return page.live(
        "storage/replicas_list.html",
        "storage/replicas_table.html",
        replicas=[
            {
                **shown(one, held),
                "growth": growth.get(one.replica.id, Growth()).held,
                "audit": shown_audit(audits.get(one.replica.id, [])),
            }
            for one in replicas.all_details()
        ],
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
    text = message("Replica %(name)s was added. All files are now being copied to it.", name=added.name)
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


@pages.get("/{number}/edit", dependencies=MANAGE)
def edit_page(page: Page, number: Number, replicas: ReplicasService) -> Response:
    return show_edit(page, replicas.details(number))


@pages.post("/{number}", dependencies=MANAGE)
def change_replica(
    page: Page, number: Number, form: PostedForm, replicas: ReplicasService, trials: TrialsService
) -> Response:
    details = replicas.details(number)
    try:
        setup = setup_in(form, details.replica.kind, details.replica)
        if form.ticked("try"):
            found = trials.known(number, setup)
            return show_edit(page, details, form=form, found=found)
        changed = replicas.change(page.actor, number, setup, seen=number_in(form.get("seen")) or 0)
    except Refused as refusal:
        return show_edit(page, details, form=form.refuse(refusal))
    return page.done(f"{ADDRESS}/{number}", message("Replica %(name)s was saved.", name=changed.name))


@pages.post("/{number}/read-only", dependencies=MANAGE)
def make_read_only(page: Page, number: Number, form: PostedForm, replicas: ReplicasService) -> Response:
    changed = replicas.set_state(page.actor, number, ReplicaState.READ_ONLY, form.get("reason"))
    text = message("%(name)s is now read-only. It is still read and audited.", name=changed.name)
    return page.done(f"{ADDRESS}/{number}", text)


@pages.post("/{number}/activate", dependencies=MANAGE)
def activate(page: Page, number: Number, form: PostedForm, replicas: ReplicasService) -> Response:
    changed = replicas.set_state(page.actor, number, ReplicaState.ACTIVE, form.get("reason"))
    text = message("%(name)s is active. Missing files are now being copied to it.", name=changed.name)
    return page.done(f"{ADDRESS}/{number}", text)


@pages.post("/{number}/retire", dependencies=MANAGE)
def retire(page: Page, number: Number, form: PostedForm, replicas: ReplicasService) -> Response:
    details = replicas.details(number)
    form.id = "retire"
    try:
        check_named(details.replica, form.get("name"))
        replicas.set_state(page.actor, number, ReplicaState.RETIRED, form.get("reason"))
    except Refused as refusal:
        return show_edit(page, details, leaving=form.refuse(refusal))
    text = message("%(name)s was retired. Its files stay where they are.", name=details.replica.name)
    return page.done(f"{ADDRESS}/{number}", text)


def check_named(replica: Replica, typed: str) -> None:
    if typed.strip() != replica.name:
        raise Refused(message("Type the name of the replica to retire it."), field="name")


def show_edit(
    page: PageRequest,
    details: ReplicaDetails,
    *,
    form: Form | None = None,
    leaving: Form | None = None,
    found: Message | None = None,
) -> Response:
    return page.show(
        "storage/replicas_edit.html",
        replica=details.replica,
        form=form or as_form(details),
        leaving=leaving or Form(id="retire"),
        found=found,
        kind=details.replica.kind.value,
        role_options=role_options(),
        has_keys=details.has_secrets,
        may_retire=details.replica.state is not ReplicaState.RETIRED,
    )


def show_replica(
    page: PageRequest, replicas: Replicas, details: ReplicaDetails, held: Mapping[int, Content]
) -> Response:
    number = details.replica.id
    may_change = page.may(Permission.STORAGE_MANAGE)
    known = shown(details, held)
    return page.live(
        "storage/replicas_show.html",
        "storage/replicas_state.html",
        replica=known,
        attention=list(attention(known)),
        audit=shown_audit(replicas.last_audits().get(number, [])),
        growth=plot_of(replicas.growth().get(number, Growth())),
        events=[shown_event(one) for one in replicas.events(replica=number, limit=EVENTS_SHOWN)],
        may_change=may_change and details.replica.state is not ReplicaState.RETIRED,
        may_revive=may_change and details.replica.state is not ReplicaState.ACTIVE,
        may_audit=page.may(Permission.AUDIT_VIEW),
    )


def attention(replica: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What needs a person, or time."""
    content, files = replica["content"], f"/storage/files?replica={replica['id']}"
    if replica["away_since"]:
        text = message("This replica does not answer: %(why)s", why=replica["trouble"])
        yield {"text": text, "tone": "bad"}
    if bad := content.damaged.files:
        text = message("Damaged or missing copies: %(count)s.", count=in_figures(bad))
        yield {"text": text, "tone": "bad", "href": f"{files}&copies=damaged", "label": SHOW_FILES}
    if waiting := content.unfinished.files:
        text = message("Files waiting to be copied here: %(count)s.", count=in_figures(waiting))
        yield {"text": text, "tone": "waiting", "href": f"{files}&copies=unfinished", "label": SHOW_FILES}


def shown_audit(audits: Iterable[LastAudit]) -> dict[str, Any] | None:
    """The last audit that read every byte; without one, the last that looked at names and sizes."""
    found = {one.kind: one for one in audits}
    one = found.get(AuditKind.CHECKSUM) or found.get(AuditKind.PRESENCE)
    if one is None:
        return None
    running = one.state in (RunState.WAITING, RunState.RUNNING)
    tone = "busy" if running else "bad" if one.damages or one.state == RunState.FAILED else "good"
    return {"id": one.id, "at": one.ended_at, "damages": one.damages, "tone": tone, "running": running}


def plot_of(growth: Growth) -> Plot:
    labels = [month(one) for one in growth.months]
    series = (Series(message("Bytes"), growth.held),)
    return Plot("growth", message("Bytes stored"), labels, series, Shape.AREAS, Unit.BYTES)
