"""All kinds of task that the house knows, checked once when it is put together."""

import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from armarium.tasks.model import TaskKind

NAME = re.compile(r"[a-z][a-z0-9]*([._-][a-z0-9]+)*")
NAME_LENGTH = 128  # of procrastinate's column


class TaskKinds:
    def __init__(self, kinds: Iterable[TaskKind]) -> None:
        self._kinds = _checked(kinds)

    def __iter__(self) -> Iterator[TaskKind]:
        return iter(self._kinds.values())

    def __contains__(self, name: str) -> bool:
        return name in self._kinds

    def __getitem__(self, name: str) -> TaskKind:
        try:
            return self._kinds[name]
        except KeyError:
            known = ", ".join(sorted(self._kinds)) or "none"
            raise LookupError(f"There is no kind of task named {name!r}; known are: {known}.") from None

    def check(self, name: str, arguments: Mapping[str, object]) -> None:
        """Refuse at once what would otherwise fail in a worker, hours later and far from its cause."""
        kind = self[name]
        try:
            inspect.signature(kind.run).bind(None, **arguments)
        except TypeError as mismatch:
            raise TypeError(f"Task {name} cannot be called with {sorted(arguments)}: {mismatch}") from None
        try:
            same = json.loads(json.dumps(arguments, allow_nan=False)) == dict(arguments)
        except (TypeError, ValueError) as unfit:
            raise TypeError(f"The arguments of task {name} cannot be kept as JSON: {unfit}") from None
        if not same:  # tuples become lists, numbers as keys become texts: the task would be surprised
            raise TypeError(f"The arguments of task {name} do not survive being kept as JSON.")


class LateTaskKinds(TaskKinds):
    """Those that are gathered when somebody first asks for one: most commands never do."""

    def __init__(self, gather: Callable[[], Iterable[TaskKind]]) -> None:
        self._gather = gather

    @cached_property
    def _kinds(self) -> dict[str, TaskKind]:  # type: ignore[override]
        return _checked(self._gather())


def _checked(kinds: Iterable[TaskKind]) -> dict[str, TaskKind]:
    found: dict[str, TaskKind] = {}
    for kind in kinds:
        if not NAME.fullmatch(kind.name) or len(kind.name) > NAME_LENGTH:
            raise ValueError(f"{kind.name!r} cannot name a kind of task: write it as room.verb.")
        if kind.name in found:
            raise ValueError(f"Two kinds of task are named {kind.name!r}.")
        if inspect.iscoroutinefunction(kind.run):
            raise TypeError(f"Task {kind.name} is a coroutine; tasks are plain functions run in threads.")
        if kind.retry.attempts < 1:
            raise ValueError(f"Task {kind.name} has no attempt at all.")
        found[kind.name] = kind
    return found
