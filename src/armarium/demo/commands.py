"""`armarium demo`."""

import os
import signal
import sys
import time
import webbrowser
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from types import FrameType
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from armarium.core.errors import Misconfigured, Refused
from armarium.core.message import message
from armarium.demo.acts.reading import Example
from armarium.demo.acts.year import Year
from armarium.demo.build import build, build_by_hand, open_again
from armarium.demo.calendar import MONTH, Calendar
from armarium.demo.cast import PEOPLE, new_password
from armarium.demo.folder import DemoFolder, DemoState, Facts, Ports
from armarium.demo.furnishing import furnish
from armarium.demo.living import LivingHouse, held, living, stop_database, wait_for_leftovers
from armarium.demo.ports import ORDINARY, Asked, again, called, chosen
from armarium.demo.stage import Stage, counted, size, stage_for
from armarium.terminal.output import say

# --- The end of the demonstration: what there is, where it is, who may enter, and what to try.


MARGIN = "  "


def tell(console: Console, folder: DemoFolder, facts: Facts) -> None:
    parts = _summary(facts), _addresses(facts), _people(facts), _suggestions(facts), _ending(folder)
    for line in chain.from_iterable(parts):
        # Addresses are never broken: a terminal makes links of them.
        console.print(Text(f"{MARGIN}{line}".rstrip()), soft_wrap=True)


def _summary(facts: Facts) -> Iterator[str]:
    yield ""
    if facts.state is DemoState.BY_HAND:
        yield "Everything is set up, and nothing is entered yet."
        yield ""
        return
    told = facts.figures
    yield (
        f"{counted(told['sites'], 'site')}, {counted(told['records'], 'record')}, "
        f"{counted(told['jobs'], 'job')}, {counted(told['captures'], 'capture')} "
        f"of {counted(told.get('months', 1), 'month')}, made in {counted(told['seconds'], 'second')}."
    )
    yield (
        f"{counted(told['files'], 'file')} ({size(told['bytes'])}) in 2 replicas; "
        f"de-duplication saved {size(told['saved'])}."
    )
    yield ""


def _addresses(facts: Facts) -> Iterator[str]:
    ports = facts.ports
    yield f"Staff site      http://localhost:{ports.staff}"
    yield f"Readers' site   http://localhost:{ports.readers}"
    yield f"The small web   http://localhost:{ports.web}"
    if facts.example:
        example = Example(**facts.example)
        yield ""
        yield "The same page, then and now"
        yield f"a month ago     {example.frame(ports.readers, example.first)}"
        yield f"today           {example.frame(ports.readers, example.second)}"
        yield f"live            {example.url}"
    yield ""


def _people(facts: Facts) -> Iterator[str]:
    width = max(len(person.name) for person in PEOPLE) + 2
    yield "Sign in as"
    for person in PEOPLE:
        yield f"{person.name:<{width}}{person.does}"
    yield ""
    yield f"Password of all of them: {facts.password}"


def _suggestions(facts: Facts) -> Iterator[str]:
    yield ""
    yield "Three things to try"
    if facts.state is DemoState.BY_HAND:
        yield "1. Sign in as librarian and add sites of the small web (Select)."
        yield "2. Sign in as curator and decide about the proposals (Inbox)."
        yield "3. Sign in as engineer and run a harvest (Plan)."
        return
    yield "1. Open the page of a month ago and go to the other date in its banner."
    yield "2. Sign in as curator: proposals wait in the inbox, and a reader's under Nominations."
    yield "3. Sign in as manager: the home page and the report show the whole year."


def _ending(folder: DemoFolder) -> Iterator[str]:
    yield ""
    yield f"All of it lies in {folder.path}; `{called('--clean')}` removes it."
    yield ""


# --- The command.


TITLE = "Armarium: the whole life of a page"
TEXT = "A small web is chosen, harvested, kept and read. Nothing leaves this machine."
DESKTOP = ("DISPLAY", "WAYLAND_DISPLAY")
INTERRUPTED = 130  # as shells say it
LOOK = 0.5  # seconds

Anew = Annotated[bool, typer.Option("--anew", help="Build it anew, whatever is there of it.")]
ByHand = Annotated[
    bool,
    typer.Option("--by-hand", help="Only the server, its people and the small web: the rest is left to you."),
]
Clean = Annotated[bool, typer.Option("--clean", help="Remove the demonstration, and do nothing else.")]
StaffPort = Annotated[
    int | None,
    typer.Option("--port", help="Port of the staff site. Default: 8000 if it is free.", min=1, max=65535),
]
ReadersPort = Annotated[
    int | None,
    typer.Option(
        "--readers-port", help="Port of the readers' site. Default: 8090 if it is free.", min=1, max=65535
    ),
]
WebPort = Annotated[
    int | None,
    typer.Option("--web-port", help="Port of the small web. Default: 8070 if it is free.", min=1, max=65535),
]
Months = Annotated[
    int, typer.Option(help="How many months of harvests it shows; 1 takes half a minute.", min=1, max=12)
]
Pictures = Annotated[
    bool,
    typer.Option("--pictures/--no-pictures", help="Whether sites are photographed, if there is a Chromium."),
]
Stay = Annotated[bool, typer.Option("--stay/--no-stay", help="Whether everything runs on until Ctrl-C.")]
Open = Annotated[
    bool, typer.Option("--open/--no-open", help="Whether a browser is opened at the end, on a desktop.")
]


