"""The reader of XML that does not stop at faults."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.formats.text.xml import Characters, End, Start, XmlReader
from tests.cost import processor_seconds


def events(*pieces: str, alone: frozenset[str] = frozenset()) -> list[str]:
    """The document as it was understood, written out shortly."""
    written: list[str] = []
    for event in XmlReader(alone).read(pieces):
        if isinstance(event, Start):
            written.append(f"<{event.name}")
        elif isinstance(event, End):
            written.append(f"{event.name}>")
        elif written and written[-1].startswith("'"):
            written[-1] += event.text
        else:
            written.append(f"'{event.text}")
    return written


def test_elements_and_text_are_read() -> None:
    assert events("<a b='1'>x<![CDATA[<&]]>y<c/></a>") == ["<a", "'x<&y", "<c", "c>", "a>"]


def test_attributes_come_with_their_references_undone() -> None:
    (start, _) = XmlReader().read(["<a HREF='?x=1&amp;y=2&z=3' b=c/>"])
    assert isinstance(start, Start)
    assert start.attributes == {"href": "?x=1&y=2&z=3", "b": "c"}


@pytest.mark.parametrize(
    ("document", "understood"),
    [
        ("<a>x&y</a>", ["<a", "'x&y", "a>"]),
        ("<a>&eacute;&#233;&#xE9;</a>", ["<a", "'ééé", "a>"]),
        ("<a><b>x</a>", ["<a", "<b", "'x", "b>", "a>"]),
        ("<a>x</b></a>", ["<a", "'x", "a>"]),
        ("<a>1 < 2</a>", ["<a", "'1 < 2", "a>"]),
        ("<a", []),
        ("<a>x<![CDATA[y", ["<a", "'xy", "a>"]),
        ("<a>x<!-- y", ["<a", "'x", "a>"]),
        ("<a t='O'Reilly'>x</a>", ["<a", "'x", "a>"]),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", ["<a", "'&b;", "a>"]),
    ],
)
def test_damage_is_stepped_over(document: str, understood: list[str]) -> None:
    assert events(document) == understood


def test_a_new_one_ends_the_old_one_where_they_do_not_nest() -> None:
    assert events("<s><u>1<u>2</s>", alone=frozenset(["u"])) == [
        "<s",
        "<u",
        "'1",
        "u>",
        "<u",
        "'2",
        "u>",
        "s>",
    ]


def test_namespaces_are_told_and_prefixes_that_nobody_declared() -> None:
    document = "<a xmlns='urn:1' xmlns:p='urn:2'><p:b/><q:c/></a>"
    starts = [event for event in XmlReader().read([document]) if isinstance(event, Start)]
    assert [(start.space, start.name) for start in starts] == [("urn:1", "a"), ("urn:2", "b"), ("q", "c")]


@pytest.mark.parametrize(
    "unit", ["<", "<!", "<!--", "<![CDATA[", "<a ", "<a '", "&", "</a>", "<!DOCTYPE [", "<?"]
)
def test_no_document_takes_more_than_its_length(unit: str) -> None:
    with processor_seconds(3):
        list(XmlReader().read(["<r>", unit * (1_000_000 // len(unit))]))


_MARKUP = st.lists(
    st.sampled_from(
        [
            "<a>",
            "</a>",
            "<b c='d'>",
            "</b>",
            "x",
            "&amp;",
            "&",
            "<",
            "<!--",
            "-->",
            "<![CDATA[",
            "]]>",
            "<e/>",
        ]
    ),
    max_size=20,
).map("".join)


@given(_MARKUP, st.integers(min_value=1, max_value=7))
def test_it_does_not_matter_how_a_document_is_cut(document: str, size: int) -> None:
    pieces = [document[at : at + size] for at in range(0, len(document), size)]
    assert events(*pieces) == events(document)


@given(st.text(max_size=300))
def test_any_text_gives_properly_nested_elements(document: str) -> None:
    depth = 0
    for event in XmlReader().read([document]):
        depth += isinstance(event, Start) - isinstance(event, End)
        assert depth >= 0
    assert depth == 0


@pytest.mark.parametrize(
    ("opening", "length", "closing", "size", "text"),
    [
        ("<!-- ", 2_000_000, "-->", 700, ""),
        ("<?a ", 2_000_000, "?>", 700, ""),
        ("<![CDATA[", 2_000_000, "]]>", 700, "y" * 2_000_000),
        ("<e a='", 40_000, "'/>", 1, ""),
    ],
)
def test_small_pieces_take_no_more_time_than_large_ones(
    opening: str, length: int, closing: str, size: int, text: str
) -> None:
    document = f"<r>{opening}{'y' * length}{closing}z</r>"
    with processor_seconds(1):
        read = list(XmlReader().read(document[at : at + size] for at in range(0, len(document), size)))
    assert "".join(event.text for event in read if isinstance(event, Characters)) == text + "z"


def test_a_comment_of_any_length_is_skipped() -> None:
    pieces = ["<r>a<!--", *["<u>-" * 50_000] * 60, "-", "->b</r>"]
    assert events(*pieces) == ["<r", "'ab", "r>"]
