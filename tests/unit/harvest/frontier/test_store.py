"""What the file of the frontier does when its disk fails."""

from pathlib import Path

import pytest

from armarium.harvest.frontier import FrontierFailed
from armarium.harvest.frontier.store import Store


def test_after_sqlite_took_back_what_was_not_committed_nothing_more_is_committed(tmp_path: Path) -> None:
    store = Store(tmp_path / "frontier.sqlite")
    store.remember("before", 1)
    store.commit()
    store.route("lost.example", 1)
    database = store.open()
    room = database.execute("PRAGMA max_page_count = 1").fetchone()[
        0
    ]  # as many as there are: the disk is full
    store.remember("long", "x" * 100_000)
    with pytest.raises(FrontierFailed, match="full"):
        store.count("outbox")  # reading writes what was gathered
    assert not database.in_transaction
    database.execute(f"PRAGMA max_page_count = {room + 1000}")
    store.remember("warcs", "past what is lost")
    with pytest.raises(FrontierFailed, match="took back"):
        store.commit()
    store.close()
    again = Store(tmp_path / "frontier.sqlite")
    assert (again.recall("before"), again.recall("warcs"), again.routes()) == (1, None, {})
    again.close()
