"""Files as spreadsheets of several countries and people of several intentions make them."""

import io
import zipfile
from pathlib import Path

import pytest

from armarium.core.errors import Refused
from armarium.selection.exchange import files
from armarium.selection.exchange.files import sheet_of
from tests.integration.selection.exchange.desk import workbook

TITLE = "Été à la plage – œuvre"


def read(content: bytes, most_lines: int = 1000) -> tuple[list[str | None], list[list[str]], str]:
    sheet = sheet_of(io.BytesIO(content), most_lines=most_lines, curator=False)
    lines = [list(line.cells) for line in sheet.lines]
    return list(sheet.keys), lines, " ".join(str(note) for note in sheet.notes)


@pytest.mark.parametrize("separator", [";", ",", "\t"])
def test_the_header_tells_the_separator(separator: str) -> None:
    text = separator.join(["address", "title", "theme"]) + "\n"
    text += separator.join(["https://a.example/?a=1", '"One; two, three\tfour"', "News"]) + "\n"
    keys, lines, _ = read(text.encode())
    assert keys == ["address", "title", "theme"]
    assert lines == [["https://a.example/?a=1", "One; two, three\tfour", "News"]]


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("utf-16", ""),
        ("utf-16-le", "read as UTF-16"),
        ("utf-16-be", "read as UTF-16"),
        ("cp1252", "read as Windows-1252"),
    ],
)
def test_encodings_are_recognised_and_what_was_assumed_is_said(encoding: str, said: str) -> None:
    _, lines, notes = read(f"address;title\r\na.example;{TITLE}\r\n".encode(encoding))
    assert lines == [["a.example", TITLE]]
    assert said in notes
    assert bool(notes) == bool(said)


def test_columns_are_known_by_their_keys_and_by_titles_in_other_languages() -> None:
    keys, _, notes = read(b"Adresse;Titre;theme;URL de mon chef;Created at\nx;;;;\n")
    assert keys == ["address", "title", "theme", "created_at"]
    assert "URL de mon chef" in notes
    assert "keeps them itself: created_at" in notes


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\n\n  \n", "is empty"),
        (b"a,b,c\n1,2,3\n", "among them"),
        (b"address;Title;title\n", "twice"),
        (b'address;title\na.example;"never closed' + b"\nx" * 600_000, "never closed"),
        (b"address;title\n" + b"x" * 1_000_001, "too long"),
        ("address;title\n".encode("utf-16")[:-1], "cut off"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old workbook", ".xls"),
        (b"address\n" + b"a.example\n" * 1001, "more than 1000 lines"),
    ],
)
def test_what_is_no_file_of_records_is_refused_with_a_sentence(content: bytes, said: str) -> None:
    with pytest.raises(Refused, match=said):
        read(content)


def test_a_workbook_is_read_by_its_values(tmp_path: Path) -> None:
    path = tmp_path / "list.xlsx"
    workbook(
        str(path),
        [],
        ["Number", "Address", "Title", "Active"],
        [12, "https://a.example/", "=1+1", True],
        [None, TITLE, 3.5, False],
    )
    keys, lines, _ = read(path.read_bytes())
    assert keys == ["number", "address", "title", "active"]
    assert lines == [["12", "https://a.example/", "7", "yes"], ["", TITLE, "3.5", "no"]]


SHEET = (
    '<?xml version="1.0"?>{declared}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    "<sheetData>{rows}</sheetData></worksheet>"
)
HEADER = '<row r="1"><c r="A1" t="inlineStr"><is><t>address</t></is></c></row>'


def forged(tmp_path: Path, way: int = zipfile.ZIP_DEFLATED, **parts: str) -> bytes:
    """A workbook whose parts somebody has written by hand."""
    path = tmp_path / "forged.xlsx"
    workbook(str(path), ["address"], ["a.example"])
    out = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w", way) as new:
        for entry in old.infolist():
            name = entry.filename.rpartition("/")[2].partition(".")[0]
            new.writestr(entry.filename, parts.get(name) or old.read(entry))
    return out.getvalue()


def test_a_forged_workbook_that_is_honest_is_read(tmp_path: Path) -> None:
    _, lines, _ = read(forged(tmp_path, sheet1=SHEET.format(declared="", rows=HEADER)))
    assert lines == []


