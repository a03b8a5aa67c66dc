"""`armarium store replicas`: the places of the copies, from a shell."""

import os
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from armarium.accounts.vault import Vault
from armarium.core.errors import Refused
from armarium.core.services import Services
from armarium.db.database import Database
from armarium.languages.speech import byte_size
from armarium.storage.model import ReplicaKind, ReplicaRole, ReplicaState
from armarium.storage.replicas.model import Content, ReplicaDetails, Setup
from armarium.storage.replicas.service import Replicas
from armarium.storage.replicas.trials import Trials
from armarium.terminal.groups import group
from armarium.terminal.output import say, show_json, show_summary, show_table
from armarium.terminal.session import Json, operator, session
from armarium.terminal.tables import dated, plural

replicas_commands = group(
    "Replicas: the places that hold the copies.", old_names={"change": "edit", "try": "test"}
)

#: The names that other programs for S3 know.
VARIABLES = {"access_key": "AWS_ACCESS_KEY_ID", "secret_key": "AWS_SECRET_ACCESS_KEY"}
Name = Annotated[str, typer.Argument(help="The replica's name.")]
Role = Annotated[ReplicaRole | None, typer.Option(help="primary is read first; checksums are a witness.")]
Location = Annotated[str | None, typer.Option(help="A folder, or s3://bucket/prefix.")]
Option = Annotated[list[str] | None, typer.Option("--option", help="Of S3: name=value; again for several.")]
Keys = Annotated[
    bool,
    typer.Option(
        "--keys",
        help="Take the keys of S3 from $AWS_ACCESS_KEY_ID and $AWS_SECRET_ACCESS_KEY; "
        "arguments would be seen by everybody on this machine.",
    ),
]
Rate = Annotated[int | None, typer.Option(min=0, help="Bytes a second, at most; 0: as fast as it goes.")]
AuditDays = Annotated[int | None, typer.Option(min=0, help="Days between audits; 0: only by hand.")]
AuditRate = Annotated[int | None, typer.Option(min=0, help="Bytes a second of audits, at most.")]
Reason = Annotated[str, typer.Option(help="Why: it stays in the audit log.")]


def described(details: ReplicaDetails, content: Content) -> dict[str, Any]:
    return {
        "id": details.replica.id,
        **details.described(),
        "has_secrets": details.has_secrets,
        "away_since": details.away_since,
        "trouble": details.trouble,
        "asked_at": details.asked_at,
        "free_bytes": details.free_bytes,
        **{name: dict(vars(getattr(content, name))) for name in ("accepted", "unfinished", "damaged")},
    }


def facts_of(services: Services, all_details: Iterable[ReplicaDetails]) -> list[dict[str, Any]]:
    held = services.get(Replicas).contents()
    return [described(one, held.get(one.replica.id, Content())) for one in all_details]


def shown(services: Services, number: int, as_json: bool) -> None:
    facts = facts_of(services, [services.get(Replicas).details(number)])[0]
    return show_json(facts) if as_json else show_replica_summary(facts)


def show_replica_summary(facts: dict[str, Any]) -> None:
    name = facts["name"]
    held = {
        kind: f"{plural(facts[kind]['files'], 'file')} ({byte_size(facts[kind]['bytes'])})"
        for kind in ("accepted", "unfinished", "damaged")
        if facts[kind]["files"] or kind == "accepted"
    }
    away = f"does not answer since {dated(facts['away_since'])}" if facts["away_since"] else "answers"
    rate, audit_rate = facts["rate_bytes"], facts["audit_rate_bytes"]
    hints = []
    if facts["away_since"]:
        hints.append(f"Try it: armarium store replicas test {name}")
    if facts["damaged"]["files"]:
        hints.append("Mend damaged copies: armarium store repairs list --waiting")
    show_summary(
        name,
        f"{facts['state']}, {away}",
        {
            "Trouble": facts["trouble"],
            "Place": f"{facts['location']} ({facts['kind']}, {facts['role']})",
            "Holds": held["accepted"],
            "To be copied": held.get("unfinished"),
            "Damaged": held.get("damaged"),
            "Free": byte_size(facts["free_bytes"]) if facts["free_bytes"] else None,
            "Audits": f"every {facts['audit_days']} days" if facts["audit_days"] else "only by hand",
            "Rate": f"at most {byte_size(rate)} a second" if rate else None,
            "Audit rate": f"at most {byte_size(audit_rate)} a second" if audit_rate else None,
            "Options": [f"{key}={value}" for key, value in facts["options"].items()],
        },
        below=f"Replica {facts['id']}",
        hints=hints,
    )


