"""A clock that follows another one: for one process, once, and of dates alone."""

import re
import subprocess
import sys
from pathlib import Path

import armarium

SHIFTED = """
import time
from datetime import UTC, datetime, timedelta
from armarium.core import clock
from armarium.harvest.crawl import steady_clock
clock.follow(lambda: timedelta(days=-30))
away = datetime.now(UTC) - clock.now()
assert timedelta(days=29, hours=23) < away < timedelta(days=30, hours=1), away
assert abs(steady_clock()() - time.time()) < 60
try:
    clock.follow(lambda: timedelta(days=1))
except ValueError:
    print("refused")
"""


def test_dates_move_and_pauses_do_not_and_only_once() -> None:
    done = subprocess.run([sys.executable, "-c", SHIFTED], capture_output=True, text=True, check=False)
    assert done.stdout == "refused\n", done.stderr


def test_only_the_demonstration_sets_it_back_and_only_its_collector_starts_its_crawler() -> None:
    theirs = {"core/clock.py", "demo/calendar.py", "demo/engine.py"}
    assert naming(r"clock\.follow|clock import .*follow|_Shift\b") == theirs
    followers = {"demo/build.py", "demo/collector.py", "demo/engine.py", "demo/house.py"}
    assert naming(r"[Cc]alendar.*\.follow\(") == followers
    assert naming(r"demo\.engine\"") == {"demo/collector.py"}
    assert naming(r"demo\.collector\"") == {"demo/house.py"}


def naming(pattern: str) -> set[str]:
    source = Path(armarium.__file__).parent
    found = (path for path in source.rglob("*.py") if re.search(pattern, path.read_text("utf-8")))
    return {str(path.relative_to(source)) for path in found}