def test_entities_are_not_resolved(tmp_path: Path) -> None:
    declared = '<!DOCTYPE x [<!ENTITY secret SYSTEM "file:///etc/passwd">]>'
    rows = HEADER.replace("address", "&secret;")
    with pytest.raises(Refused, match="document type"):
        read(forged(tmp_path, sheet1=SHEET.format(declared=declared, rows=rows)))


def test_cells_far_apart_do_not_fill_the_memory(tmp_path: Path) -> None:
    far = '<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>x</t></is></c></row>'
    with pytest.raises(Refused, match="too large"):
        read(forged(tmp_path, sheet1=SHEET.format(declared="", rows=HEADER + far)))


def test_one_text_in_a_million_cells_does_not_fill_the_memory(tmp_path: Path) -> None:
    cells = '<c t="s"><v>0</v></c>' * 200
    rows = "".join(f'<row r="{n}">{cells}</row>' for n in range(1, 900))
    texts = (
        '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="1" uniqueCount="1">'
        f"<si><t>{'x' * 32_000}</t></si></sst>"
    )
    with pytest.raises(Refused, match="too large"):
        read(forged(tmp_path, sheet1=SHEET.format(declared="", rows=rows), sharedStrings=texts))


def test_a_bomb_is_not_inflated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST_INFLATED", 5_000_000)
    bomb = SHEET.format(declared="", rows=HEADER + " " * 6_000_000)
    with pytest.raises(Refused, match="too large"):
        read(forged(tmp_path, sheet1=bomb))


def test_an_entry_that_lies_about_its_size_is_found(tmp_path: Path) -> None:
    honest = forged(tmp_path, sheet1=SHEET.format(declared="", rows=HEADER + " " * 100_000))
    size = len(SHEET.format(declared="", rows=HEADER + " " * 100_000)).to_bytes(4, "little")
    assert honest.count(size) == 2
    with pytest.raises(Refused, match="cannot be read"):
        read(honest.replace(size, (1000).to_bytes(4, "little")))


@pytest.mark.parametrize("content", [b"PK\x03\x04 and nothing more", b"PK\x03\x04" + bytes(1000)])
def test_a_damaged_workbook_is_refused(content: bytes) -> None:
    with pytest.raises(Refused, match="cannot be read"):
        read(content)


@pytest.mark.parametrize("way", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_workbook_that_no_spreadsheet_compresses_so_is_refused(tmp_path: Path, way: int) -> None:
    with pytest.raises(Refused, match="cannot be read"):
        read(forged(tmp_path, way))


@pytest.mark.parametrize("way", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_workbook_that_was_damaged_on_its_way_is_refused(tmp_path: Path, way: int) -> None:
    """Four bytes somewhere in the sheet are other ones, as by a bad disk; the directory is whole."""
    whole = forged(tmp_path, way, sheet1=SHEET.format(declared="", rows=HEADER + " " * 500))
    with zipfile.ZipFile(io.BytesIO(whole)) as book:
        part = next(one for one in book.infolist() if one.filename.endswith("sheet1.xml"))
    begin = part.header_offset + 30 + len(part.filename)
    for place in range(begin, begin + part.compress_size):
        damaged = bytearray(whole)
        damaged[place : place + 4] = bytes(255 - one for one in damaged[place : place + 4])
        with pytest.raises(Refused, match="cannot be read"):
            read(bytes(damaged))


def test_what_many_cells_say_with_one_text_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader may have two gigabytes; whoever keeps what it writes would need as much again."""
    monkeypatch.setattr(files, "LARGEST_READ", 100_000)
    book = tmp_path / "long.xlsx"
    long: list[object] = ["x" * 10_000]
    workbook(str(book), ["address"], *[long] * 20)
    with book.open("rb") as file, pytest.raises(Refused, match="too large"):
        list(sheet_of(file, most_lines=1000, curator=True).lines)


def test_columns_that_nobody_knows_are_not_kept() -> None:
    text = "colour;address;size;title\nred;a.example;9;A\nred;b.example\nred;c.example;9;C;more;and more\n"
    sheet = sheet_of(io.BytesIO(text.encode()), most_lines=10, curator=True)
    assert sheet.keys == ["address", "title"]
    assert [line.cells for line in sheet.lines] == [
        ["a.example", "A"],
        ["b.example"],
        ["c.example", "C", "more"],
    ]
