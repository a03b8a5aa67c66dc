"""Domains, measured: how fast a file of them is taken in, and how fast they are found among millions.

    python -m bench.planning.domains [--domains 4000000]

A PostgreSQL of its own is made in a temporary folder and removed at the end. The names are made of syllables,
with the top-level domains of a national library's list; one in ten was never harvested, one in a thousand is
inactive, has traps, is an alias or has a comment.
"""

import argparse
import random
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import psycopg
from sqlalchemy import text

from armarium.accounts.vault import Vault, VaultSettings
from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.db.embedded import running
from armarium.planning.domains.model import AliasFilter, DomainFilter, Total
from armarium.planning.domains.service import Domains
from armarium.planning.tasks import TASKS
from armarium.server.database import prepare_database
from armarium.tasks.kinds import TaskKinds
from armarium.tasks.service import Tasks

AT_ONCE = 1_000_000
ROUNDS = 10
SYLLABLES = [
    f"{a}{b}{c}" for a in "bcdfglmnprstv" for b in "aeio" for c in ("", "n", "r", "s", "l", "x", "t")
]
SUFFIXES = ["fr"] * 50 + ["com"] * 20 + ["org"] * 8 + ["net"] * 6 + ["de"] * 4 + ["asso.fr"] * 2 + ["re"] * 2
SUFFIXES += ["gouv.fr", "museum", "io", "paris", "bzh", "co.uk", "eu", "info"]

RARITIES = (
    "UPDATE domain SET active = false WHERE id % 1000 = 1",
    "UPDATE domain SET traps = ARRAY['calendar'] WHERE id % 1000 = 2",
    "UPDATE domain SET alias_of = id + 1, alias_since = now() - (id % 700) * interval '1 day' "
    "WHERE id % 1000 = 3 AND id < (SELECT max(id) FROM domain)",
    "UPDATE domain SET comments = 'Reported by reader ' || id || ' of the library' WHERE id % 1000 = 4",
    "UPDATE domain SET captured_at = now() WHERE id % 10 <> 0",
)
SEARCHES = {
    "all": DomainFilter(),
    "lib*": DomainFilter("lib*"),
    "*.fr": DomainFilter("*.fr"),
    "*.museum": DomainFilter("*.museum"),
    "*.gouv.fr": DomainFilter("*.gouv.fr"),
    "lib*.fr": DomainFilter("lib*.fr"),
    "*x.fr": DomainFilter("*x.fr"),
    "*-*.fr": DomainFilter("*-*.fr"),
    "b*-*lom*": DomainFilter("b*-*lom*"),
    "l??e.fr": DomainFilter("l??e.fr"),
    "part: lib": DomainFilter("lib"),
    "part: tin (frequent)": DomainFilter("tin"),
    "part: bibliotheque (none)": DomainFilter("bibliotheque"),
    "part: co.uk": DomainFilter("co.uk"),
    "part: mox, TLD com": DomainFilter("mox", tld="com"),
    "TLD com, active": DomainFilter(tld="com", active=True),
    "inactive": DomainFilter(active=False),
    "inactive, part: mo.f": DomainFilter("mo.f", active=False),
    "with traps": DomainFilter(traps=True),
    "with traps, *.fr": DomainFilter("*.fr", traps=True),
    "no traps, TLD museum": DomainFilter(tld="museum", traps=False),
    "live aliases": DomainFilter(alias=AliasFilter.LIVE),
    "expired aliases, TLD re": DomainFilter(tld="re", alias=AliasFilter.EXPIRED),
    "no alias": DomainFilter(alias=AliasFilter.NONE),
    "never harvested": DomainFilter(never_harvested=True),
    "never harvested, TLD museum": DomainFilter(tld="museum", never_harvested=True),
    "never harvested, TLD fr": DomainFilter(tld="fr", never_harvested=True),
    "never harvested, lib*": DomainFilter("lib*", never_harvested=True),
    "never harvested, part: tin": DomainFilter("tin", never_harvested=True),
    "comment: reader 4004": DomainFilter(comment="reader 4004"),
    "comment: library": DomainFilter(comment="library"),
    "comment: library, *.fr, inactive": DomainFilter("*.fr", active=False, comment="library"),
}


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


def names() -> Iterator[str]:
    """Names without end, none twice."""
    chance = random.Random(20261115)  # noqa: S311  (repeatable, not secret)
    seen: set[str] = set()
    while True:
        name = "".join(chance.choices(SYLLABLES, k=chance.randint(2, 5)))
        if chance.random() < 0.3:
            name += "-" + "".join(chance.choices(SYLLABLES, k=2))
        if chance.random() < 0.2:
            name += str(chance.randint(1, 999))
        name = f"{name}.{chance.choice(SUFFIXES)}"
        if name not in seen:
            seen.add(name)
            yield name


def memory(name: str) -> int:
    """A figure of this process, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) >> 10 for line in lines if line.startswith(name))


def take_in(domains: Domains, folder: Path, wanted: int) -> None:
    given, file = names(), folder / "names.txt"
    for place in range(0, wanted, AT_ONCE):
        file.write_text("\n".join(islice(given, min(AT_ONCE, wanted - place))) + "\n")
        before, begun, used = memory("VmRSS"), time.perf_counter(), time.process_time()
        Path("/proc/self/clear_refs").write_text("5")  # forgets the highest so far (proc(5))
        with file.open(encoding="utf-8") as lines:
            done = domains.imports.run(SYSTEM, file.name, lines)
        seconds, used = time.perf_counter() - begun, time.process_time() - used
        grown = memory("VmHWM") - before
        say(
            f"import  {done.created:>9,} domains  {seconds:6.1f} s  {done.created / seconds:8,.0f} a second  "
            f"{used:6.1f} s CPU of this process, {grown} MB more than before"
        )
    begun = time.perf_counter()
    with file.open(encoding="utf-8") as lines:
        again = domains.imports.run(SYSTEM, file.name, lines)
    say(f"again   {again.known:>9,} known    {time.perf_counter() - begun:6.1f} s  created {again.created}")


def make_rare(database: Database, url: str) -> None:
    with database.transaction() as connection:
        for statement in RARITIES:
            connection.execute(text(statement))
    # As the database does by itself in the hours after so many changes.
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE domain, configuration")


def look_for(domains: Domains) -> None:
    for label, wanted in SEARCHES.items():
        times, total = [], Total(0)
        for _ in range(ROUNDS):
            begun = time.perf_counter()
            _, total = domains.search(wanted, limit=50)
            times.append((time.perf_counter() - begun) * 1000)
        count = f"{'> ' if total.more else ''}{total.number:,}"
        middle = sorted(times)[ROUNDS // 2]
        say(f"search  {label:34} first {times[0]:7.1f} ms  usual {middle:7.1f} ms  {count}")
    begun = time.perf_counter()
    found = domains.statistics()
    say(f"statistics of {len(found)} top-level domains  {time.perf_counter() - begun:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--domains", type=int, default=4_000_000)
    wanted = parser.parse_args().domains
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "home") as url:
        database = Database(url, application="bench")
        prepare_database(database)
        domains = Domains(database, Vault(VaultSettings(), Path(folder)), Tasks(database, TaskKinds(TASKS)))
        take_in(domains, Path(folder), wanted)
        make_rare(database, url)
        look_for(domains)
        database.close()


if __name__ == "__main__":
    main()
