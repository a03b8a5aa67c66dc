"""A library of made-up records, for the benchmarks of selection: written by COPY, in seconds."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import psycopg

COLLECTIONS, THEMES, PEOPLE = 20, 10, 40
SYLLABLES = (
    "lo",
    "mi",
    "bra",
    "ten",
    "sou",
    "ver",
    "ka",
    "pli",
    "dor",
    "né",
    "mus",
    "thé",
    "art",
    "gra",
    "pol",
)
BUDGETS = ("small", "small", "medium", "large")
FREQUENCIES = ("daily", "weekly", "monthly", "quarterly", "half-yearly", "annual", "annual", "once")
DEPTHS = ("page", "page+1", "page+2", "path", "host", "host", "domain")
LANGUAGES = ("fr", "fr", "fr", "en", "de", "")
STATES = ("validated", "validated", "validated", "proposed", "refused")
COLUMNS = (
    "collection, address, key, host, domain, title, theme, budget, frequency, depth, language, keywords, "
    "content_notes, technical_notes, state, state_reason, stated_at, stated_by, active, responsible, origin, "
    "created_at, created_by, modified_at, modified_by, harvested_at, harvested_job, harvested_objects, "
    "harvested_bytes, harvested_stop"
)
NOW = datetime(2026, 11, 16, tzinfo=UTC)
WORLD = (
    "INSERT INTO account (name, display_name, mail, language, roles, active, created_at) "
    "SELECT 'person' || n, 'Person ' || n, '', '', '{}', true, now() FROM generate_series(1, %s::int) n",
    "INSERT INTO selection_collection (name, budgets, frequencies, depths, default_budget, "
    "default_frequency, default_depth, created_at) SELECT 'Collection ' || n, '{small,medium,large}', "
    "'{daily,weekly,monthly,quarterly,half-yearly,annual,once}', '{page,page+1,page+2,path,host,domain}', "
    "'small', 'monthly', 'host', now() FROM generate_series(1, %s::int) n",
    "INSERT INTO selection_theme (collection, name, place) "
    "SELECT c.id, 'Theme ' || n, n FROM selection_collection c, generate_series(1, %s::int) n",
)
ASIDE = """
INSERT INTO selection_comment (record, at, author, text)
    SELECT id, now(), 'person1', 'Seen by reader ' || id FROM selection_record WHERE id % 50 = 1;
INSERT INTO selection_address (record, address, key)
    SELECT id, address || 'sitemap.xml', key || 'sitemap' FROM selection_record WHERE id % 50 = 2;
"""


def words(chance: random.Random, number: int) -> str:
    return " ".join("".join(chance.choices(SYLLABLES, k=2)) for _ in range(number))


def rows(number: int, themes: list[tuple[int, int]], people: list[int]) -> Iterator[tuple[object, ...]]:
    """One in ten was never harvested, one in twenty is not active, one in 25 is nobody's."""
    chance = random.Random(20261116)  # noqa: S311  (repeatable, not secret)
    for n in range(1, number + 1):
        theme, collection = chance.choice(themes)
        name = "".join(chance.choices(SYLLABLES[:9], k=2)) + str(n % (number // 5 + 1))
        person, harvested = chance.randrange(PEOPLE), n % 10 != 0
        objects = int(chance.paretovariate(0.7)) if harvested else None
        yield (
            *(collection, f"https://www.{name}.fr/{n}/", f"fr,{name})/{n}", f"www.{name}.fr", f"{name}.fr"),
            *(words(chance, 4).title(), theme, chance.choice(BUDGETS), chance.choice(FREQUENCIES)),
            *(chance.choice(DEPTHS), chance.choice(LANGUAGES), words(chance, 2).split(), words(chance, 30)),
            *(words(chance, 10) if n % 5 == 0 else "", chance.choice(STATES)),
            *(
                "Too large for us" if n % 11 == 0 else "",
                NOW - timedelta(minutes=5 * n),
                f"person{person + 1}",
            ),
            *(n % 20 != 0, people[person] if n % 25 else None, "import"),
            *(NOW - timedelta(minutes=10 * n), f"person{person + 1}"),
            *(NOW - timedelta(minutes=chance.randrange(500_000)), f"person{person + 1}"),
            *(NOW - timedelta(days=n % 400) if harvested else None, n % 900 if harvested else None),
            *(objects, objects * 40_000 if objects else None, "finished" if harvested else ""),
        )


def fill(url: str, number: int) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement, size in zip(WORLD, (PEOPLE, COLLECTIONS, THEMES), strict=True):
            connection.execute(statement, (size,))
        themes = connection.execute("SELECT id, collection FROM selection_theme ORDER BY id").fetchall()
        people = [row[0] for row in connection.execute("SELECT id FROM account ORDER BY id")]
        with connection.cursor().copy(f"COPY selection_record ({COLUMNS}) FROM STDIN") as copy:
            for row in rows(number, themes, people):
                copy.write_row(row)
        connection.execute(ASIDE)
        # As the database does by itself in the hours after so many changes.
        connection.execute("VACUUM ANALYZE")