def demo(
    context: typer.Context,
    anew: Anew = False,
    by_hand: ByHand = False,
    clean: Clean = False,
    port: StaffPort = None,
    readers_port: ReadersPort = None,
    web_port: WebPort = None,
    months: Months = 12,
    pictures: Pictures = True,
    stay: Stay = True,
    open_browser: Open = True,
) -> None:
    """Show the whole life of a page, from its choice to its reader, on a small web on this machine.

    The demonstration has a data folder of its own beside that of the archive, which it never touches. Run
    again, it opens what is there.
    """
    folder = DemoFolder.beside(context.find_root().params.get("home"), os.environ)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        with held(folder):
            _cleared(folder, everything=clean or anew, by_hand=by_hand)
            if clean:
                return say(f"There is no demonstration in {folder.path} any more.")
            asked = Asked(port, readers_port, web_port)
            year = None if by_hand else Year(months)
            _show(folder, asked, year, pictures=pictures, stay=stay, opens=open_browser)
    except KeyboardInterrupt:
        if _is_built(folder):
            say(f"The demonstration is closed. `{called()}` opens it again.")
            raise typer.Exit(0) from None
        say(f"The demonstration was interrupted. `{called()}` begins it anew.")
        raise typer.Exit(INTERRUPTED) from None
    except OSError as error:
        raise Misconfigured(_cannot_use(folder, error)) from error
    return None


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _cleared(folder: DemoFolder, *, everything: bool, by_hand: bool) -> None:
    """Without what an unfinished demonstration left, or without anything."""
    folder.refuse_foreign()
    wait_for_leftovers(folder)
    known = folder.facts()
    if by_hand and known and known.state is DemoState.BUILT and not everything:
        raise Refused(
            message(
                "There is a finished demonstration in %(path)s. To begin by hand in its place: %(command)s.",
                path=str(folder.path),
                command=called("--by-hand", "--anew"),
            )
        )
    if everything or known is None or known.state is DemoState.BUILDING:
        stop_database(folder)
        folder.remove()


def _show(
    folder: DemoFolder, asked: Asked, year: Year | None, *, pictures: bool, stay: bool, opens: bool
) -> None:
    """`year`: None: by hand."""
    console = Console(highlight=False)
    stage = stage_for(console)
    stage.title(TITLE, TEXT)
    known = folder.facts()
    if known:
        facts = replace(known, ports=again(known.ports, asked))
    else:
        facts = Facts(DemoState.BUILDING, chosen(asked), new_password())
    _say_other_ports(stage, facts.ports, asked, known.ports if known else ORDINARY)
    if known:
        folder.write(facts)
    else:
        folder.begin(facts)
        if year:  # before anybody looks at a clock
            Calendar(folder).turn(MONTH * year.months)
    furnish(folder, facts.ports, pictures=pictures)
    with living(folder, facts.ports) as house:
        if known:
            open_again(stage, folder, house)
        else:
            facts = _built(stage, folder, facts, house, year)
            folder.write(facts)
        tell(console, folder, facts)
        if opens and _has_desktop(console):
            webbrowser.open(_first_address(facts))
        if stay:
            _stay(house)


def _built(stage: Stage, folder: DemoFolder, facts: Facts, house: LivingHouse, year: Year | None) -> Facts:
    return build(stage, folder, facts, house, year) if year else build_by_hand(stage, folder, facts, house)


def _say_other_ports(stage: Stage, ports: Ports, asked: Asked, usual: Ports) -> None:
    """Where something is found that is not where it was, or is for most, and that nobody asked for."""
    for name, wished, port, wanted in (
        ("staff site", usual.staff, ports.staff, asked.staff),
        ("readers' site", usual.readers, ports.readers, asked.readers),
        ("small web", usual.web, ports.web, asked.web),
    ):
        if port not in (wished, wanted):
            stage.tell(f"Port {wished} is taken: the {name} is on port {port}.")


def _stay(house: LivingHouse) -> None:
    say("  Everything keeps running until you press Ctrl-C.")
    while True:
        house.check()
        time.sleep(LOOK)


def _has_desktop(console: Console) -> bool:
    return console.is_terminal and (sys.platform == "darwin" or any(map(os.environ.get, DESKTOP)))


def _first_address(facts: Facts) -> str:
    if not facts.example:
        return f"http://localhost:{facts.ports.staff}/"
    example = Example(**facts.example)
    return example.frame(facts.ports.readers, example.first)


def _is_built(folder: DemoFolder) -> bool:
    known = folder.facts()
    return known is not None and known.state is not DemoState.BUILDING


def _cannot_use(folder: DemoFolder, error: OSError) -> str:
    return str(
        message(
            "The demonstration cannot use %(path)s: %(reason)s (%(file)s). Make room on its disk, or choose "
            "another place with ARMARIUM_HOME, then run it again.",
            path=str(folder.path),
            reason=error.strerror or type(error).__name__,
            file=error.filename or "-",
        )
    )
