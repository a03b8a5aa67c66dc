from pathlib import Path

from armarium.harvest.folder import Reserve


def test_a_disk_from_which_nothing_can_be_removed_does_not_keep_a_crawl_from_pausing(tmp_path: Path) -> None:
    (tmp_path / "reserve").mkdir()  # even root cannot unlink it
    Reserve(tmp_path / "reserve").release()
