"""Ends a process at every step of storing a file, and of moving one aside, and looks what is left.

Run as a program of its own: it forks a process for every step, and must have no threads when it does. It
prints at how many steps it killed, and ends with an error if something was left that must not be.
"""

import hashlib
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import obstore

from armarium.storage.backends.opening import open_place
from armarium.storage.backends.place import Facts, Missing, Place
from armarium.storage.backends.transfer import Source
from armarium.storage.model import ReplicaKind
from tests.integration.storage.backends.worlds import ARCHIVE, CONTENT, Limits, limited, replica_of

STEPS: dict[object, tuple[str, ...]] = {
    os: ("open", "mkdir", "write", "fchmod", "fsync", "link", "posix_fadvise", "unlink", "close"),
    obstore: ("head", "get", "get_range", "put", "copy", "delete"),
    Source: ("_next",),
}
SUM = hashlib.sha256(CONTENT).hexdigest()
given: dict[str, Any] = json.loads(sys.argv[1])
SOURCE = Path(given["home"]) / "source"


def main() -> None:
    SOURCE.write_bytes(CONTENT)
    steps = {"puts": 0, "moves": 0}
    while killed(put, is_whole_or_absent, steps["puts"] + 1):
        steps["puts"] += 1
    while killed(move, is_somewhere, steps["moves"] + 1, before=put):
        steps["moves"] += 1
    sys.stdout.write(json.dumps(steps))


def killed(
    action: Callable[[str], None],
    left: Callable[[str], None],
    step: int,
    before: Callable[[str], None] | None = None,
) -> bool:
    """Be killed at this step, look what is left, do it again in peace. False: there is no such step."""
    name = f"{left.__name__.replace('_', '-')}-{step}"
    if before is not None:
        assert in_child(before, name) == 0
    ended = in_child(action, name, step)
    assert ended in (0, -signal.SIGKILL), ended

    def afterwards(name: str) -> None:
        left(name)
        action(name)
        left(name)

    assert in_child(afterwards, name) == 0
    return ended != 0


def in_child(action: Callable[[str], None], name: str, step: int = 0) -> int:
    child = os.fork()
    if child == 0:
        try:
            if step:
                arm(step)
            action(name)
        except BaseException:  # noqa: BLE001  # the outermost loop of this process
            traceback.print_exc()
            os._exit(3)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def arm(step: int) -> None:
    """Kill this process when it is about to take that step."""
    taken = count(1)

    def armed(original: Callable[..., Any]) -> Callable[..., Any]:
        def function(*args: Any, **kwargs: Any) -> Any:
            if next(taken) == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return original(*args, **kwargs)

        return function

    for owner, names in STEPS.items():
        for name in names:
            setattr(owner, name, armed(getattr(owner, name)))


def place() -> Place:
    replica = replica_of(ReplicaKind(given["kind"]), given["location"], **given["options"])
    opened = open_place(replica, home=Path(given["home"]), secrets=given["secrets"], archive=ARCHIVE)
    return limited(opened, Limits(**given["limits"]))


def put(name: str) -> None:
    place().put(Facts(name, len(CONTENT), SUM), SOURCE)


def move(name: str) -> None:
    with suppress(Missing):  # the one who was killed had come so far
        place().set_aside(name, sha256=SUM)


def is_whole_or_absent(name: str) -> None:
    here = place()
    if here.look(name) is not None:
        assert here.sums(name).sha256 == SUM


def is_somewhere(name: str) -> None:
    """Under its name or aside, but never nowhere."""
    here = place()
    medium = here.medium  # type: ignore[attr-defined]  # there is no way to what is aside, and shall be none
    aside = f"aside/{name}.{SUM[:16]}"
    under_name = here.look(name) is not None and here.sums(name).sha256 == SUM
    is_aside = medium.look(aside) is not None and medium.read(aside, 0, 2 * len(CONTENT)) == CONTENT
    assert under_name or is_aside


if __name__ == "__main__":
    main()