@replicas_commands.command("list")
def list_replicas(context: typer.Context, as_json: Json = False) -> None:
    """List replicas with what they hold, and whether they answer."""
    with session(context).services() as services:
        facts = facts_of(services, services.get(Replicas).all_details())
    if as_json:
        return show_json(facts)
    columns = ("Name", "Role", "State", "Files", "Size", "To copy", "Damaged", "Free", "Location")
    rows = (
        (
            *(one["name"], one["role"], "away" if one["away_since"] else one["state"]),
            one["accepted"]["files"],
            byte_size(one["accepted"]["bytes"]),
            one["unfinished"]["files"],
            one["damaged"]["files"],
            byte_size(one["free_bytes"] or None),
            one["location"],
        )
        for one in facts
    )
    return show_table(columns, rows, empty="There is no replica.", noun="replica")


@replicas_commands.command("show")
def show_replica(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Show a replica: whether it answers, what it holds, and what is wrong with it."""
    with session(context).services() as services:
        shown(services, services.get(Replicas).named(name).id, as_json)


@replicas_commands.command("add")
def add(
    context: typer.Context,
    name: Name,
    location: Annotated[str, typer.Argument(help="A folder, or s3://bucket/prefix.")],
    kind: Annotated[ReplicaKind | None, typer.Option(help="Else by the location: folder or s3.")] = None,
    role: Role = None,
    option: Option = None,
    keys: Keys = False,
    rate: Rate = None,
    audit_days: AuditDays = None,
    audit_rate: AuditRate = None,
    as_json: Json = False,
) -> None:
    """Add a replica: its place is claimed for this archive, and every file is copied into it."""
    chosen = kind or (ReplicaKind.S3 if location.startswith("s3://") else ReplicaKind.FOLDER)
    usual = ReplicaRole.WITNESS if chosen is ReplicaKind.CHECKSUM else ReplicaRole.COPY
    secrets = keys_given() if keys else None
    setup = Setup(role or usual, location, options_of(option), secrets, rate, audit_days, audit_rate)
    with session(context).services() as services:
        added = services.get(Replicas).add(operator(), name, chosen, setup)
        shown(services, added.id, as_json)


@replicas_commands.command("edit")
def change(
    context: typer.Context,
    name: Name,
    role: Role = None,
    location: Location = None,
    option: Option = None,
    keys: Keys = False,
    forget_keys: Annotated[bool, typer.Option("--forget-keys", help="Forget the keys of S3.")] = False,
    rate: Rate = None,
    audit_days: AuditDays = None,
    audit_rate: AuditRate = None,
    active: Annotated[
        bool | None, typer.Option("--active/--read-only", help="Whether it gets new files.")
    ] = None,
    reason: Reason = "",
    as_json: Json = False,
) -> None:
    """Set a replica up otherwise; options of S3 that are given replace all that were there."""
    secrets = {} if forget_keys else keys_given() if keys else None
    options = None if option is None else options_of(option)
    setup = Setup(role, location, options, secrets, rate, audit_days, audit_rate)
    with session(context).services() as services:
        replicas = services.get(Replicas)
        number = replicas.named(name).id
        if setup != Setup():
            replicas.change(operator(), number, setup)
        if active is not None:
            state = ReplicaState.ACTIVE if active else ReplicaState.READ_ONLY
            replicas.set_state(operator(), number, state, reason)
        shown(services, number, as_json)


@replicas_commands.command("retire")
def retire(context: typer.Context, name: Name, reason: Reason = "", as_json: Json = False) -> None:
    """Use a replica no more. What lies in it stays as it is; `edit --active` takes it back."""
    with session(context).services() as services:
        replicas = services.get(Replicas)
        number = replicas.named(name).id
        replicas.set_state(operator(), number, ReplicaState.RETIRED, reason)
        shown(services, number, as_json)


@replicas_commands.command("test")
def try_out(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Try whether a replica answers, with the keys that are kept. Exit code 1: it does not."""
    with session(context).services() as services:
        replicas = services.get(Replicas)
        trials = Trials(services.get(Database), services.get(Vault), replicas)
        number = replicas.named(name).id
        try:
            found, answers = str(trials.known(number)), True
        except Refused as refusal:
            found, answers = str(refusal), False
    if as_json:
        show_json({"name": name, "answers": answers, "text": found})
    else:
        say(found)
    if not answers:
        raise typer.Exit(1)


def options_of(given: list[str] | None) -> dict[str, str]:
    pairs = [one.partition("=") for one in given or []]
    if wrong := next((name for name, equals, _ in pairs if not equals), None):
        raise Refused(f"Options are written name=value; {wrong} is not.")
    return {name: value for name, _, value in pairs}


def keys_given() -> dict[str, str]:
    """From the environment: other accounts of the machine can read the arguments of a process."""
    if missing := [name for name in VARIABLES.values() if not os.environ.get(name)]:
        raise Refused(f"Set {' and '.join(missing)} in the environment for --keys.")
    return {key: os.environ[name] for key, name in VARIABLES.items()}
