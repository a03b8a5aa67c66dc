"""The shift of the clock: for one process, once, and of dates alone."""

import subprocess
import sys

SHIFTED = """
import time
from datetime import UTC, datetime, timedelta
from armarium.core import clock
from armarium.harvest.engine.clock import steady_clock
clock.shift(timedelta(days=-30))
away = datetime.now(UTC) - clock.now()
assert timedelta(days=29, hours=23) < away < timedelta(days=30, hours=1), away
assert abs(steady_clock()() - time.time()) < 60
try:
    clock.shift(timedelta(days=1))
except ValueError:
    print("refused")
"""


def test_dates_move_and_pauses_do_not_and_only_once() -> None:
    done = subprocess.run([sys.executable, "-c", SHIFTED], capture_output=True, text=True, check=False)
    assert done.stdout == "refused\n", done.stderr
