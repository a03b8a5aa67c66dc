"""Tells a result in the words and tables of docs/performance.md."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bench.load.measure import Stretch
from bench.load.table import answers, costs, number_of, table

if TYPE_CHECKING:
    from bench.load.__main__ import Result
    from bench.load.peer import Side

MEGABYTE = 1e6


def say(text: str = "") -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def tell(result: "Result") -> None:
    load, size = result.load, result.size
    say(f"\n{size.readers} readers, {size.librarians} librarians, 2 collectors, {load.seconds:.0f} s\n")
    say(f"Readers\n\n{answers(load.told['readers'])}\n")
    say(f"Librarians\n\n{answers(load.told['librarians'])}\n")
    say(f"CPU during the load\n\n{costs(load.spent, load.seconds)}\n")
    say(_per_request(load))
    say(f"The generator took {load.generator_share:.0%} of a core.\n")
    if result.calm:
        say(_collectors(result.calm, load))
    if result.rush:
        tell_rush(result.rush)
    if result.errors:
        say(f"\n{len(result.errors)} errors, the first of them:\n")
        for line in result.errors[:40]:
            say(f"  {line}")
    else:
        say("\nNo errors.")


def _per_request(load: Stretch) -> str:
    reading, office = (number_of(load.told[who]) for who in ("readers", "librarians"))
    access, web = load.spent.get("access", 0.0), load.spent.get("web", 0.0)
    return (
        f"Readers: {reading / load.seconds:.0f} requests/s, {access / reading * 1000:.2f} ms CPU each. "
        f"Librarians: {office / load.seconds:.1f} requests/s, {web / max(1, office) * 1000:.1f} ms CPU of "
        "the web process each, uploads included."
    )


def _collectors(calm: Stretch, load: Stretch) -> str:
    lines = [
        [
            name,
            f"{one.captures / one.seconds:.0f}",
            f"{one.stored_bytes / MEGABYTE / one.seconds:.2f}",
            f"{one.spent.get('collectors', 0) / max(1, one.captures) * 1000:.2f}",
        ]
        for name, one in (("alone", calm), ("under load", load))
    ]
    share = (load.captures / load.seconds) / max(1e-9, calm.captures / calm.seconds)
    heads = ("collectors", "captures/s", "MB stored/s", "CPU ms for a capture")
    return f"{table(heads, lines)}\n\nUnder load collectors bring {share:.0%} of what they bring alone.\n"


def tell_rush(rush: Stretch) -> None:
    reading, sent = number_of(rush.told["readers"]), rush.told["readers"]["bytes"] / MEGABYTE
    say("Readers without a pause, collectors at work, no librarians: an upper bound\n")
    say(answers(rush.told["readers"]))
    say(
        f"\n{reading / rush.seconds:.0f} requests/s, {sent / rush.seconds:.1f} MB/s, "
        f"{rush.spent.get('access', 0) / reading * 1000:.2f} ms CPU each; the generator took "
        f"{rush.generator_share:.0%} of a core.\n"
    )


def tell_peer(sides: "Sequence[Side]") -> None:
    say("\nReaders alone, one program after the other, the same pages and pauses\n")
    heads = (
        "program",
        "requests",
        "errors",
        "page p50, p99 ms",
        "all p50, p99 ms",
        "CPU ms each",
        "CPU s for a page with its parts",
    )
    say(table(heads, (one.cells() for one in sides)))
    if len(sides) == 2:
        ours, theirs = sides
        say(
            f"\nRatios: CPU for each request {theirs.cpu_each / ours.cpu_each:.1f} ×, "
            f"p99 of pages {_ratio(ours.page.p99, theirs.page.p99)}, "
            f"of all {_ratio(ours.all.p99, theirs.all.p99)}."
        )
        for word in theirs.words[:5]:
            say(f"  {theirs.name}: {word}")


def _ratio(ours: float, theirs: float) -> str:
    return f"{ours / theirs:.2f}" if theirs else "–"
