"""The line of progress says what keeps a crawl from going on."""

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from armarium.harvest.view import drawn, line

STATUS: dict[str, Any] = {
    "name": "x", "state": "running", "pause_reason": "", "seconds": 20, "objects": 0, "bytes": 0,
    "objects_per_second": 0.0, "bytes_per_second": 0, "queued": 1, "failed": 0, "finished": 0, "in_flight": 0,
    "queues_active": 1, "waiting": 0, "failing_seeds": {},
}  # fmt: skip
SEED = {"http://x.php/": "not resolved."}


@pytest.mark.parametrize(
    ("waiting", "seeds", "end"),
    [
        (0, {}, "0 failed"),
        (1200, {}, "0 failed, 1,200 to be tried again"),
        (1, SEED, "0 failed, 1 to be tried again (http://x.php/: not resolved.)"),
        (0, SEED, "0 failed, tried again (http://x.php/: not resolved.)"),
    ],
)
def test_what_failed_and_is_not_given_up_is_told(waiting: int, seeds: dict[str, str], end: str) -> None:
    status = STATUS | {"waiting": waiting, "failing_seeds": seeds}
    assert line(status).endswith(end)
    console = Console(width=120, file=StringIO())
    with console.capture() as shown:
        console.print(drawn(status))
    assert end.removeprefix("0 failed").removeprefix(", ") in shown.get()
