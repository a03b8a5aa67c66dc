"""Pages call every kind of task by words, not by its name in the code."""

from armarium.administration.task_labels import KIND_TITLES
from armarium.server.assembly import TASK_KINDS


def test_every_kind_of_task_has_a_title_and_no_title_is_left_over() -> None:
    assert set(KIND_TITLES) == {kind.name for kind in TASK_KINDS}
