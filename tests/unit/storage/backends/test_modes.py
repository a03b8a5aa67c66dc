"""Who can look into a replica."""

from pathlib import Path

from armarium.core.folders import make_private
from armarium.storage.backends.folder import FolderMedium


def test_replicas_in_the_data_folder_are_open_to_nobody_else(tmp_path: Path) -> None:
    home = tmp_path / "home"
    make_private(home, way=True)
    FolderMedium(home / "replicas" / "one", with_parents=True).prepare()
    assert (home / "replicas" / "one").stat().st_mode & 0o777 == 0o700
