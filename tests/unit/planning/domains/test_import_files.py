"""Files of domains, line by line."""

import pytest

from armarium.planning.domains.import_files import Fault, Line, lines_of


def test_names_addresses_and_seeds_may_stand_in_one_file() -> None:
    text = [
        "\ufeffbnf.fr\n",
        "# note\n",
        "\n",
        "https://www.bl.uk/a\n",
        "ina.fr\tina.fr/fr\r\n",
        "www2.dnb.de\n",
    ]
    assert list(lines_of(text)) == [
        Line(1, "bnf.fr", None, ""),
        Line(4, "bl.uk", "https://www.bl.uk/a", ""),
        Line(5, "ina.fr", "http://ina.fr/fr", ""),
        Line(6, "dnb.de", "http://www2.dnb.de/", ""),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("-bad-.fr", "hyphen"),
        ("http://bad-.fr/page", "hyphen"),
        ("a_b.fr", "hyphen"),
        ("co.uk", "registry"),
        ("gouv.fr", "registry"),
        ("192.0.2.1", "machine"),
        ("http://[2001:db8::1]/", "machine"),
    ],
)
def test_what_nobody_can_have_registered_is_refused_with_its_reason(line: str, reason: str) -> None:
    (found,) = lines_of([line])
    assert isinstance(found, Fault)
    assert reason in str(found.fault)


def test_registered_names_of_hosting_services_and_odd_hosts_below_a_domain_are_taken() -> None:
    found = list(lines_of(["github.io", "http://-odd-.example.fr/", "xn--muse-epa.fr"]))
    names = [one.name for one in found if isinstance(one, Line)]
    assert names == ["github.io", "example.fr", "xn--muse-epa.fr"]


def test_csv_is_known_by_its_header() -> None:
    text = ["comments;name;seed\n", '"a; b";bnf.fr;http://bnf.fr/x\n', ";bl.uk;\n", '"open;x.fr;\n']
    first, second, third = lines_of(text)
    assert first == Line(2, "bnf.fr", "http://bnf.fr/x", "a; b")
    assert second == Line(3, "bl.uk", None, "")
    assert isinstance(third, Fault)
    assert "quotation mark" in str(third.fault)


def test_a_line_that_cannot_be_used_is_told_with_its_number_and_text() -> None:
    bad, latin, nul = lines_of(["not a domain", "caf\udce9.fr", "a\0b.fr"])
    assert isinstance(bad, Fault)
    assert (bad.number, bad.text) == (1, "not a domain")
    assert isinstance(latin, Fault)
    assert "UTF-8" in str(latin.fault)
    latin.kept()["text"].encode()
    assert isinstance(nul, Fault)
    assert "\0" not in nul.text
