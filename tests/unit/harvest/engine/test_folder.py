"""The folder of a crawl: one process at a time, and an order that is whole or not there."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from armarium.core.crawl_order import CrawlOrder
from armarium.core.errors import NotFound, Refused
from armarium.harvest.folder import CrawlFolder

SECRET = {"fetching": {"credentials": [{"domain": "example.org", "kind": "basic", "password": "sesame"}]}}
HOLD = """
import sys, pathlib
from armarium.harvest.folder import CrawlFolder
with CrawlFolder(pathlib.Path(sys.argv[1])).locked():
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_a_second_process_is_turned_away_and_told_where_to_look(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with (
            pytest.raises(Refused, match=f"armarium harvest status {tmp_path}"),
            CrawlFolder(tmp_path).locked(),
        ):
            pass
        other.kill()

    with CrawlFolder(tmp_path).locked():
        pass  # a killed process leaves no lock


def test_a_lock_is_given_back(tmp_path: Path) -> None:
    folder = CrawlFolder(tmp_path / "new" / "folder")
    for _ in range(2):
        with folder.locked():
            pass


def test_an_order_comes_back_with_its_secrets_and_nobody_else_reads_them(tmp_path: Path) -> None:
    folder = CrawlFolder(tmp_path)
    order = CrawlOrder.model_validate(SECRET)
    assert not folder.begun
    folder.write_order(order)

    assert folder.begun
    assert folder.read_order() == order
    assert stat.S_IMODE(folder.order_file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["order.json"]


def test_without_an_order_one_is_told_how_to_begin(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="armarium crawl URL"):
        CrawlFolder(tmp_path).read_order()


@pytest.mark.parametrize("text", ["", "{", '{"limts": {}}', "[]"])
def test_a_damaged_order_is_named(tmp_path: Path, text: str) -> None:
    folder = CrawlFolder(tmp_path)
    folder.order_file.write_text(text)
    with pytest.raises(Refused, match=r"order\.json is no order"):
        folder.read_order()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = CrawlFolder(tmp_path / "file")

    with pytest.raises(Refused, match="cannot be the folder of a crawl"), folder.locked():
        pass
    with pytest.raises(NotFound):
        folder.read_order()


def test_how_many_processes_share_a_crawl_is_known_before_the_last_of_them_has_its_part(
    tmp_path: Path,
) -> None:
    folder = CrawlFolder(tmp_path)
    assert folder.processes == 0
    folder.keep_processes(3)
    CrawlFolder(tmp_path, 0).create()
    assert folder.processes == 3


def test_folders_of_earlier_versions_are_counted_by_their_parts(tmp_path: Path) -> None:
    for part in range(2):
        CrawlFolder(tmp_path, part).create()
    assert CrawlFolder(tmp_path).processes == 2
