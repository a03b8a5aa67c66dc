"""Keep the catalogues of translations in step with the source.

    python tools/translations.py update   enter new sentences into every catalogue, drop those no longer said
    python tools/translations.py check    print what is missing or wrong; fails when there is something

Comes in: the Python files and templates of the package, the catalogues. Goes out: the same catalogues, sorted
and without dates or places, so that a change of a sentence is all that a difference shows: who moves a module
touches no catalogue, and a search in the source finds who says a sentence.
It must never translate by itself: a new sentence stands empty until a person has filled it in.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po
from jinja2 import Environment

SOURCE = Path(__file__).resolve().parent.parent / "src" / "armarium"
CATALOGUES = SOURCE / "languages" / "catalogues"
COMMAND = "python tools/translations.py"

KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2), "message": None}
METHODS = [("**.py", "python"), ("**/templates/**.html", "jinja2"), ("**/templates/**.txt", "jinja2")]
# As in armarium.web.shell: otherwise the extractor would read another grammar than the pages.
TEMPLATE_OPTIONS = {"trim_blocks": "true", "silent": "false", "newstyle_gettext": "true"}
WIDTH = 110

PLACE = re.compile(r"%\((\w+)\)s")
END = re.compile(r"[.:;?!…]?[”“’»\"')]*$")
STRAIGHT = re.compile(r"[\"']|\.\.\.")

#: How a language writes quotes, and what would betray another language's habit.
FOREIGN_QUOTES = {
    "da": re.compile("[“„«»]"),
    "de": re.compile("[”«»]"),
    "fr": re.compile("[“”„]"),
    "it": re.compile("[“”„]"),
}
#: French puts a no-break space (U+00A0, or the narrow U+202F) inside its quotes and before high punctuation.
TIGHT = {"fr": re.compile(r"[^\s]\s*(?<![\u00a0\u202f])[;:!?»](?=\s|$|[)»])|«(?![\u00a0\u202f])")}


# --- what the source says


@cache  # three seconds, and the source stays as it is while we run
def extracted() -> Catalog:
    """Every sentence of the source."""
    said = Catalog(fuzzy=False)
    options = {pattern: TEMPLATE_OPTIONS for pattern, method in METHODS if method == "jinja2"}
    found = extract_from_dir(SOURCE, METHODS, options_map=options, keywords=KEYWORDS)
    for _file, _line, sentence, _comments, context in found:
        said.add(sentence, context=context)
    return said


# --- the catalogues


def catalogue_files(folder: Path = CATALOGUES) -> list[Path]:
    return sorted(folder.glob("*.po"))


def read(file: Path) -> Catalog:
    return read_po(BytesIO(file.read_bytes()), locale=Locale.parse(file.stem, sep="-"))


def text_of(catalogue: Catalog) -> bytes:
    header = [
        f"Language: {catalogue.locale}",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: 8bit",
        f"Plural-Forms: {catalogue.plural_forms}",
    ]
    lines = ['msgid ""', 'msgstr ""', *(f'"{line}\\n"' for line in header), ""]
    entries = BytesIO()
    write_po(
        entries,
        catalogue,
        width=WIDTH,
        omit_header=True,
        sort_output=True,
        ignore_obsolete=True,
        no_location=True,
    )
    return "\n".join(lines).encode() + b"\n" + entries.getvalue().strip() + b"\n"


def brought_up_to_date(file: Path, said: Catalog) -> bytes:
    catalogue = read(file)
    catalogue.update(said, no_fuzzy_matching=True)  # a guess would be taken for a translation
    return text_of(catalogue)


def update(folder: Path = CATALOGUES) -> list[str]:
    """Rewrite the catalogues that are behind the source, and say which."""
    said, changed = extracted(), []
    for file in catalogue_files(folder):
        text = brought_up_to_date(file, said)
        if text != file.read_bytes():
            file.write_bytes(text)
            changed.append(file.name)
    return changed


# --- what is wrong with a catalogue


def problems(file: Path, said: Catalog) -> Iterator[str]:
    """One line for each thing that a reader of this language would notice, or that would break a page."""
    catalogue = read(file)
    known = {key(message): message for message in catalogue if message.id}
    for message in said:
        if not message.id:
            continue
        translated = known.pop(key(message), None)
        if translated is None or not any(forms(translated.string)):
            yield f"{file.name}: missing: {first(message)!r}"
        else:
            yield from (
                f"{file.name}: {problem}: {first(message)!r}"
                for problem in faults(translated, catalogue.num_plurals, file.stem)
            )
    yield from (f"{file.name}: no longer said: {first(message)!r}" for message in known.values())
    yield from (
        f"{file.name}: kept as obsolete: {first(message)!r}" for message in catalogue.obsolete.values()
    )


def key(message: Message) -> tuple[object, ...]:
    return (message.context, *forms(message.id))


def first(message: Message) -> str:
    return forms(message.id)[0]


def forms(text: object) -> Sequence[str]:
    """The sentence, or its singular and plural forms."""
    return [text] if isinstance(text, str) else [str(form or "") for form in text] if text else []  # type: ignore[attr-defined]


def faults(translated: Message, plurals: int, code: str) -> Iterator[str]:
    """What is wrong with one translation."""
    if translated.fuzzy:
        yield "marked as fuzzy"
    expected = plurals if translated.pluralizable else 1
    given = forms(translated.string)
    if len(given) != expected or not all(given):
        yield f"has {sum(map(bool, given))} of {expected} plural forms"
    original = forms(translated.id)[-1]
    for form in filter(None, given):
        yield from differences(original, form)
        yield from habits(form, code)


def differences(original: str, form: str) -> Iterator[str]:
    if set(PLACE.findall(original)) != set(PLACE.findall(form)) or percents(original) != percents(form):
        yield "other placeholders"
    if margins(original) != margins(form):
        yield "other white space at the beginning or end"
    if end(original) != end(form):
        yield "other punctuation at the end"


def percents(text: str) -> Counter[str]:
    """What `%` begins besides named places: `%%`, or a sign that would break the page."""
    return Counter(re.findall(r"%%|%.?", PLACE.sub("", text)))


def margins(text: str) -> tuple[str, str]:
    return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]


def end(text: str) -> str:
    found = END.search(text.rstrip())
    return found[0].rstrip("”“’»\"')") if found else ""


def habits(form: str, code: str) -> Iterator[str]:
    if STRAIGHT.search(form):
        yield "typewriter quotes, apostrophe or dots"
    if code in FOREIGN_QUOTES and FOREIGN_QUOTES[code].search(form):
        yield "quotes of another language"
    if code in TIGHT and TIGHT[code].search(form):
        yield "a no-break space is missing"


# --- texts that nobody marked


class PlainWords(HTMLParser):
    """Collects the words of a page that stand there without having been marked for translation."""

    READ_OUT = ("alt", "aria-label", "aria-description", "placeholder", "title")
    # Also the attributes that a macro makes for a tag outside it.
    NO_WORDS = re.compile(r"\bArmarium\b|Authorization: Bearer …|[\w-]+=\"[^\"]*\"")

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.silent = 0  # depth inside script and style

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent += tag in ("script", "style")
        for name, value in attrs:
            if name in self.READ_OUT:
                self.handle_data(value or "")

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self.silent and re.search(r"[^\W\d_]", self.NO_WORDS.sub("", data)):
            self.found.append(" ".join(data.split()))


def unmarked(template: str) -> list[str]:
    """The words in the HTML of a template, between what Jinja fills in."""
    html, inside, trans = [], 0, False
    for _line, kind, value in Environment(autoescape=True).lex(template):
        if kind in ("block_begin", "variable_begin"):
            inside += 1
        elif kind in ("block_end", "variable_end"):
            inside -= 1
        elif kind == "name" and inside and value in ("trans", "endtrans"):
            trans = value == "trans"
        elif kind == "data" and not trans:
            html.append(value)
    words = PlainWords()
    words.feed("".join(html))
    words.close()
    return words.found


def unmarked_in_templates() -> Iterator[str]:
    for file in sorted(SOURCE.glob("**/templates/**/*.html")):
        name = file.relative_to(SOURCE).as_posix()
        for words in unmarked(file.read_text(encoding="utf-8")):
            yield f"{name}: not marked for translation: {words!r}"


def check(folder: Path = CATALOGUES) -> list[str]:
    said = extracted()
    found = [problem for file in catalogue_files(folder) for problem in problems(file, said)]
    return [*found, *unmarked_in_templates()]


def main(arguments: Sequence[str]) -> int:
    if list(arguments) == ["update"]:
        for name in update():
            print(f"updated {name}")
        return 0
    if list(arguments) == ["check"]:
        found = check()
        print("\n".join([*found, f"{len(found)} to mend"]))
        return 1 if found else 0
    print(f"usage: {COMMAND} update|check", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
