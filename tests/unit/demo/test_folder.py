"""The folder of the demonstration: beside the archive's, known by its file, never somebody else's."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from armarium.core.errors import Refused
from armarium.demo.folder import DemoFolder, DemoState, Facts, Ports

FACTS = Facts(DemoState.BUILDING, Ports(1, 2, 3, 4), "amber-anchor", {"files": 2}, {"url": "x"})


def test_it_lies_beside_the_folder_of_the_archive(tmp_path: Path) -> None:
    assert DemoFolder.beside(tmp_path / "data", {}).path == tmp_path / "data-demo"
    assert DemoFolder.beside(None, {"ARMARIUM_HOME": "/x/data"}).path == Path("/x/data-demo")
    assert DemoFolder.beside(None, {}).path == Path("armarium-data-demo").absolute()
    assert DemoFolder.beside(Path("/"), {}).path == Path("/-demo")


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    folder = DemoFolder(tmp_path / "demo")
    assert folder.facts() is None
    folder.begin(FACTS)
    assert folder.facts() == FACTS
    assert folder.marker.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("written", [b"", b"{", b"[]", b'{"state": "built"}', b'{"state": "odd"}'])
def test_a_file_that_cannot_be_understood_is_of_an_unfinished_one(tmp_path: Path, written: bytes) -> None:
    folder = DemoFolder(tmp_path / "demo")
    folder.begin(FACTS)
    folder.marker.write_bytes(written)
    found = folder.facts()
    assert found is not None
    assert found.state is DemoState.BUILDING


def test_something_in_it_finds_it(tmp_path: Path) -> None:
    folder = DemoFolder(tmp_path / "demo")
    folder.begin(FACTS)
    assert DemoFolder.around(folder.path / "work" / "1") == folder
    with pytest.raises(Refused, match="lies in no demonstration"):
        DemoFolder.around(tmp_path / "elsewhere")


def test_it_is_removed_with_all_that_is_in_it(tmp_path: Path) -> None:
    folder = DemoFolder(tmp_path / "demo")
    folder.begin(FACTS)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    (folder.path / "link").symlink_to(outside)
    folder.remove()
    assert not folder.path.exists()
    assert (outside / "kept").exists()


def test_one_that_is_half_removed_is_an_unfinished_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = DemoFolder(tmp_path / "demo")
    folder.begin(replace(FACTS, state=DemoState.BUILT))
    with monkeypatch.context() as ctrl_c:
        ctrl_c.setattr("shutil.rmtree", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            folder.remove()
    found = folder.facts()
    assert found is not None
    assert found.state is DemoState.BUILDING
    folder.remove()
    assert not folder.path.exists()


def _interrupted(_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.skipif(os.geteuid() != 0, reason="Only root can give a folder to somebody.")
def test_one_of_another_user_is_refused_whatever_is_in_it(tmp_path: Path) -> None:
    folder = DemoFolder(tmp_path / "demo")
    folder.begin(FACTS)
    os.chown(folder.path, 12345, 12345)
    for deed in (folder.remove, lambda: folder.begin(FACTS)):
        with pytest.raises(Refused, match="belongs to another user"):
            deed()
    assert folder.facts() == FACTS


def test_a_marker_that_is_a_link_marks_nothing(tmp_path: Path) -> None:
    folder = DemoFolder(tmp_path / "demo")
    folder.path.mkdir()
    thesis = tmp_path / "thesis"
    thesis.write_text("Years of work.")
    folder.marker.symlink_to(thesis)
    with pytest.raises(Refused, match="is no demonstration of Armarium"):
        folder.remove()
    assert thesis.read_text() == "Years of work."


def test_a_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    folder = DemoFolder(tmp_path / "demo")
    folder.path.mkdir()
    (folder.path / "thesis").touch()
    for deed in (folder.remove, lambda: folder.begin(FACTS)):
        with pytest.raises(Refused, match="is no demonstration of Armarium"):
            deed()
    assert (folder.path / "thesis").exists()


def test_a_link_is_not_followed_even_to_a_demonstration(tmp_path: Path) -> None:
    real = DemoFolder(tmp_path / "real")
    real.begin(FACTS)
    link = DemoFolder(tmp_path / "demo")
    link.path.symlink_to(real.path)
    with pytest.raises(Refused):
        link.remove()
    assert real.facts() == FACTS


def test_an_empty_folder_may_be_used(tmp_path: Path) -> None:
    folder = DemoFolder(tmp_path / "demo")
    folder.path.mkdir()
    folder.begin(FACTS)
    assert folder.facts() == FACTS
