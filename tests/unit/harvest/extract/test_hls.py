"""Variables of HLS playlists: addresses are found with their values, or not at all."""

from armarium.core.crawl_order import Extraction
from armarium.harvest.extract import Found, extract

MASTER = "http://example.org/film/master.m3u8?token=a%2Fb&t=1"


def playlist(*lines: str, url: str = MASTER, via: str = "") -> Found:
    body = "\n".join(("#EXTM3U", *lines)).encode()
    return extract(url, None, "application/vnd.apple.mpegurl", body, "E", Extraction(), via=via)


def references(found: Found) -> list[str]:
    return [link.reference for link in found.links]


def test_variables_are_filled_into_lines_and_into_tags() -> None:
    found = playlist(
        '#EXT-X-DEFINE:NAME="host",VALUE="http://cdn.example"',
        '#EXT-X-DEFINE:VALUE="{$host}/v1",NAME="path"',
        '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",URI="{$path}/audio.m3u8?q={$path}"',
        "{$path}/low.m3u8",
    )

    assert references(found) == [
        "http://cdn.example/v1/audio.m3u8?q=http://cdn.example/v1",
        "http://cdn.example/v1/low.m3u8",
    ]
    assert found.annotations == ()


def test_a_variable_may_come_from_the_query_of_the_playlist() -> None:
    assert references(playlist('#EXT-X-DEFINE:QUERYPARAM="token"', "x.ts?t={$token}")) == ["x.ts?t=a/b"]


def test_a_variable_may_come_from_the_playlist_before() -> None:
    playlist('#EXT-X-DEFINE:NAME="id",VALUE="77"', "media.m3u8")
    lines = '#EXT-X-DEFINE:IMPORT="id"', "{$id}/1.ts"
    media = "http://example.org/film/media.m3u8"

    assert references(playlist(*lines, url=media, via=MASTER)) == ["77/1.ts"]
    assert references(playlist(*lines, url=media, via="http://example.org/other.m3u8")) == []


def test_an_address_with_an_unknown_variable_is_no_address_and_the_log_says_so() -> None:
    found = playlist('#EXT-X-DEFINE:QUERYPARAM="none"', "{$none}/1.ts", "{$id}/2.ts", "3.ts", "{id}/4.ts")

    assert references(found) == ["3.ts", "{id}/4.ts"]
    assert found.annotations == ("hlsTrunc",)


def test_values_that_double_with_each_line_are_not_written_out() -> None:
    lines = ['#EXT-X-DEFINE:NAME="v0",VALUE="abcdefgh"']
    lines += [f'#EXT-X-DEFINE:NAME="v{n + 1}",VALUE="{{$v{n}}}{{$v{n}}}"' for n in range(60)]
    found = playlist(*lines, "{$v60}/1.ts", "{$v2}/2.ts")

    assert references(found) == ["abcdefgh" * 4 + "/2.ts"]


def test_a_line_that_is_far_too_long_is_not_cut_to_an_address_that_is_not_there() -> None:
    assert references(playlist("x" * 5000 + ".ts", "y" * 70_000 + ".ts")) == ["x" * 5000 + ".ts"]
