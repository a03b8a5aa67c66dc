"""`armarium overview`: the page after sign-in, in a terminal."""

from collections.abc import Sequence
from typing import Annotated

import typer

from armarium.access.overview import OVERVIEW as ACCESS
from armarium.accounts.model import Account, Identity, Permission
from armarium.accounts.rules import permissions_of
from armarium.accounts.service import Accounts
from armarium.administration.overview import OVERVIEW as ADMINISTRATION
from armarium.core import clock
from armarium.core.services import Services
from armarium.index.overview import OVERVIEW as INDEX
from armarium.languages import speech
from armarium.planning.overview import OVERVIEW as PLANNING
from armarium.selection.overview import OVERVIEW as SELECTION
from armarium.settings import Settings
from armarium.storage.overview import OVERVIEW as STORAGE
from armarium.terminal.output import say, show_json, show_table
from armarium.terminal.session import Json, operator, session
from armarium.terminal.tables import ago, harmless
from armarium.web.overview import Asked, Contribution, Overview, Wrong, counted, gathered
from armarium.web.overview_schemas import told
from armarium.web.settings import WebSettings

#: In the order of the sections of the site.
CONTRIBUTIONS: Sequence[Contribution] = (SELECTION, PLANNING, STORAGE, INDEX, ACCESS, ADMINISTRATION)


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
        found = gathered(CONTRIBUTIONS, asked, year=as_json)  # a table has no room for a year
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
    for one in found.wrong:
        say(f"{ago(one.at)}: {_titled(one)}")
        for line in filter(None, (one.about, speech.say(one.advice))):
            say(f"    {harmless(line)}")
    if not found.wrong:
        say("Nothing went wrong.")
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
