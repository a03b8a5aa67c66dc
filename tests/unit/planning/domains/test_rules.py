"""What may be said about a domain."""

import pytest

from armarium.core.errors import Refused
from armarium.planning.domains.rules import check_seeds, default_seeds, domain_of, parse_form_fields, seeds_in
from armarium.planning.traps.rules import check_traps


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("bnf.fr", "bnf.fr"),
        ("  BNF.FR. ", "bnf.fr"),
        ("https://www.bnf.fr/fr/page?a=1#b", "bnf.fr"),
        ("catalogue.bnf.fr", "bnf.fr"),
        ("www.example.co.uk", "example.co.uk"),
        ("musée.fr", "xn--muse-dpa.fr"),
        ("192.0.2.7", "192.0.2.7"),
        ("http://192.0.2.7:8080/", "192.0.2.7"),
    ],
)
def test_a_name_or_an_address_gives_the_registered_domain(given: str, name: str) -> None:
    assert domain_of(given) == name


@pytest.mark.parametrize(
    "given", ["", "  ", "nonsense", "a b.fr", "ftp://example.fr/", "http://", "x" * 300 + ".fr"]
)
def test_what_is_no_domain_is_refused(given: str) -> None:
    with pytest.raises(Refused, match="neither the name"):
        domain_of(given)


def test_a_host_has_no_www_added() -> None:
    assert default_seeds("bnf.fr") == "http://bnf.fr/\nhttp://www.bnf.fr/"
    assert default_seeds("192.0.2.7") == "http://192.0.2.7/"


def test_seeds_keep_their_notes_and_get_a_scheme() -> None:
    kept = check_seeds("# home\n bnf.fr \n\nhttps://bnf.fr/a")
    assert kept == "# home\nhttp://bnf.fr/\n\nhttps://bnf.fr/a"
    assert seeds_in(kept) == ["http://bnf.fr/", "https://bnf.fr/a"]


def test_a_wrong_seed_is_named_by_its_line() -> None:
    with pytest.raises(Refused, match="Line 2"):
        check_seeds("http://bnf.fr/\njavascript:alert(1)")
    with pytest.raises(Refused, match="at least one seed"):
        check_seeds("# nothing\n")


def test_traps_are_kept_once_in_their_order() -> None:
    assert check_traps(["/calendar/", "", " /basket ", "/calendar/"]) == ("/calendar/", "/basket")


@pytest.mark.parametrize("pattern", ["(", "(?=x)", r"(a)\1", "x" * 1001, "é"])
def test_a_trap_that_the_crawler_cannot_use_is_named_by_its_line(pattern: str) -> None:
    with pytest.raises(Refused, match="line 2"):
        check_traps(["/good/", pattern])


def test_what_a_form_sends_is_read_line_by_line() -> None:
    assert parse_form_fields("user=ada\npassword=a=b\n") == {"user": "ada", "password": "a=b"}
    with pytest.raises(Refused, match="Line 1"):
        parse_form_fields("user")
