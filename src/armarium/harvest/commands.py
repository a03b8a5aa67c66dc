"""`armarium crawl` and `armarium harvest …`: a crawl without any server, and talking to one that runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armarium.core.errors import Refused
from armarium.core.late import late
from armarium.harvest.engine.control import Caller
from armarium.harvest.engine.engine import End
from armarium.harvest.folder import CrawlFolder
from armarium.harvest.options import (
    Connections,
    Contact,
    Delay,
    Given,
    MaxBytes,
    MaxHops,
    MaxObjects,
    MaxSeconds,
    Out,
    Processes,
    Profile,
    Quiet,
    Resume,
    Robots,
    Scope,
    Seeds,
    Urls,
    options_of,
)
from armarium.harvest.running import Wishes, run_crawl
from armarium.harvest.seeds import NoSeeds
from armarium.terminal.groups import group
from armarium.terminal.output import complain, say, show_facts, show_json, show_table
from armarium.terminal.session import Json

if TYPE_CHECKING:
    from armarium.harvest.why import no_harvest, why
else:
    no_harvest, why = late("armarium.harvest.why:no_harvest"), late("armarium.harvest.why:why")

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a crawl.")]

harvest_commands = group(
    "Harvests: see and steer a crawl that runs, and ask why an address was taken or not.\n\n"
    "DIR is the folder that `armarium crawl --out` was given.",
)


def crawl(
    urls: Urls = None,
    *,
    out: Out,
    seeds: Seeds = None,
    scope: Scope = None,
    max_objects: MaxObjects = None,
    max_bytes: MaxBytes = None,
    max_seconds: MaxSeconds = None,
    max_hops: MaxHops = None,
    delay: Delay = None,
    robots: Robots = None,
    connections: Connections = None,
    contact: Contact = None,
    profile: Profile = None,
    processes: Processes = None,
    resume: Resume = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Harvest web sites into WARC files, without any server.

    Leaves in DIR: warcs/*.warc.gz, logs/crawl.log and the reports as Heritrix writes them, summary.json.
    Interrupted by Ctrl-C, or killed, it goes on with --resume; nothing that was recorded is lost.

    Example: armarium crawl https://www.example.org/ --out example --max-objects 1000
    """
    limits = {"max_objects": max_objects, "max_bytes": max_bytes, "max_seconds": max_seconds}
    options = options_of(
        scope=scope,
        max_hops=max_hops,
        limits=limits,
        delay=delay,
        robots=robots,
        connections=connections,
        contact=contact,
    )
    given = Given(urls or [], seeds or [], profile, options)
    wishes = Wishes(quiet=quiet or as_json, processes=processes)
    try:
        summary = _crawl(CrawlFolder(out), given, wishes, resume=resume)
    except NoSeeds as error:
        complain(str(error))
        raise typer.Exit(2) from None
    if as_json:
        show_json(summary)
    elif not quiet:
        _show_summary(summary, out)
    crawled = any(seed["result"] == "crawled" for seed in summary["seeds"])
    if summary["status"] == End.INTERRUPTED:
        raise typer.Exit(1)
    if not crawled:
        complain(no_harvest(summary["seeds"]))
        raise typer.Exit(1)


def _crawl(folder: CrawlFolder, given: Given, wishes: Wishes, *, resume: bool) -> dict[str, Any]:
    if resume:
        if given.anything:
            raise Refused(
                "--resume goes on with the order in the folder: it takes no seeds and no options of it."
            )
        return run_crawl(folder, folder.read_order(), wishes)
    if folder.begun:
        raise Refused(
            f"{folder.root} holds a crawl already. Go on with it: armarium crawl --resume --out {folder.root}"
        )
    return run_crawl(folder, given.order(), wishes)


def _show_summary(summary: dict[str, Any], out: Path) -> None:
    counts = summary["counts"]
    show_facts(
        {
            "status": summary["status"],
            "captured": f"{counts['succeeded']:,}",
            "failed": f"{counts['failed']:,}",
            "left out": f"{counts['disregarded']:,}",
            "received": f"{summary['bytes']['received']:,} bytes",
            "WARC files": len(summary["files"]),
            "folder": out,
        }
    )
    if summary["status"] == End.INTERRUPTED:
        say(f"It is not complete. Go on with: armarium crawl --resume --out {out}")


# A crawl that runs ---------------------------------------------------------------------------------------


def _ask(folder: Path, verb: str, **facts: object) -> dict[str, Any]:
    place = CrawlFolder(folder)
    if not place.begun:
        place.read_order()  # says what is wrong with the folder
    return Caller(place.control_file).ask(verb, **facts)


def _tell(folder: Path, verb: str, sentence: str, *, as_json: bool, **facts: object) -> None:
    answer = _ask(folder, verb, **facts)
    if as_json:
        show_json(answer)
    else:
        say(sentence.format(**answer))


@harvest_commands.command()
def status(folder: Folder, as_json: Json = False) -> None:
    """Show what a crawl is doing: counts, rates, what is left."""
    answer = _ask(folder, "status")
    if as_json:
        show_json(answer)
    else:
        show_facts({name: value for name, value in answer.items() if not isinstance(value, list | dict)})


@harvest_commands.command()
def pause(folder: Folder, as_json: Json = False) -> None:
    """Begin no new download; those under way come to their end. The crawl stays and waits."""
    _tell(folder, "pause", "The crawl is paused.", as_json=as_json)


