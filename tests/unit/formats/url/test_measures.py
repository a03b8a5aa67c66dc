import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.formats.url import measure
from armarium.formats.url.measures import is_pathological, path_depth


@pytest.mark.parametrize(
    ("url", "depth"),
    [
        ("http://a", 0),
        ("http://a/", 0),
        ("http://a/b", 1),
        ("http://a/b/", 1),
        ("http://a//b///c?d/e#f/g", 2),
        ("/b/c", 2),
    ],
)
def test_depth_counts_segments_that_hold_something(url: str, depth: int) -> None:
    assert path_depth(url) == depth


@pytest.mark.parametrize(
    ("path", "consecutive", "occurrences"),
    [
        ("", 0, 0),
        ("a", 1, 1),
        ("a/b/c", 1, 1),
        ("a/a", 2, 2),
        ("a/a/a/", 3, 3),
        ("x/a/b/a/b/a/b/y", 3, 3),
        ("a/x/a/y/a", 1, 3),
        ("a/b/c/a/b/c", 2, 2),
        ("a//////b", 5, 1),
        ("images/images/css/images/images/css", 2, 4),
    ],
)
def test_repetition_is_seen_in_a_row_and_anywhere(path: str, consecutive: int, occurrences: int) -> None:
    found = measure(f"http://host/{path}")
    assert (found.consecutive, found.occurrences) == (consecutive, occurrences)


def test_heritrix_would_call_it_pathological() -> None:
    assert is_pathological("http://a/x/y/x/y/x/y/index.html")
    assert not is_pathological("http://a/x/y/x/y/index.html")
    assert not is_pathological("http://a/x/y/z/x/q/x/index.html")


def test_parameters_are_counted() -> None:
    found = measure("http://a/?b=1&&c=2&b=1#d&e")
    assert (found.parameters, found.repeated_parameters) == (3, 2)


@pytest.mark.parametrize(
    ("url", "session"),
    [
        (
            "http://a/b;jsessionid=E85FAC04E331FFCA55549B10B7C7A4FA?c=1",
            "jsessionid=E85FAC04E331FFCA55549B10B7C7A4FA",
        ),
        (
            "http://a/?PHPSESSID=9682993c8daa2c5497996114facdc805",
            "PHPSESSID=9682993c8daa2c5497996114facdc805",
        ),
        ("http://a/?x=1&sid=12345678&y=2", "sid=12345678"),
        ("http://a/(S(4hqa0555fwsecu455xqckv45))/b.aspx", "(S(4hqa0555fwsecu455xqckv45))"),
        ("http://a/?osCsid=9682993c8daa2c5497996114facdc805", "osCsid=9682993c8daa2c5497996114facdc805"),
        ("http://a/?side=left", None),
        ("http://a/?sid=5", None),
        ("http://a/?inside=12345678", None),
        ("http://a/?session=afternoon", None),
        ("http://a/photos/36050182@N05/", None),
    ],
)
def test_session_ids_are_guessed(url: str, session: str | None) -> None:
    assert measure(url).session == session


@given(st.text() | st.text(alphabet="a/?&=#:;sid="))
def test_any_text_has_measures(url: str) -> None:
    found = measure(url)
    assert found.length == len(url)
    assert found.depth >= 0
    assert found.consecutive <= len(url) + 1
