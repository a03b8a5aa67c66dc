"""From links to the frontier: resolved as by the URL Standard, and remembered without ever being wrong."""

from itertools import permutations, product

import pytest

from armarium.formats.url import InvalidUrl, resolve
from armarium.harvest.engine import discovery
from armarium.harvest.engine.discovery import Discovery, Outlink
from armarium.harvest.extract import Found
from armarium.harvest.model import Candidate, Hop, Link, Status
from armarium.harvest.scope.scope import Decision


class Gate:
    """Lets in what is on example.org."""

    def __init__(self) -> None:
        self.asked: list[Candidate] = []

    def decide(self, candidate: Candidate) -> Decision:
        self.asked.append(candidate)
        inside = "//example.org" in candidate.url
        return Decision(
            inside, "host" if inside else "outside", "", Status.UNTRIED if inside else Status.OUT_OF_SCOPE
        )


class Register:
    def __init__(self) -> None:
        self.added: list[Candidate] = []
        self.rejected: list[tuple[str, str, int]] = []

    def add(self, candidate: Candidate, *, rule: str = "", force: bool = False) -> bool:
        known = candidate.url in [one.url for one in self.added]
        if not known:
            self.added.append(candidate)
        return not known

    def reject(self, candidate: Candidate, rule: str, status: int) -> None:
        self.rejected.append((candidate.url, rule, status))


def taken(
    discovery: Discovery, url: str, *references: str, base: str = "", encoding: str = "utf-8"
) -> list[Outlink]:
    links = [Link(reference, Hop.LINK, "a/@href") for reference in references]
    return discovery.take(url, "L", "tag", Found(base, encoding, links))


def test_links_are_resolved_and_put_before_the_scope() -> None:
    gate, register = Gate(), Register()
    links = taken(
        Discovery(gate, register), "http://example.org/a/b", "c#part", "//elsewhere.net/", "mailto:x@y"
    )

    assert [link.url for link in links] == ["http://example.org/a/c", "http://elsewhere.net/"]
    assert register.added == [
        Candidate("http://example.org/a/c", "LL", "http://example.org/a/b", "tag", "a/@href")
    ]
    assert register.rejected == [("http://elsewhere.net/", "outside", Status.OUT_OF_SCOPE)]


def test_a_link_that_is_scheduled_is_not_put_before_the_scope_again() -> None:
    gate = Gate()
    discovery = Discovery(gate, Register())
    for page in ("http://example.org/1", "http://example.org/2"):
        assert len(taken(discovery, page, "/menu")) == 1
    assert len(gate.asked) == 1

    discovery.forget()
    taken(discovery, "http://example.org/3", "/menu")
    assert len(gate.asked) == 2, "the rules may have changed"


def test_the_base_of_a_document_counts() -> None:
    links = taken(
        Discovery(Gate(), Register()), "http://example.org/a/", "x", base="http://example.org/other/"
    )

    assert links[0].url == "http://example.org/other/x"


def test_the_same_reference_means_another_thing_in_another_encoding() -> None:
    discovery = Discovery(Gate(), Register())
    utf8 = taken(discovery, "http://example.org/", "/?q=é")[0].url
    latin = taken(discovery, "http://example.org/", "/?q=é", encoding="iso-8859-1")[0].url

    assert utf8.endswith("%C3%A9")
    assert latin.endswith("%E9")


BASES = [
    "http://example.org/",
    "http://example.org/a",
    "http://example.org/a/b",
    "http://example.org/a/c?d=/e/f",
    "http://example.org/a/c?d=/e/",
    "https://example.org/a/b",
    "https://example.org/a/c",
    "http://example.org:8080/a/b",
    "http://other.net/a/b",
]
REFERENCES = [
    "", "?x", "#y", " ?x", "\t#y", "\x01?x", "b", "./b", "../b", "/b", "//example.org/z", "/?x", "\\b",
    "http:b", "http:?x", "https:?x", "http:/b", "HTTP://example.org/q", "https://example.org/", "/\\x/y",
    ";p", "a b", "b?x", ".", "..", "é", "?é", "ht\ntp:?x", "h\tttps:?x", "http:", "\n\t?x", "https:#",
    "javascript:1",
]  # fmt: skip


@pytest.mark.parametrize("reference", REFERENCES)
def test_what_is_remembered_is_what_would_be_resolved_anew(reference: str) -> None:
    for order in permutations(BASES, 2):
        discovery = Discovery(Gate(), Register())
        for base, encoding in product(order, ("utf-8", "iso-8859-1")):
            links = taken(discovery, base, reference, encoding=encoding)
            assert (links[0].url if links else "") == resolved(base, reference, encoding)


def resolved(base: str, reference: str, encoding: str) -> str:
    try:
        address = resolve(base, reference, encoding).partition("#")[0]
    except InvalidUrl:
        return ""
    return address if address.startswith(("http://", "https://")) else ""


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "MOST_REMEMBERED", 50)
    found = Discovery(Gate(), Register())
    for number in range(500):
        links = taken(found, f"http://example.org/{number}/", f"/{number}", "same")
        assert [link.url for link in links] == [
            f"http://example.org/{number}",
            f"http://example.org/{number}/same",
        ]
    assert len(found._scheduled) <= 50
    assert sum(map(len, found._resolved.values())) <= 60
