"""What a process loads once costs its answers nothing."""

import gc
from collections.abc import Iterator

import pytest

from armarium.server.memory import keep_loaded


@pytest.fixture
def _thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("_thawed")
def test_garbage_is_not_looked_for_in_what_was_loaded_at_the_start() -> None:
    loaded: list[object] = [[]]
    keep_loaded()
    assert not any(one is loaded for one in gc.get_objects())
    later: list[object] = [[]]
    assert any(one is later for one in gc.get_objects())
