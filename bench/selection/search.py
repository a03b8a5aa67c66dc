"""The search of records, measured: how fast a page of them is found, counted and divided among 100,000.

    python -m bench.selection.search [--records 100000] [--rounds 10]

A PostgreSQL of its own is made in a temporary folder and removed at the end. There are 20 collections of 10
themes, 40 people, titles and notes made of syllables, one record in ten never harvested, one in fifty with a
comment or a further address. Each question is asked ten times: printed are the median of the whole answer (a
page of 50 records, their number and their division by nine facets) and of the page alone, and the time of the
CPU that all rounds took, PostgreSQL's included, per round.
"""

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median

import psutil

from armarium.db.database import Database
from armarium.db.embedded import running
from armarium.db.migrate import migrate
from armarium.selection.search.model import Question
from armarium.selection.search.service import Search
from bench.selection.library import fill

ROUNDS = 10
QUESTIONS = {
    "all": "",
    "text: a frequent word": "q=lomi",
    "text: two words": "q=lomi+brat",
    "text: in every record": "q=http",
    "text: two letters": "q=zi",
    "text: none": "q=bibliotheque",
    "title contains": "title=musthe",
    "title contains what is in all": "title=www",
    "address contains": "address=polka",
    "address begins": "begins=lomi1",
    "host": "host=www.lomi1.fr",
    "domain": "domain=lomi1.fr",
    "a collection": "collection=3",
    "three collections, validated": "collection=3&collection=4&collection=5&state=validated",
    "a theme": "theme=17",
    "budget large": "budget=large",
    "daily, of a host": "frequency=daily&depth=host",
    "refused, reason contains": "state=refused&reason=large",
    "inactive": "active=no",
    "mine": "responsible=me",
    "nobody's": "responsible=nobody",
    "somebody's": "responsible=person7",
    "language": "language=en",
    "keyword": "keyword=lomi",
    "notes on the content": "content_notes=polgra",
    "technical notes": "technical_notes=polgra",
    "origin": "origin=import",
    "made in a month": "created_from=2026-01-01&created_to=2026-01-31",
    "changed by": "modified_by=person9",
    "decided since": "decided_from=2026-10-01",
    "never harvested": "was_harvested=no",
    "harvested, objects": "objects_from=9000&objects_to=9100",
    "bytes": "bytes_from=390MB",
    "stop reason": "stop=finished",
    "of a job": "job=77",
    "with further addresses": "has_further=yes",
    "without comments": "has_comments=no",
    "comment contains": "comment=reader+51",
    "edition": "edition_from=2",
    **{
        f"all, by {one}": f"order={one}"
        for one in ("address", "title", "collection", "theme", "budget", "responsible", "-harvested", "bytes")
    },
}


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


def cpu_seconds(pid_file: Path) -> float:
    """Of this process and of all of PostgreSQL's."""
    server = psutil.Process(int(pid_file.read_text().split()[0]))
    spent = 0.0
    for one in (psutil.Process(), server, *server.children(recursive=True)):
        try:
            times = one.cpu_times()
        except psutil.NoSuchProcess:
            continue
        spent += times.user + times.system
    return spent


def ask(search: Search, label: str, query: str, pid_file: Path, rounds: int) -> float:
    question, me = Question.parse(query), 3
    whole, pages, total = [], [], 0
    before = cpu_seconds(pid_file)
    for _ in range(rounds):
        begun = time.perf_counter()
        total = search.found(question, me, limit=50).total
        whole.append((time.perf_counter() - begun) * 1000)
    cpu = (cpu_seconds(pid_file) - before) * 1000 / rounds
    for _ in range(rounds):
        begun = time.perf_counter()
        search.page(question, me, limit=50)
        pages.append((time.perf_counter() - begun) * 1000)
    times = f"whole {median(whole):6.1f} ms  page {median(pages):6.1f} ms  CPU {cpu:6.1f} ms"
    say(f"{label:32} {times}  {total:,}")
    return median(whole)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    chosen = parser.parse_args()
    wanted, rounds = chosen.records, chosen.rounds
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "home") as url:
        database = Database(url, application="bench")
        migrate(database)
        begun = time.perf_counter()
        fill(url, wanted)
        say(f"filled  {wanted:,} records in {time.perf_counter() - begun:.1f} s")
        search = Search(database)
        pid_file = Path(folder) / "home" / "postgres" / "postmaster.pid"
        slowest = max(
            (ask(search, label, query, pid_file, rounds), label) for label, query in QUESTIONS.items()
        )
        say(f"slowest: {slowest[1]}, {slowest[0]:.1f} ms")
        database.close()


if __name__ == "__main__":
    main()
