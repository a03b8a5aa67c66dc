import pytest
from pydantic import ValidationError

from armarium.tasks.settings import TaskSettings


def test_a_worker_must_not_count_as_dead_between_two_heartbeats() -> None:
    with pytest.raises(ValidationError, match="three times"):
        TaskSettings(heartbeat_seconds=20, stalled_after_seconds=30)
