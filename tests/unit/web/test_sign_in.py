import pytest

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
