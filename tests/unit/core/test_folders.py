"""Folders that are nobody else's, also if root makes them."""

import os
from pathlib import Path

from armarium.core.folders import make_private

WAY = 0o711 if os.geteuid() == 0 else 0o700  # PostgreSQL, which does not run as root, passes through


def mode(folder: Path) -> int:
    return folder.stat().st_mode & 0o777


def test_nobody_else_looks_into_a_folder_and_only_a_way_can_be_passed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    make_private(home / "run", way=True)
    make_private(home / "arrivals" / "7")
    assert (mode(home), mode(home / "run"), mode(home / "arrivals")) == (WAY, WAY, WAY)
    assert mode(home / "arrivals" / "7") == 0o700


def test_what_exists_is_left_as_its_owner_wants_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    make_private(tmp_path)
    assert mode(tmp_path) == 0o755
