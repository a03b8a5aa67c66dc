"""`armarium reading rules`: what the pages of the rules do, from a shell."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from armarium.access.model import Reader
from armarium.access.networks.service import Networks
from armarium.access.policy import patterns
from armarium.access.policy.editions import LivePolicy
from armarium.access.policy.model import AddressMatch, Audience, Period, Rule, RuleEffect, State, Terms
from armarium.access.policy.queries import RuleFilter
from armarium.access.rules import aclj, exchange
from armarium.access.rules.checks import Coverage, accounts_in, checked, question_about
from armarium.access.rules.exchange import rule_shown
from armarium.access.rules.service import Rules
from armarium.accounts.model import Role
from armarium.accounts.service import Accounts
from armarium.core.errors import Refused
from armarium.core.services import Services
from armarium.terminal.groups import group
from armarium.terminal.output import complain, say, show_json, show_one, show_rows, show_table, write
from armarium.terminal.session import Json, operator, service, session

rules_commands = group("Who may see what.")
MOST = 1_000_000

Pattern = Annotated[
    str, typer.Argument(help="example.org, *.example.org, example.org/folder/, https://example.org/, or *.")
]
NumberOf = Annotated[int, typer.Argument(help="The number of the rule.", min=1)]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask whether that is meant.")]
InCollection = Annotated[str, typer.Option("--collection", help="Only in this collection.")]
CapturedFrom = Annotated[str, typer.Option("--captured-from", help="Only captures from this date on.")]
CapturedTo = Annotated[str, typer.Option("--captured-to", help="Only captures to this date, included.")]
Match = Annotated[
    AddressMatch | None, typer.Option(help="How much the address covers, if not as it is typed.")
]
Accredited = Annotated[bool, typer.Option("--accredited", help="For accredited readers.")]
Roles = Annotated[list[Role] | None, typer.Option("--role", help="For a role; repeatable.")]
NetworkNames = Annotated[list[str] | None, typer.Option("--network", help="For a network; repeatable.")]
AccountNames = Annotated[list[str] | None, typer.Option("--account", help="For an account; repeatable.")]


def shown(rule: Rule, as_json: bool) -> None:
    facts: dict[str, Any] = rule_shown(rule).model_dump(mode="json")
    show_one(facts if as_json else {name: one for name, one in facts.items() if one}, as_json)


def covers(services: Services, terms: Terms, match: AddressMatch | None) -> str:
    """In words, with the number of captures that the archive has of it now."""
    whole = checked(terms, match)
    found = services.get(Coverage).of(whole)
    number = f"{found.captures} captures" if found.captures != 1 else "1 capture"
    return f"{patterns.covered(whole.match, whole.key)} Now: {'' if found.complete else 'at least '}{number}."


def audience_of(
    services: Services,
    accredited: bool,
    roles: list[Role] | None,
    networks: list[str] | None,
    accounts: list[str] | None,
) -> Audience:
    return Audience(
        accredited=accredited,
        roles=frozenset(roles or ()),
        networks=frozenset(services.get(Networks).named(name).id for name in networks or ()),
        accounts=accounts_in(" ".join(accounts or ()), services.get(Accounts)),
    )


@rules_commands.command("list")
def list_rules(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="In address, reason or message.")] = "",
    state: Annotated[State | None, typer.Option(help="Without it: those that have not ended.")] = None,
    effect: Annotated[RuleEffect | None, typer.Option(help="Only of this effect.")] = None,
    take_downs: Annotated[bool, typer.Option("--take-downs", help="Only take-downs.")] = False,
    as_json: Json = False,
) -> None:
    """List rules, newest first."""
    wanted = RuleFilter(text=text, state=state, effect=effect, take_down=True if take_downs else None)
    with service(context, Rules) as rules:
        found, _ = rules.page(wanted, limit=MOST)
    rows = (
        (one.id, one.terms.pattern, one.terms.match, one.terms.effect, one.terms.take_down, one.terms.reason)
        for one in found
    )
    columns = ("Number", "Address", "Covers", "Effect", "Take-down", "Reason")
    facts = (rule_shown(one).model_dump(mode="json") for one in found)
    show_rows(facts, as_json, columns, rows, empty="No rules.", noun="rule")


@rules_commands.command("show")
def show_rule(context: typer.Context, number: NumberOf, as_json: Json = False) -> None:
    """Show one rule."""
    with service(context, Rules) as rules:
        shown(rules.get(number), as_json)


@rules_commands.command("add")
def add_rule(
    context: typer.Context,
    effect: Annotated[RuleEffect, typer.Argument(help="What becomes of the captures.")],
    pattern: Pattern,
    match: Match = None,
    collection: InCollection = "",
    captured_from: CapturedFrom = "",
    captured_to: CapturedTo = "",
    accredited: Accredited = False,
    role: Roles = None,
    network: NetworkNames = None,
    account: AccountNames = None,
    years: Annotated[int, typer.Option(help="Of an embargo.", min=0)] = 0,
    months: Annotated[int, typer.Option(help="Of an embargo.", min=0)] = 0,
    days: Annotated[int, typer.Option(help="Of an embargo.", min=0)] = 0,
    since: Annotated[datetime | None, typer.Option("--from", help="It holds from then on (UTC).")] = None,
    until: Annotated[datetime | None, typer.Option(help="It holds until then (UTC).")] = None,
    one_reader: Annotated[bool, typer.Option("--one-reader", help="One reader at a time.")] = False,
    no_downloads: Annotated[bool, typer.Option("--no-downloads", help="No downloads.")] = False,
    public_message: Annotated[str, typer.Option("--message", help="What readers read instead.")] = "",
    reason: Annotated[str, typer.Option(help="For the staff.")] = "",
    legal_basis: Annotated[str, typer.Option(help="A law, an agreement, a letter.")] = "",
    as_json: Json = False,
) -> None:
    """Create a rule."""
    with session(context).services() as services:
        services.get(Coverage).check(collection)
        terms = Terms(
            effect=effect,
            pattern=pattern,
            collection=collection,
            captured_from=captured_from,
            captured_to=captured_to,
            audience=audience_of(services, accredited, role, network, account),
            embargo=Period(years, months, days),
            valid_from=in_utc(since),
            valid_until=in_utc(until),
            one_reader=one_reader,
            no_downloads=no_downloads,
            public_message=public_message,
            reason=reason,
            legal_basis=legal_basis,
        )
        complain(covers(services, terms, match))
        shown(services.get(Rules).add(operator(), terms, match), as_json)


@rules_commands.command("take-down")
def take_down(
    context: typer.Context,
    pattern: Pattern,
    reason: Annotated[str, typer.Option(help="Why: it is asked for later.")],
    match: Match = None,
    hide: Annotated[
        bool, typer.Option("--hide", help="As if it were not there, instead of restricted.")
    ] = False,
    collection: InCollection = "",
    captured_from: CapturedFrom = "",
    captured_to: CapturedTo = "",
    public_message: Annotated[str, typer.Option("--message", help="What readers read instead.")] = "",
    legal_basis: Annotated[str, typer.Option(help="A law, an agreement, a letter.")] = "",
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Withdraw captures from all readers, against every other rule."""
    terms = Terms(
        effect=RuleEffect.HIDE if hide else RuleEffect.RESTRICT,
        pattern=pattern,
        collection=collection,
        captured_from=captured_from,
        captured_to=captured_to,
        public_message=public_message,
        reason=reason,
        legal_basis=legal_basis,
        take_down=True,
    )
    with session(context).services() as services:
        services.get(Coverage).check(collection)
        complain(covers(services, terms, match))
        if not yes:
            typer.confirm("Take that down?", abort=True, err=True)
        shown(services.get(Rules).add(operator(), terms, match), as_json)


