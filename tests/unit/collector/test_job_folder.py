"""Folders of jobs are kept, put aside or deleted as a whole."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from armarium.collector.job_folder import SealedFile, Work
from armarium.core.clock import now
from armarium.core.collecting import EndKind, Held, JobEnd, TaskOrder
from armarium.core.crawl_order import CrawlOrder
from armarium.core.errors import Misconfigured


@pytest.fixture
def work(tmp_path: Path) -> Work:
    (tmp_path / "work").mkdir()
    return Work(tmp_path / "work")


def task(job: int = 7, attempt: int = 1) -> TaskOrder:
    order = CrawlOrder.model_validate({"name": f"job-{job}", "seeds": [{"url": "http://a.example/"}]})
    return TaskOrder(job=job, attempt=attempt, lease_until=now() + timedelta(hours=1), order=order)


def test_a_task_that_was_taken_is_held(work: Work) -> None:
    work.of(12).take(task(12))
    work.of(7).take(task(7, 3))
    assert work.held() == [Held(job=7, attempt=3), Held(job=12, attempt=1)]
    assert work.of(7).crawl.read_order().name == "job-7"


def test_a_folder_without_a_task_is_not_held(work: Work) -> None:
    (work.root / "9").mkdir()
    (work.root / "8").mkdir()
    (work.root / "8" / "task.json").write_text('{"job": 8, "att')
    assert work.held() == []
    assert work.unreadable() == [8], "in the other there is nothing"


def test_what_was_written_is_there_after_a_power_cut(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    synced, sync = [], os.fsync

    def noted(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink())
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    folder = work.of(7)
    folder.take(task(7))
    assert synced[0] == work.root
    assert synced[1:3] == [folder.root / "task.fresh", folder.root]


def test_an_end_is_remembered_until_the_next_attempt(work: Work) -> None:
    folder = work.of(7)
    folder.take(task(7))
    assert folder.end is None
    end = JobEnd(attempt=1, kind=EndKind.DONE, outcome="Finished", files=("a.warc.gz",))
    folder.keep_end(end)
    assert folder.end == end
    folder.take(task(7, 2))
    assert folder.end is None


def test_what_is_put_aside_is_named_after_its_attempt_and_never_overwritten(work: Work) -> None:
    for _ in range(2):
        work.of(7).take(task(7, 2))
        work.put_aside(7)
    assert work.names_put_aside() == ("7-2", "7-2-2")
    assert work.held() == []
    assert work.put_aside(7) is None


def test_a_deleted_folder_is_gone_and_so_is_one_that_was_half_deleted(work: Work) -> None:
    work.of(7).take(task(7))
    work.delete(7)
    (work.root / "deleted-6").mkdir()
    with work.claimed():
        assert sorted(path.name for path in work.root.iterdir()) == ["lock"]


def test_two_collectors_cannot_share_a_folder(work: Work) -> None:
    with work.claimed(), pytest.raises(Misconfigured), work.claimed():
        pass


def test_files_are_remembered(work: Work) -> None:
    folder = work.of(7)
    folder.take(task(7))
    assert folder.files() == {}
    folder.keep_files([SealedFile("a.warc.gz", 3, "ab", stored=True)])
    assert folder.files() == {"a.warc.gz": SealedFile("a.warc.gz", 3, "ab", stored=True)}
