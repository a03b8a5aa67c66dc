"""`armarium demo`."""

import os
import signal
import sys
import time
import webbrowser
from dataclasses import replace
from types import FrameType
from typing import Annotated

import typer
from rich.console import Console

from armarium.core.errors import Misconfigured, Refused
from armarium.core.message import message
from armarium.demo import closing
from armarium.demo.acts.reading import Example
from armarium.demo.build import build, build_by_hand, open_again
from armarium.demo.cast import new_password
from armarium.demo.folder import DemoFolder, DemoState, Facts, Ports
from armarium.demo.furnishing import furnish
from armarium.demo.living import LivingHouse, held, living, stop_database, wait_for_leftovers
from armarium.demo.ports import ORDINARY, Asked, again, called, chosen
from armarium.demo.stage import Stage, stage_for
from armarium.terminal.output import say

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
            _show(folder, asked, by_hand=by_hand, stay=stay, opens=open_browser)
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


def _show(folder: DemoFolder, asked: Asked, *, by_hand: bool, stay: bool, opens: bool) -> None:
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
    furnish(folder, facts.ports)
    with living(folder, facts.ports) as house:
        if known:
            open_again(stage, folder, house)
        else:
            facts = (build_by_hand if by_hand else build)(stage, folder, facts, house)
            folder.write(facts)
        closing.tell(console, folder, facts)
        if opens and _has_desktop(console):
            webbrowser.open(_first_address(facts))
        if stay:
            _stay(house)


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
    say("  The house stays open until you press Ctrl-C.")
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
