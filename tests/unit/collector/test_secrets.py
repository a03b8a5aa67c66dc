"""Passwords of web sites stay on the disk of a collector no longer than the job."""

from datetime import timedelta
from pathlib import Path

import pytest

from armarium.collector.job_folder import Work
from armarium.core.clock import now
from armarium.core.collecting import TaskOrder
from armarium.core.crawl_order import CrawlOrder

PASSWORDS = ("opens-the-archive", "opens-the-form", "opens-the-proxy")


@pytest.fixture
def work(tmp_path: Path) -> Work:
    (tmp_path / "work").mkdir()
    return Work(tmp_path / "work")


def task() -> TaskOrder:
    basic = {"domain": "a.example", "kind": "basic", "user": "ada", "password": PASSWORDS[0]}
    form = {"domain": "b.example", "kind": "form", "login_url": "http://b.example/login"}
    order = CrawlOrder.model_validate(
        {
            "name": "job-7",
            "seeds": [{"url": "http://a.example/"}],
            "fetching": {
                "proxy": f"http://ada:{PASSWORDS[2]}@proxy.example:3128",
                "credentials": [basic, {**form, "fields": {"pin": PASSWORDS[1]}}],
            },
        }
    )
    return TaskOrder(job=7, attempt=1, lease_until=now() + timedelta(hours=1), order=order)


def found(folder: Path) -> set[str]:
    texts = [path.read_text() for path in folder.rglob("*") if path.is_file()]
    return {password for password in PASSWORDS for text in texts if password in text}


def test_a_folder_that_is_put_aside_holds_the_order_without_its_passwords(work: Work) -> None:
    folder = work.of(7)
    folder.take(task())
    (folder.root / "order.fresh").write_text(f'{{"half": "{PASSWORDS[0]}')  # of one killed while it wrote
    assert found(work.root) == set(PASSWORDS), "the crawl needs them"
    aside = work.put_aside(7)
    assert aside is not None
    assert found(work.root) == set()
    assert "ada" in (aside / "order.json").read_text()
    assert (aside / "order.json").stat().st_mode & 0o777 == 0o600


def test_an_order_that_nobody_can_read_is_not_kept(work: Work) -> None:
    folder = work.of(7)
    folder.take(task())
    folder.crawl.order_file.write_text(f'{{"name": "{PASSWORDS[0]}')
    work.put_aside(7)
    assert found(work.root) == set()


def test_a_job_that_is_taken_again_has_its_passwords(work: Work) -> None:
    folder = work.of(7)
    folder.take(task())
    folder.crawl.forget_secrets()  # killed before the folder was moved
    folder.take(task())
    assert folder.crawl.read_order() == task().order
