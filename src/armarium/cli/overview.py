"""`armarium overview`: the page after sign-in, in a terminal."""

from typing import Annotated

import typer

from armarium.accounts.model import Account, Identity, Permission
from armarium.accounts.rules import permissions_of
from armarium.accounts.service import Accounts
from armarium.core import clock
from armarium.core.services import Services
from armarium.languages import speech
from armarium.server.overview import CONTRIBUTIONS
from armarium.settings import Settings
from armarium.terminal.output import say, show_json, show_table
from armarium.terminal.session import Json, operator, session
from armarium.web.overview import Asked, Overview, Wrong, counted, gathered
from armarium.web.overview_schemas import told
from armarium.web.settings import WebSettings

NOBODY = 0  # the number of no account: whoever has a shell has no records and no in-tray of their own


def overview(
    context: typer.Context,
    account: Annotated[
        str, typer.Option(help="Whose overview. Default: all that there is to see, of nobody in particular.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Show what waits for somebody, what runs, and what went wrong in the last week."""
    with session(context).services() as services:
        zone = services.get(Settings)[WebSettings].time_zone
        asked = Asked(services, _identity(services, account), clock.now(), zone)
        found = gathered(CONTRIBUTIONS, asked, month=as_json)  # a table has no room for a month
    if as_json:
        show_json(told(found, asked).model_dump(mode="json"))
        return
    _show(found)


def _identity(services: Services, name: str) -> Identity:
    if name:
        person = services.get(Accounts).named(name)
        return Identity(person, permissions_of(person.roles))
    itself = operator().name
    person = Account(NOBODY, itself, itself, "", "", frozenset(), True, False, clock.now(), None)
    return Identity(person, frozenset(Permission))


def _show(found: Overview) -> None:
    waiting = ((counted(one.count), speech.say(one.title), one.href) for one in found.waiting)
    show_table(("Count", "What waits", "Where"), waiting, empty="Nothing waits.")
    say("")
    running = ((speech.say(one.title), one.about, one.told and speech.say(one.told)) for one in found.running)
    show_table(("What runs", "Which", "How far"), running, empty="Nothing runs.")
    say("")
    wrong = ((one.at, _titled(one), one.about, speech.say(one.advice)) for one in found.wrong)
    show_table(("When", "What went wrong", "Which", "What to do"), wrong, empty="Nothing went wrong.")
    for step in found.steps:
        if not step.done:
            say("")
            say(f"{speech.say(step.title)}. {speech.say(step.help)}")
            break
    for room in found.silent:
        say(f"{speech.say(room)} cannot say at the moment how it stands: the log says why.")


def _titled(one: Wrong) -> str:
    times = f" (× {counted(one.times)})" if one.times > 1 else ""
    return f"{speech.say(one.title)}{times}{', still' if one.still else ''}"
