"""Lists of films with variables in their addresses: whatever a player fills in stays in the archive."""

import re

import pytest

from armarium.access.rewrite import Links
from armarium.access.rewrite.playlists import rewrite_hls

HERE = "http://example.com/film/list.m3u8?cdn=http%3A%2F%2Fcdn.test%2Fq&t=1"
START = "/all/2013oe_/"
LINKS = Links("/all/", "2013", HERE, "oe_")
FILM = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nfilm.m3u8\n"


def define(said: str) -> str:
    return f"#EXT-X-DEFINE:{said}\n"


def rewritten(text: str) -> list[str]:
    return rewrite_hls(text, LINKS).split("\n")


def played(text: str, imported: dict[str, str] | None = None) -> tuple[list[str], dict[str, str]]:
    """The addresses that a player asks for, and the variables that it has then."""
    known: dict[str, str] = {}
    asked = []
    for written in text.split("\n"):
        line = re.sub(r"\{\$([\w-]+)\}", lambda found: known[found[1]], written)
        said = dict(re.findall(r'([A-Z]+)="([^"]*)"', line))
        if line.startswith("#EXT-X-DEFINE:"):
            if "IMPORT" in said:
                known[said["IMPORT"]] = (imported or {})[said["IMPORT"]]
            elif "NAME" in said:
                known[said["NAME"]] = said["VALUE"]
        elif "URI" in said:
            asked.append(said["URI"])
        elif line and line[0] != "#":
            asked.append(line)
    return asked, known


@pytest.mark.parametrize(
    ("defined", "address", "archived"),
    [
        ('NAME="a",VALUE="http://cdn.test"', "{$a}/1.ts", START + "http://cdn.test/1.ts"),
        ('VALUE="/x",NAME="a"', "{$a}/1.ts", START + "http://example.com/x/1.ts"),
        ('NAME="a",VALUE="x"', "{$a}/{$a}.ts", "x/x.ts"),
        ('NAME="a",VALUE="http"', "{$a}://cdn.test/{$a}", START + "http://cdn.test/http"),
        ('NAME="a",VALUE="cdn.test"', "//{$a}/1.ts", START + "http://cdn.test/1.ts"),
        ('NAME="a",VALUE=""', "{$a}/1.ts", START + "http://example.com/1.ts"),
        ('QUERYPARAM="cdn"', "{$cdn}/1.ts", START + "http://cdn.test/q/1.ts"),
    ],
)
def test_what_a_list_defines_is_filled_in(defined: str, address: str, archived: str) -> None:
    text = "#EXTM3U\n" + define(defined) + f'#EXT-X-MAP:URI="{address}"\n{address}\n'
    assert rewritten(text)[2:] == [f'#EXT-X-MAP:URI="{archived}"', archived, ""]


@pytest.mark.parametrize(
    ("value", "address", "archived"),
    [
        ("http://cdn.test/x", "{$a}/1.ts", START + "http://cdn.test/x/1.ts"),
        ("/x", "{$a}/1.ts", START + "http://example.com/x/1.ts"),
        ("x", "{$a}/1.ts", "x/1.ts"),
        ("../x", "{$a}/1.ts", "../x/1.ts"),
        ("http", "{$a}://cdn.test/1.ts", START + "http://cdn.test/1.ts"),
        ("cdn.test", "http://{$a}/1.ts", START + "http://cdn.test/1.ts"),
        ("x", "../{$a}/1.ts", START + "http://example.com/x/1.ts"),
        ("x", "/y/../{$a}/1.ts?{$a}", START + "http://example.com/x/1.ts?x"),
    ],
)
def test_what_a_list_imports_leads_into_the_archive_too(value: str, address: str, archived: str) -> None:
    _, known = played(rewrite_hls(define(f'NAME="a",VALUE="{value}"') + FILM, LINKS))
    text = "#EXTM3U\n" + define('IMPORT="a"') + f'#EXT-X-MAP:URI="{address}"\n{address}'
    assert played(rewrite_hls(text, LINKS), known)[0] == [archived, archived]


def test_a_definition_outlives_the_variant_in_which_it_stands() -> None:
    text = (
        "#EXTM3U\n #EXT-X-STREAM-INF:BANDWIDTH=1\n"
        + define('NAME="a",VALUE="/x"')
        + "low.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=2\n{$a}/high.m3u8\n"
    )
    assert played(rewrite_hls(text, LINKS))[0] == [START + "http://example.com/x/high.m3u8"]


def test_a_value_with_a_quotation_mark_or_line_end_is_not_taken_over() -> None:
    links = Links("/all/", "2013", "http://example.com/?a=%22%0Ahttp://live.test/", "oe_")
    assert "live.test" not in rewrite_hls(FILM + define('QUERYPARAM="a"') + "{$a}", links)


def test_letters_of_many_bytes_are_not_torn_apart() -> None:
    text = "#EXTM3U\n/Å/à.ts\r\n/b.ts".encode().decode("latin-1")
    assert rewrite_hls(text, LINKS).encode("latin-1").decode() == (
        f"#EXTM3U\n{START}http://example.com/Å/à.ts\r\n{START}http://example.com/b.ts"
    )
