import pytest
from procrastinate import SyncPsycopgConnector

from armarium.core.services import Services
from armarium.tasks.app import build_app
from armarium.tasks.context import TaskContext
from armarium.tasks.kinds import TaskKinds
from armarium.tasks.model import Retry, TaskKind


def work(context: TaskContext, text: str, times: int = 1) -> None:
    pass


async def coroutine(context: TaskContext) -> None:
    pass


KINDS = TaskKinds([TaskKind("room.work", work)])


def test_arguments_that_fit_are_accepted() -> None:
    KINDS.check("room.work", {"text": "a"})
    KINDS.check("room.work", {"text": "a", "times": 2})


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"text": "a", "time": 2},
        {"text": object()},
        {"text": {1: "a"}},
        {"text": (1,)},
        {"text": float("nan")},
    ],
)
def test_arguments_that_do_not_fit_are_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(TypeError, match=r"room\.work"):
        KINDS.check("room.work", arguments)


def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    with pytest.raises(LookupError, match=r"room\.work"):
        KINDS.check("room.play", {})


@pytest.mark.parametrize(
    "kinds",
    [
        [TaskKind("room.work", work), TaskKind("room.work", work)],
        [TaskKind("Room work", work)],
        [TaskKind("room.work", work, retry=Retry(attempts=0))],
        [TaskKind("room." + "x" * 128, work)],
    ],
)
def test_wrong_declarations_are_refused_when_the_house_is_put_together(kinds: list[TaskKind]) -> None:
    with pytest.raises(ValueError, match=r"room|Room"):
        TaskKinds(kinds)


def test_a_coroutine_is_no_task() -> None:
    with pytest.raises(TypeError, match="threads"):
        TaskKinds([TaskKind("room.work", coroutine)])  # type: ignore[arg-type]


def test_a_wrong_cron_line_is_refused_when_the_house_is_put_together() -> None:
    with pytest.raises(ValueError, match=r"room\.work is not a cron line"):
        build_app(TaskKinds([TaskKind("room.work", work, cron="every minute")]), SyncPsycopgConnector())


def test_a_service_that_nobody_provided_is_named() -> None:
    assert TaskContext(1, "room.work", 1, services=Services(["here"])).service(str) == "here"
    with pytest.raises(LookupError, match="No int was assembled"):
        TaskContext(1, "room.work", 1).service(int)