@rules_commands.command("end")
def end_rule(
    context: typer.Context,
    number: NumberOf,
    why: Annotated[str, typer.Option(help="Why: it stays in the history.")],
    as_json: Json = False,
) -> None:
    """End a rule. It stays, as history."""
    with service(context, Rules) as rules:
        shown(rules.end(operator(), number, why), as_json)


@rules_commands.command("why")
def explain(
    context: typer.Context,
    url: Annotated[str, typer.Argument(help="The address of a capture.")],
    date: Annotated[str, typer.Option(help="When it was captured; without it: now.")] = "",
    collection: Annotated[str, typer.Option(help="Where it is asked for.")] = "",
    accredited: Accredited = False,
    role: Roles = None,
    network: NetworkNames = None,
    account: AccountNames = None,
    as_json: Json = False,
) -> None:
    """Tell what becomes of a capture for a reader, and which rule decides it."""
    with session(context).services() as services:
        who = audience_of(services, accredited, role, network, account)
        reader = Reader(next(iter(who.accounts), None), who.roles, who.networks, who.accredited)
        asked = question_about(url, date, reader, collection)
        found = services.get(LivePolicy).explain(reader, asked.collection, asked.line)
    steps = [
        (one.rule.id, one.rule.terms.pattern, one.rule.terms.effect, one.decides, one.misfit)
        for one in found.steps
    ]
    if as_json:
        names = ("rule", "pattern", "effect", "decides", "misfit")
        told = {**vars(found.decision), "steps": [dict(zip(names, step, strict=True)) for step in steps]}
        return show_json(told)
    say(f"{asked.line.key} {asked.line.timestamp}: {found.decision.effect.value}")
    columns = ("Rule", "Address", "Effect", "Decides", "Does not fit by")
    return show_table(columns, steps, empty="No rule speaks of it: the default of the settings decides.")


