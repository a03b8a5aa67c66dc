"""The demonstration from its beginning to its end, act after act."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from armarium.demo.acts.harvesting import Brought, compare, harvest, harvest_now, refuse_failures, told
from armarium.demo.acts.keeping import Kept, audit, keep, show_kept
from armarium.demo.acts.reading import open_doors, read
from armarium.demo.acts.selecting import Share, decide, enter, nominate, transfer
from armarium.demo.acts.settling_in import World, settle_in
from armarium.demo.acts.year import Year, live, weeks_between
from armarium.demo.calendar import MONTH, Calendar
from armarium.demo.folder import DemoFolder, DemoState, Facts
from armarium.demo.living import LivingHouse
from armarium.demo.stage import Stage, Step, counted, size
from armarium.demo.web import SITES, Edition, Youth, write_edition, write_youth
from armarium.server.assembly import visited
from armarium.server.sections import SECTIONS
from armarium.settings import load
from armarium.settings.section import HOME

A_MONTH_PASSES = "A month passes on the small web. The same sites are harvested again."
SET_BACK = "(Nobody waits: until now the clock of the demonstration was set back.)"
A_YEAR_AGO = "The year before, in short:"
A_MONTH_AGO = "A month ago, in full:"
NOMINATED = "A new site has opened meanwhile; a reader nominates it."


def build(stage: Stage, folder: DemoFolder, facts: Facts, living: LivingHouse, year: Year) -> Facts:
    """All of it; what a later start and the summary have to know."""
    began = time.monotonic()
    with settled(stage, folder, facts, living) as world:
        write_edition(folder.web, Edition.FIRST)
        jobs = _earlier(stage, world, year)
        world.calendar.turn(MONTH)
        write_youth(folder.web, Youth())
        _select(stage, world, year.share(1))
        with stage.steps("First harvest", "Storage", "Index") as steps:
            jobs += _first_round(world, *steps)
        jobs += weeks_between(stage, world, year)
        world.calendar.end()
        stage.tell(A_MONTH_PASSES, SET_BACK, NOMINATED)
        write_edition(folder.web, Edition.SECOND)
        nominate(world)
        with stage.steps("Second harvest", "Storage", "Index") as steps:
            second, kept = _second_round(world, *steps)
        with stage.step("De-duplication") as step:
            step.end(f"{counted(kept.revisits, 'capture')} not stored again: {size(kept.saved)} saved")
        with stage.step("Audit") as step:
            audit(world, step)
        with stage.step("Comparison") as step:
            had, found = compare(world, step)
        with stage.step("Reading") as step:
            example = read(world, step)
    figures = {
        "sites": len(SITES),
        "records": world.records,
        "addresses": had,
        "brought": found,
        "jobs": jobs + second.jobs,
        "months": year.months,
        **vars(kept),
        "seconds": round(time.monotonic() - began),
    }
    return replace(facts, state=DemoState.BUILT, figures=figures, example=example.facts())


def build_by_hand(stage: Stage, folder: DemoFolder, facts: Facts, living: LivingHouse) -> Facts:
    """The house with its people and collections, in which nothing was entered."""
    with settled(stage, folder, facts, living) as world:
        open_doors(world)
    return replace(facts, state=DemoState.BY_HAND, figures={"sites": len(SITES)})


@contextmanager
def settled(stage: Stage, folder: DemoFolder, facts: Facts, living: LivingHouse) -> Iterator[World]:
    """The house, running, with its people. They come while it still opens its doors."""
    with stage.step("Database") as step:
        living.wait_for_children()
        step.end("PostgreSQL, in a folder of its own")
    settings = load(SECTIONS, environ={HOME: str(folder.path)})
    calendar = Calendar(folder)
    calendar.follow()
    with visited(settings, application="armarium demo") as house:
        world = World(folder, facts.ports, living, house.services(), calendar)
        with stage.step("People") as step:
            settle_in(world, facts.password, step)
        with stage.step("A small web") as step:
            step.show("its pictures are drawn")
            living.wait_for_web()
            step.end(f"{counted(len(SITES), 'site')}, served by this machine and for it only")
        with stage.step("Services") as step:
            _open_house(living, step)
        yield world


def open_again(stage: Stage, folder: DemoFolder, living: LivingHouse) -> None:
    """What was built before."""
    stage.tell(f"There is a demonstration in {folder.path}: it is opened again.")
    with stage.step("Services") as step:
        living.wait_for_web()
        _open_house(living, step)


def _open_house(living: LivingHouse, step: Step) -> None:
    living.wait_for_staff()
    living.wait_for_readers()
    step.end("staff site, readers' site, worker, 2 collectors")


def _earlier(stage: Stage, world: World, year: Year) -> int:
    if year.months == 1:
        return 0
    stage.tell(A_YEAR_AGO)
    jobs = live(stage, world, year)
    stage.tell(A_MONTH_AGO)
    return jobs


def _select(stage: Stage, world: World, share: Share) -> None:
    with stage.step("Selection") as step:
        enter(world, step, share)
    with stage.step("Decisions") as step:
        decide(world, step)
    with stage.step("Transfer") as step:
        transfer(world, step)


def _first_round(world: World, crawling: Step, storing: Step, indexing: Step) -> int:
    """Files are stored and indexed as they come, while other jobs still run. How many jobs it had."""
    runs = harvest_now(world, crawling, lambda: show_kept(world, storing, indexing))
    refuse_failures(runs)
    jobs = told(world, runs, crawling).jobs
    keep(world, storing, indexing)
    return jobs


def _second_round(world: World, crawling: Step, storing: Step, indexing: Step) -> tuple[Brought, Kept]:
    """By its schedule, as it will go on."""
    brought = harvest(world, crawling, lambda: show_kept(world, storing, indexing))
    return brought, keep(world, storing, indexing)
