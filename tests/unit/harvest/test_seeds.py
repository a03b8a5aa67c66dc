"""What somebody gives as seeds: what is meant is understood, what is none is refused by name."""

from pathlib import Path

import pytest

from armarium.harvest.options import Given
from armarium.harvest.seeds import NoSeeds, refuse, seeds_of


def test_seeds_are_spelled_as_the_crawler_spells_them_and_come_once() -> None:
    lines = [
        "\ufeffexample.org",
        " http://EXAMPLE.org:80/ ",
        "http://example.org/#top",
        "# a remark",
        "",
        "https://example.org/ä",
        "localhost:8080/x",
        "[::1]/",
        "LOCALHOST",
        "http://intranet",
        "intranet:8080/x",
        "192.0.2.1",
        "example.org/me@home",
    ]
    seeds, faults = seeds_of(lines)

    assert [seed.url for seed in seeds] == [
        "http://example.org/",
        "https://example.org/%C3%A4",
        "http://localhost:8080/x",
        "http://[::1]/",
        "http://localhost/",
        "http://intranet/",
        "http://intranet:8080/x",
        "http://192.0.2.1/",
        "http://example.org/me@home",
    ]
    assert faults == []


@pytest.mark.parametrize(
    "text",
    [
        "ftp://example.org/",
        "mailto:me@example.org",
        "http://",
        "http://a b/",
        "javascript:x",
        "data:,x",
        "notaurl",
        "not-a-url",
        "notaurl/",
        "folder/file",
        "/etc/passwd",
        "./file",
        "../file",
        "..",
        "~/seeds.txt",
        "//example.org/",
        "\\\\server\\share",
        "C:\\seeds.txt",
        "javascript:1",
        "data:1",
        "file:1",
        "tel:112",
        "MAILTO:1@example.org",
        "file:///etc/passwd",
        "me@example.org",
        "http:///",
        "https:",
        "http://*/",
        "example..org",
        ".example.org",
        "example.org:99999",
    ],
)
def test_what_is_no_seed_is_named(text: str) -> None:
    seeds, (fault,) = seeds_of([text])

    assert seeds == []
    assert fault.startswith(f"{text}: ")


def test_seeds_of_a_profile_are_spelled_likewise(tmp_path: Path) -> None:
    profile = tmp_path / "p.toml"
    profile.write_text('[[seeds]]\nurl = "EXAMPLE.org"\ntag = "mine"\n')
    order = Given(["example.net"], [], profile, {}).order()

    assert [(seed.url, seed.tag) for seed in order.seeds] == [
        ("http://example.org/", "mine"),
        ("http://example.net/", ""),
    ]


@pytest.mark.parametrize("word", ["", " ", "\t", "# a remark", "javascript:1", "/etc/passwd", "./here"])
def test_a_word_that_is_no_seed_is_refused_beside_good_ones(word: str) -> None:
    with pytest.raises(NoSeeds, match="nothing was begun"):
        Given(["example.org", word], [], None, {}).order()


def test_a_file_is_no_seed_but_may_hold_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("seeds.txt").write_text("example.org\n")
    Path("example.net").mkdir()

    with pytest.raises(NoSeeds, match=r"seeds\.txt: this is a file; if seeds are in it: --seeds seeds\.txt"):
        Given(["seeds.txt"], [], None, {}).order()
    assert [seed.url for seed in Given(["example.net"], [Path("seeds.txt")], None, {}).order().seeds] == [
        "http://example.net/",
        "http://example.org/",
    ]


def test_what_is_wrong_in_a_file_is_named_by_its_line(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("# seeds\nexample.org\n\nmailto:me@example.org\n/etc/passwd\n")
    with pytest.raises(NoSeeds) as caught:
        Given([], [file], None, {}).order()

    assert f"{file}, line 4: mailto:me@example.org: only http and https" in str(caught.value)
    assert f"{file}, line 5: /etc/passwd: this is a path" in str(caught.value)


def test_of_very_many_faults_the_first_are_named_and_the_others_counted() -> None:
    with pytest.raises(NoSeeds, match=r"fault 19\n  … and 1,480 more"):
        refuse([f"fault {number}" for number in range(1500)])
