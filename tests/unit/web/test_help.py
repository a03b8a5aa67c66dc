"""Help: every page of the documentation renders, and each of its links leads somewhere."""

import re
from pathlib import Path

import pytest

from armarium.server.site_sections import SITE_SECTIONS
from armarium.web.help import pages
from armarium.web.help.guides import GUIDES, guide
from armarium.web.help.library import HELP, LARGE, Library, Source
from armarium.web.help.rendering import rendered
from armarium.web.help.searching import Index

LIBRARY = pages.library()
SHOWN = [
    (name, chapter)
    for name, page in LIBRARY.pages.items()
    for chapter in (page.chapters if page.is_large else [""])
]
MOST = 65_000  # bytes: with the shell, its styles and scripts, a page is to stay within 150 kB


def html_of(name: str, chapter: str) -> str:
    return str(pages.html_of(name, chapter, "Table"))


def ids_of(name: str, chapter: str) -> set[str]:
    return set(re.findall(r' id="([^"]+)"', html_of(name, chapter)))


def broken(html: str) -> list[str]:
    """Links and pictures of the help that lead nowhere, as the browser would follow them."""
    wrong = []
    for target in re.findall(r'(?:href|src)="(/help/[^"]*)"', html):
        path, _, anchor = target.removeprefix(HELP).partition("#")
        if path in LIBRARY.pictures:
            continue
        found = LIBRARY.found(path)
        if found is None or (anchor and anchor not in ids_of(found[0].name, found[1])):
            wrong.append(target)
    return wrong


def test_every_page_renders_lightly_and_each_of_its_links_leads_somewhere() -> None:
    assert len(SHOWN) > 100
    wrong = {shown: found for shown in SHOWN if (found := broken(html_of(*shown)))}
    assert wrong == {}
    assert {shown: size for shown in SHOWN if (size := len(html_of(*shown).encode())) > MOST} == {}


def test_links_that_the_documentation_has_are_kept_or_become_text() -> None:
    html = "".join(html_of(*shown) for shown in SHOWN)
    assert '.md"' not in html
    assert 'href=""' not in html
    assert 'src=""' not in html


def test_every_page_of_the_menu_leads_to_a_page_of_help() -> None:
    assert {page for page in GUIDES.values() if page not in LIBRARY.pages} == set()
    entries = [entry.href for section in SITE_SECTIONS for entry in section.entries]
    places = [path for path in GUIDES if path not in {"/", "/account"}]
    assert [path for path in places if not any(href.startswith(path) for href in entries)] == []
    assert guide("/selection/records/7/edit") == "/help/how-to/select-sites"
    assert guide("/nowhere") == "/help/"


def page(tmp_path: Path, text: str) -> tuple[Library, Source]:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text(text)
    (tmp_path / "secret.toml").write_text("x = 1")
    library = Library(tmp_path)
    return library, library.pages["page"]


@pytest.mark.parametrize(
    "name", ["../secret.toml", "secret.toml", "docs/page.md", "page/nothing", "%2e%2e/secret.toml"]
)
def test_only_what_is_listed_is_found(tmp_path: Path, name: str) -> None:
    library, _ = page(tmp_path, "# Page\n")
    assert library.found(name) is None
    assert name not in library.pictures


def test_html_in_a_page_is_text_and_dangerous_links_are_none(tmp_path: Path) -> None:
    library, source = page(
        tmp_path, "# Page\n\n<script>alert(1)</script> [x](javascript:alert(1))\n\n## Same\n\n## Same\n"
    )
    html = rendered(source.pieces, lambda target: library.lead(source, target), "Table")
    assert "<script" not in html
    assert "href" not in html
    assert 'id="same"' in html
    assert 'id="same-1"' in html


def test_headings_and_corners_of_tables_are_those_of_a_page(tmp_path: Path) -> None:
    _, source = page(tmp_path, "## Chapter\n\n### Part\n\n|  | a |\n|---|---|\n| b | c |\n")
    html = rendered(source.pieces, lambda _: None, "Table")
    assert '<h2 id="part">Part</h2>' in html
    assert "<td></td>\n<th>a</th>" in html


def test_a_large_page_is_shown_by_its_chapters(tmp_path: Path) -> None:
    text = (
        "# Page\n\n[on](#deep)\n\n## One\n\n" + "word " * (LARGE // 5) + "\n\n## Two\n\n### Deep\n\nText.\n"
    )
    library, source = page(tmp_path, text)
    assert library.lead(source, "#deep") == "/help/page/two#deep"
    assert library.lead(source, "page.md#two") == "/help/page/two"
    assert library.found("page/two") == (source, "two")


def test_the_glossary_is_in_the_order_of_its_words() -> None:
    words_of = LIBRARY.pages["glossary"].text.partition("## Words")[2]
    words = re.findall(r"^\*\*([^*]+)\*\*(?: (\([^)]*\)))?", words_of, re.MULTILINE)
    assert len(words) > 70
    assert words == sorted(words, key=lambda word: " ".join(word).casefold())


def test_the_search_finds_parts_of_pages_with_all_words_the_best_first(tmp_path: Path) -> None:
    _, source = page(
        tmp_path, "# Page\n\nOf replicas & more.\n\n## Replicas\n\nA `replica` is a copy.\n\n## Else\n\nNo.\n"
    )
    hits = Index([source]).find("REPLICA")
    assert [(hit.heading, hit.href) for hit in hits] == [
        ("Replicas", "/help/page#replicas"),
        ("", "/help/page"),
    ]
    assert hits[0].excerpt == "A <mark>replica</mark> is a copy."
    assert "&amp;" in hits[1].excerpt
    assert Index([source]).find("replica nowhere") == []
