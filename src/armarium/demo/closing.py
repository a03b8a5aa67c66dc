"""The end of the demonstration: what there is, where it is, who may enter, and what to try."""

from collections.abc import Iterator
from itertools import chain

from rich.console import Console
from rich.text import Text

from armarium.demo.acts.reading import Example
from armarium.demo.cast import PEOPLE
from armarium.demo.folder import DemoFolder, DemoState, Facts
from armarium.demo.ports import called
from armarium.demo.stage import counted, size

MARGIN = "  "


def tell(console: Console, folder: DemoFolder, facts: Facts) -> None:
    parts = _summary(facts), _addresses(facts), _people(facts), _suggestions(facts), _ending(folder)
    for line in chain.from_iterable(parts):
        # Addresses are never broken: a terminal makes links of them.
        console.print(Text(f"{MARGIN}{line}".rstrip()), soft_wrap=True)


def _summary(facts: Facts) -> Iterator[str]:
    yield ""
    if facts.state is DemoState.BY_HAND:
        yield "The house is furnished, and nothing is entered yet."
        yield ""
        return
    told = facts.figures
    yield (
        f"{counted(told['sites'], 'site')}, {counted(told['records'], 'record')}, "
        f"{counted(told['jobs'], 'job')}, {counted(told['captures'], 'capture')}, "
        f"in {counted(told['seconds'], 'second')}."
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
        yield "1. Sign in as librarian, and enter addresses of the small web (Selection)."
        yield "2. Sign in as curator, and decide about what was proposed (In-tray)."
        yield "3. Sign in as engineer, and run a harvest (Planning)."
        return
    yield "1. Open the page of a month ago, and go to the other date in its banner."
    yield "2. Sign in as curator: proposals wait in the in-tray, and a reader's under Nominations."
    yield "3. Sign in as engineer: look at a job, its log, and where its files lie."


def _ending(folder: DemoFolder) -> Iterator[str]:
    yield ""
    yield f"All of it lies in {folder.path}; `{called('--clean')}` removes it."
    yield ""