def in_utc(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment


# Rules in files -----------------------------------------------------------------------------------------


File = Annotated[Path, typer.Argument(help="A file of rules: JSON, or an access list of pywb (.aclj).")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")]


@rules_commands.command("import")
def import_rules(
    context: typer.Context,
    file: File,
    user: Annotated[
        list[str] | None,
        typer.Option(
            help="Who a user of an .aclj is: NAME=accredited, role:…, network:… or account:…; repeatable."
        ),
    ] = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Take rules from a file, all or none. Those that are there already are passed over."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(
            f"{file} cannot be read: {getattr(error, 'strerror', '') or 'it is no text in UTF-8'}."
        ) from error
    with session(context).services() as services:
        found = exchange.read(text, dict(user_in(services, one) for one in user or ()))
        rules = services.get(Rules)
        fresh = exchange.new_ones(found.terms, rules.not_ended())
        made = [] if dry_run or found.problems else rules.add_all(operator(), fresh)
    tell_import(found, len(fresh), len(made), as_json)
    if found.problems:
        raise Refused(f"{found.problems} lines of {file} cannot be rules here, so none was taken.")


def tell_import(found: exchange.Read, fresh: int, made: int, as_json: bool) -> None:
    remarks = [(one.line, "problem" if one.problem else "note", str(one.text)) for one in found.remarks]
    if as_json:
        told = [{"line": line, "kind": kind, "text": text} for line, kind, text in remarks]
        return show_json({"rules": len(found.terms), "new": fresh, "made": made, "remarks": told})
    if remarks:
        show_table(("Line", "Kind", "What"), remarks)
    return say(f"{len(found.terms)} rules in the file, {fresh} of them new, {made} made.")


def user_in(services: Services, text: str) -> tuple[str, Audience]:
    name, equals, who = text.partition("=")
    kind, _, which = who.partition(":")
    if not name or not equals or kind not in ("accredited", "role", "network", "account"):
        raise Refused(f"“{text}” says of no user who it is: write NAME=accredited, or NAME=role:reader.")
    if kind == "role" and which not in set(Role):
        raise Refused(f"There is no role {which}.")
    roles = [Role(which)] if kind == "role" else None
    networks, accounts = [which] if kind == "network" else None, [which] if kind == "account" else None
    return name, audience_of(services, kind == "accredited", roles, networks, accounts)


@rules_commands.command("export")
def export_rules(
    context: typer.Context,
    as_aclj: Annotated[
        bool, typer.Option("--aclj", help="As an access list of pywb, instead of JSON.")
    ] = False,
) -> None:
    """Write all rules that have not ended. Those that pywb cannot say are named on standard error."""
    with service(context, Rules) as rules:
        found = sorted(rules.not_ended(), key=lambda one: one.id)
    if not as_aclj:
        return write(exchange.as_json(found))
    text, left_out = aclj.written(found)
    write(text)
    for rule in left_out:
        complain(f"Rule {rule.id} ({rule.terms.effect.value} {rule.terms.pattern}) cannot be said there.")
    if left_out:
        raise typer.Exit(1)
    return None
