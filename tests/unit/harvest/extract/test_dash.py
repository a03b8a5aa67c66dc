"""Templates of DASH, filled in as a player would."""

import pytest

from armarium.core.crawl_order import Extraction
from armarium.harvest.extract import Found, extract
from armarium.harvest.extract.playlists import MOST_SEGMENTS
from tests.cost import processor_seconds

URL = "http://site.test/film/manifest.mpd"


def _found(inside: str, duration: str = "PT10S") -> Found:
    text = f'<MPD mediaPresentationDuration="{duration}"><Period>{inside}</Period></MPD>'
    return extract(URL, None, "application/dash+xml", text.encode(), "E", Extraction(max_links=3))


def _names(inside: str, duration: str = "PT10S") -> list[str]:
    return [link.reference.removeprefix("http://site.test/film/") for link in _found(inside, duration).links]


def test_pieces_are_numbered_as_far_as_the_film_lasts() -> None:
    template = (
        '<AdaptationSet><SegmentTemplate timescale="1000" duration="4000" startNumber="5"'
        ' initialization="$RepresentationID$/init.mp4"'
        ' media="$RepresentationID$/$Bandwidth$-$Number%03d$.m4s"/>'
        '<Representation id="lo" bandwidth="90"/><Representation id="hi" bandwidth="800"/></AdaptationSet>'
    )
    assert _names(template) == [
        *("lo/init.mp4", "lo/90-005.m4s", "lo/90-006.m4s", "lo/90-007.m4s"),
        *("hi/init.mp4", "hi/800-005.m4s", "hi/800-006.m4s", "hi/800-007.m4s"),
    ]


def test_a_timeline_says_when_pieces_begin() -> None:
    timeline = (
        '<SegmentTimeline><S t="100" d="20" r="2"/><S d="5"/><S t="300" d="350" r="-1"/></SegmentTimeline>'
    )
    inside = (
        f'<AdaptationSet><SegmentTemplate media="$Time$-$Number$.m4s" timescale="100">{timeline}'
        "</SegmentTemplate><Representation id='1'><BaseURL>a/</BaseURL></Representation></AdaptationSet>"
    )
    assert _names(inside) == [
        *("a/100-1.m4s", "a/120-2.m4s", "a/140-3.m4s", "a/160-4.m4s", "a/300-5.m4s", "a/650-6.m4s"),
    ]


def test_each_period_has_the_pieces_of_its_own_time() -> None:
    def inside(name: str) -> str:
        template = f'<SegmentTemplate duration="5" media="{name}$Number$"/>'
        return f'<Representation id="{name}">{template}</Representation>'

    periods = (
        inside("a")
        + f'</Period><Period start="PT5S">{inside("b")}</Period><Period start="PT10S" duration="PT10S">'
        + f"{inside('c')}</Period><Period>{inside('d')}"
    )
    assert _names(periods, "PT25S") == ["a1", "b1", "c1", "c2", "d1"]


def test_a_representation_changes_what_it_inherits() -> None:
    inside = (
        '<SegmentTemplate duration="5" media="$Number$.m4s"/><AdaptationSet><Representation id="1">'
        '<SegmentTemplate media="$$$Number$.webm"/></Representation><Representation id="2"/></AdaptationSet>'
    )
    assert _names(inside) == ["$1.webm", "$2.webm", "1.m4s", "2.m4s"]


@pytest.mark.parametrize("duration", ["", "P", "forever", "PT99999999999999999999S"])
def test_of_what_has_no_known_length_no_piece_is_made_up(duration: str) -> None:
    inside = '<Representation id="1"><SegmentTemplate duration="5" media="$Number$.m4s"/></Representation>'
    assert _names(inside, duration) == []


def test_a_film_without_end_is_cut_and_marked_so() -> None:
    template = '<SegmentTemplate duration="1" timescale="1000" media="$Number$.m4s"/>'
    one = f"<Representation>{template}</Representation>"
    with processor_seconds(20):
        found = _found(one * 1000, "PT900000000H")
    assert len(found.links) == MOST_SEGMENTS
    assert "dashTrunc" in found.annotations


@pytest.mark.parametrize("media", ["a" * 100_000, "$RepresentationID$" * 200])
def test_pieces_with_names_without_end_are_left_out_and_marked_so(media: str) -> None:
    template = f'<SegmentTemplate duration="1" timescale="1000" media="{media}$Number$"/>'
    with processor_seconds(2):
        found = _found(f'<Representation id="{"b" * 4000}">{template}</Representation>', "PT900000000H")
    assert (found.links, found.annotations) == ([], ("dashTrunc",))


def test_a_timeline_of_many_pieces_takes_linear_time() -> None:
    pieces = '<S d="1"/>' * 50_000
    with processor_seconds(20):
        _found(
            f'<SegmentTemplate media="x.m4s"><SegmentTimeline>{pieces}</SegmentTimeline></SegmentTemplate>'
            + "<Representation/>" * 1000
        )
