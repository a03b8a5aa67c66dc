"""What stands for metadata records survives a kill, and nothing half does."""

from pathlib import Path

from armarium.harvest.record.journal import Journal, journalled

ENTRIES = {"<urn:uuid:1>": b"via: http://example.org/\r\n\n", "<urn:uuid:2>": b"", "<urn:uuid:3>": b"x" * 50}


def written(path: Path) -> Journal:
    journal = Journal(path)
    for name, block in ENTRIES.items():
        journal.keep(name, block)
    return journal


def test_what_is_kept_is_there_until_it_is_cleared(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    assert journalled(path) == {}
    journal = written(path)
    assert journalled(path) == ENTRIES
    journal.clear()
    journal.keep("later", b"y")
    assert journalled(path) == {"later": b"y"}
    journal.close()


def test_an_entry_that_was_cut_off_is_none_and_is_in_nobodys_way(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    written(path).close()
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        found = journalled(path)
        assert found == dict(list(ENTRIES.items())[: len(found)]), f"cut at byte {length}"
        assert len(found) < len(ENTRIES)
        journal = Journal(path)
        journal.keep("later", b"y")
        journal.close()
        assert journalled(path) == {**found, "later": b"y"}
