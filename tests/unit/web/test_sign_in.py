import pytest
from starlette.requests import Request

from armarium.web.problems import page_before
from armarium.web.sign_in import inside


@pytest.mark.parametrize(
    "target",
    ["", "evil.example", "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example",
     "https:evil.example", "https://evil.example", "javascript:alert(1)", " //evil.example",
     "/\t/evil.example", "/\n/evil.example", "/\x0b/evil.example", "/\x00", "/\u2028x",
     "/\u202ex", "//[", "http://[", "/\ud800", "/a\\..\\b"],
)  # fmt: skip
def test_what_could_lead_elsewhere_leads_home(target: str) -> None:
    assert inside(target) == "/"


@pytest.mark.parametrize("target", ["/", "/account", "/a?b=//c&d=https://e", "/é", "/a//b", "/a#b", "/@evil"])
def test_paths_of_this_site_are_kept(target: str) -> None:
    assert inside(target) == target


@pytest.mark.parametrize(
    ("referer", "page"),
    [
        ("http://house.example/a?b", "/a?b"),
        ("http://house.example//evil.example/", None),  # a page that is not found has forms, too
        ("http://evil.example/a", None),
        ("", None),
    ],
)
def test_the_page_from_which_a_form_came_is_one_of_ours(referer: str, page: str | None) -> None:
    headers = [(b"host", b"house.example"), (b"referer", referer.encode())]
    assert page_before(Request({"type": "http", "headers": headers})) == page