@harvest_commands.command("resume")
def resume_crawl(folder: Folder, as_json: Json = False) -> None:
    """Go on with a crawl that was paused."""
    _tell(folder, "resume", "The crawl goes on.", as_json=as_json)


@harvest_commands.command()
def terminate(folder: Folder, as_json: Json = False) -> None:
    """End a crawl for good: reports are written, and what is still queued stays unfetched."""
    _tell(folder, "terminate", "The crawl ends.", as_json=as_json)


@harvest_commands.command()
def checkpoint(folder: Folder, as_json: Json = False) -> None:
    """Keep a copy of the crawl's state, and begin a new WARC file."""
    _tell(folder, "checkpoint", "The checkpoint is in {folder}.", as_json=as_json)


@harvest_commands.command("filter")
def add_filter(
    folder: Folder,
    pattern: Annotated[str, typer.Argument(metavar="PATTERN", help="A regular expression.")],
    accept: Annotated[bool, typer.Option("--accept", help="Let in what it finds.")] = False,
    domain: Annotated[str, typer.Option(help="Only for this domain or host.")] = "",
    preview: Annotated[bool, typer.Option("--preview", help="Only count what it would take out.")] = False,
    as_json: Json = False,
) -> None:
    """Keep addresses out (or let them in) from now on; those that are queued are taken out."""
    answer = _ask(folder, "filter", pattern=pattern, accept=accept, domain=domain, preview=preview)
    if as_json:
        show_json(answer)
    elif preview:
        say(f"{answer['queued']:,} queued addresses would be taken out.")
        for sample in answer["samples"]:
            say(f"  {sample}")
    else:
        say(f"The filter holds. {answer['queued']:,} queued addresses were taken out.")


@harvest_commands.command()
def budget(
    folder: Folder,
    queue: Annotated[str, typer.Argument(metavar="QUEUE", help="A queue; * stands for anything.")],
    objects: Annotated[int | None, typer.Option(min=-1, metavar="N", help="-1: no limit.")] = None,
    max_bytes: Annotated[int | None, typer.Option("--bytes", min=-1, metavar="N")] = None,
    as_json: Json = False,
) -> None:
    """Change how much may be taken from a queue; one that had spent all comes back."""
    if objects is None and max_bytes is None:
        raise Refused("Say what the budget is to be: --objects N, --bytes N, or both.")
    said = "{queues} queues have the new budget."
    _tell(folder, "budget", said, as_json=as_json, queue=queue, objects=objects, bytes=max_bytes)


@harvest_commands.command()
def pace(
    folder: Folder,
    delay: Annotated[float, typer.Argument(min=0, metavar="SECONDS")],
    as_json: Json = False,
) -> None:
    """Change the pause between two downloads from one server."""
    facts = {"delay_factor": 0.0, "min_delay": delay, "max_delay": delay, "server_min_delay": delay}
    said = "The pause is now {min_delay} seconds."
    _tell(folder, "pace", said, as_json=as_json, **facts)


@harvest_commands.command()
def queues(
    folder: Folder,
    most: Annotated[int, typer.Option("--most", "-n", min=1, metavar="N", help="How many.")] = 20,
    as_json: Json = False,
) -> None:
    """Show the biggest queues: what is left, what was spent, what they wait for."""
    found = _ask(folder, "queues", most=most)["queues"]
    if as_json:
        show_json(found)
        return
    columns = (
        "queue",
        "state",
        "queued",
        "waiting",
        "objects",
        "max_objects",
        "bytes",
        "max_bytes",
        "server",
    )
    rows = [[one.get(column) for column in columns] for one in found]
    show_table(columns, rows, empty="There is no queue yet.")


@harvest_commands.command()
def blocked(folder: Folder, as_json: Json = False) -> None:
    """Show servers that seem to keep us out: they are tried seldom."""
    found = _ask(folder, "blocked")["servers"]
    if as_json:
        show_json(found)
        return
    columns = ("address", "refusals", "last_status")
    rows = [[one.get(column) for column in columns] for one in found]
    show_table(columns, rows, empty="No server keeps us out.")


@harvest_commands.command("why")
def explain(
    url: Annotated[str, typer.Argument(metavar="URL")],
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of a crawl. Default: this one.")
    ] = Path(),
    as_json: Json = False,
) -> None:
    """Show why an address was harvested, or why not: how it was found, and what each rule of the scope says.

    Exit code 1: it is out of scope.
    """
    answer = why(folder, url)
    decided = next(said for said in answer.rules if said.decides)
    if as_json:
        fate = answer.fate._asdict() if answer.fate else None
        said = [one._asdict() for one in answer.rules]
        show_json({"url": answer.url, "sentence": answer.sentence, "fate": fate, "rules": said})
    else:
        say(answer.sentence)
        say(str(answer.rules))
    if decided.verdict != "in":
        raise typer.Exit(1)


@harvest_commands.command()
def traps(folder: Folder, as_json: Json = False) -> None:
    """Show what looks like a trap, with the filter against it."""
    found = _ask(folder, "traps")["traps"]
    if as_json:
        show_json(found)
        return
    for one in found:
        say(f"{one['host']}: {one['kind']}. {one['evidence']}")
        say(f"  {one['filter']}")
    if not found:
        say("Nothing looks like a trap.")
