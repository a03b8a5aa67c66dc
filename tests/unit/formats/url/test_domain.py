import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.formats.url import fits_dns, public_suffix, registered_domain


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://www.bnf.fr/fr/page", "bnf.fr"),
        ("www.bnf.fr", "bnf.fr"),
        ("WWW.BNF.FR.", "bnf.fr"),
        ("https://www.example.co.uk:8443/", "example.co.uk"),
        ("http://a.b.city.kawasaki.jp/", "city.kawasaki.jp"),
        ("http://www.bücher.example/", "xn--bcher-kva.example"),
        ("www.bücher.example", "bücher.example"),
        ("someone.github.io", "someone.github.io"),
        ("com", None),
        ("co.uk", None),
        ("localhost", None),
        ("192.168.1.1", None),
        ("http://192.168.1.1/", None),
        ("0x7f.1", None),
        ("[2001:db8::1]", None),
        ("http://[2001:db8::1]/", None),
        ("a..example", None),
        (".example.com", None),
        ("", None),
        ("urn:isbn:1", None),
        ("http://", None),
        ("a." * 3000 + "com", None),
    ],
)
def test_the_registered_domain_of_a_url_or_host(url: str, domain: str | None) -> None:
    assert registered_domain(url) == domain


def test_hosting_services_are_ordinary_domains_without_the_private_section() -> None:
    assert registered_domain("someone.github.io", private=False) == "github.io"


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.club.assoc.example", "club.assoc.example"),
        ("assoc.example", None),
        ("www.other.example", "other.example"),
        ("www.a.b.wild.example", "a.b.wild.example"),
        ("www.town.wild.example", "www.town.wild.example"),
        ("www.kept.wild.example", "kept.wild.example"),
        ("www.site.öffentlich.example", "site.öffentlich.example"),
        ("www.site.xn--ffentlich-z7a.example", "site.xn--ffentlich-z7a.example"),
    ],
)
def test_an_institutions_own_registries_are_suffixes(host: str, domain: str | None) -> None:
    registries = ("Assoc.example", "*.wild.example", "!kept.wild.example", "öffentlich.example")
    assert registered_domain(host, registries) == domain


def test_the_suffix_itself() -> None:
    assert public_suffix("https://www.example.co.uk/") == "co.uk"
    assert public_suffix("www.club.assoc.example", ["assoc.example"]) == "assoc.example"
    assert public_suffix("com") == "com"
    assert public_suffix("10.0.0.1") is None


def test_names_that_the_dns_cannot_hold() -> None:
    assert fits_dns("www.example.org.")
    assert not fits_dns("a" * 64 + ".org")
    assert not fits_dns("a..org")
    assert not fits_dns(".".join(["a"] * 128))


@given(st.text() | st.text(alphabet="ab.-:/1é[]"), st.booleans())
def test_a_registered_domain_is_the_end_of_what_came_in(host: str, private: bool) -> None:
    domain = registered_domain(host, ["b.a"], private=private)
    assert domain is None or "." in domain
    if domain is not None:
        assert registered_domain(domain, ["b.a"], private=private) == domain
