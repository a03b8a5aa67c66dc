import pytest

from armarium.web.my_account import browser_of

BASE = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36"


@pytest.mark.parametrize(
    ("agent", "shown"),
    [
        (BASE, "Chrome, Linux"),
        (BASE + " Edg/130.0", "Edge, Linux"),
        ("Mozilla/5.0 (Windows NT 10.0; rv:133.0) Gecko/20100101 Firefox/133.0", "Firefox, Windows"),
        ("curl/8.5.0", "curl/8.5.0"),
        ("", "?"),
        ("\x1b[31mé" + "x" * 100, "?[31m?" + "x" * 54),
    ],
)
def test_a_browser_is_named_by_what_it_says(agent: str, shown: str) -> None:
    assert browser_of(agent) == shown
