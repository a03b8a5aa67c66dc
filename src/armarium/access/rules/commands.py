"""`armarium reading rules`: what the pages of the rules do, from a shell."""

from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from armarium.access.model import Reader
from armarium.access.networks.service import Networks
from armarium.access.policy import patterns
from armarium.access.policy.live import LivePolicy
from armarium.access.policy.model import AddressMatch, Audience, Period, Rule, RuleEffect, State, Terms
from armarium.access.policy.queries import RuleFilter
from armarium.access.rules.checks import accounts_in, checked, question_about
from armarium.access.rules.coverage import Coverage
from armarium.access.rules.schemas import rule_shown
from armarium.access.rules.service import Rules
from armarium.accounts.model import Role
from armarium.accounts.service import Accounts
from armarium.core.services import Services
from armarium.terminal.output import complain, say, show_facts, show_json, show_table
from armarium.terminal.session import Json, operator, session

rules_commands = typer.Typer(no_args_is_help=True, help="Who may see what.")
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
    return show_json(facts) if as_json else show_facts({name: one for name, one in facts.items() if one})


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
    with session(context).services() as services:
        found, _ = services.get(Rules).page(wanted, limit=MOST)
    if as_json:
        return show_json([rule_shown(one).model_dump(mode="json") for one in found])
    rows = (
        (one.id, one.terms.pattern, one.terms.match, one.terms.effect, one.terms.take_down, one.terms.reason)
        for one in found
    )
    return show_table(
        ("Number", "Address", "Covers", "Effect", "Take-down", "Reason"), rows, empty="No rules."
    )


@rules_commands.command("show")
def show_rule(context: typer.Context, number: NumberOf, as_json: Json = False) -> None:
    """Show one rule."""
    with session(context).services() as services:
        shown(services.get(Rules).get(number), as_json)


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
    """Make a rule."""
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
    with session(context).services() as services:
        shown(services.get(Rules).end(operator(), number, why), as_json)


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
