"""The places of sections and keys, above all where a careless reader of lines would be misled."""

import random
import tomllib
from typing import Any

import pytest

from armarium.settings.document import Name, lines_of

CASES: dict[str, tuple[str, dict[Name, int]]] = {
    "an empty file": ("", {}),
    "only a comment without a line end": ("# nothing", {}),
    "a section and its keys": (
        "# head\n\n[web]\nport = 1\n  host = 'x' # why\n",
        {("web",): 3, ("web", "port"): 4, ("web", "host"): 5},
    ),
    "two sections with the same key": (
        "[a]\nport = 1\n[b]\nport = 2",
        {("a",): 1, ("a", "port"): 2, ("b",): 3, ("b", "port"): 4},
    ),
    "a dotted key at the top": (
        "\nweb.port = 1\nweb . host = 2",
        {("web",): 2, ("web", "port"): 2, ("web", "host"): 3},
    ),
    "quoted names": (
        '["we\\u0062"]\n\'port\' = 1\n"a.b" = 2\n"x = y" = 3\n',
        {("web",): 1, ("web", "port"): 2, ("web", "a.b"): 3, ("web", "x = y"): 4},
    ),
    "spaces inside the brackets": ("[ web ]\nport=1", {("web",): 1, ("web", "port"): 2}),
    "a comment after the header": ("[web] # [mail]\n# port = 1\nport = 2", {("web",): 1, ("web", "port"): 3}),
    "an inline table": (
        "web = { port = 1, host = 'a,}' }\n",
        {("web",): 1, ("web", "port"): 1, ("web", "host"): 1},
    ),
    "nested inline tables": (
        "web = {a = {b = {c = 1}}, d = [ {e = 1} ], f = 2}\n[mail]",
        {("web",): 1, ("web", "a"): 1, ("web", "d"): 1, ("web", "f"): 1, ("mail",): 2},
    ),
    "an empty inline table": ("web = {}\n[b]", {("web",): 1, ("b",): 2}),
    "a section that looks like one inside a multi-line text": (
        '[a]\nx = """\n[web]\nport = 1\n"""\ny = 2',
        {("a",): 1, ("a", "x"): 2, ("a", "y"): 6},
    ),
    "the same in a literal text": (
        "[a]\nx = '''\n[web]\nport = 1 \\'''\ny = 2",
        {("a",): 1, ("a", "x"): 2, ("a", "y"): 5},
    ),
    "quotes next to the closing quotes": (
        '[a]\nx = """"one""""" # three and two\ny = """\\""""\nz = \'\'\'\'\'\'\'\'\nw = ""\n',
        {("a",): 1, ("a", "x"): 2, ("a", "y"): 3, ("a", "z"): 4, ("a", "w"): 5},
    ),
    "an escaped quote and a hash in a text": (
        '[a]\nx = "\\" # \\\\"\ny = "#"\n',
        {("a",): 1, ("a", "x"): 2, ("a", "y"): 3},
    ),
    "an array over several lines with comments and brackets in texts": (
        '[a]\nx = [\n  "]", # ] b = 1\n  "[web]",\n  """\n]\n""",\n  [1, [2]], {p = "}"},\n]\ny = 1',
        {("a",): 1, ("a", "x"): 2, ("a", "y"): 10},
    ),
    "an array of tables": ("[[web]]\nport = 1\n[[web]]\nport = 2", {("web",): 1, ("web", "port"): 2}),
    "a table below a section": (
        "[web.tls]\nkey = 1\n[web]\nport = 1",
        {("web",): 1, ("web", "tls"): 1, ("web", "port"): 4},
    ),
    "a dotted key below a section": ("[web]\ntls.key = 1\ntls.cert = 2", {("web",): 1, ("web", "tls"): 2}),
    "dates, numbers and flags": (
        "[a]\nd = 1979-05-27 07:32:00Z # x\ne = -1e-3\nf = true\ng = 0xff",
        {("a",): 1, ("a", "d"): 2, ("a", "e"): 3, ("a", "f"): 4, ("a", "g"): 5},
    ),
    "an empty name": ('["web"]\n"" = 1', {("web",): 1, ("web", ""): 2}),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_the_line_is_found_in(text: str, expected: dict[Name, int]) -> None:
    tomllib.loads(text)  # the reader may trust only what is TOML
    assert lines_of(text) == expected


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_line_ends_of_windows_change_nothing(text: str, expected: dict[Name, int]) -> None:
    assert lines_of(text.replace("\n", "\r\n")) == expected


VALUES = [
    "1",
    "-0.5e3",
    "true",
    "1979-05-27",
    '""',
    "''",
    '"a # b"',
    '"\\"]}"',
    "'\\'",
    '"""\n[x]\ny = 1\n"""',
    '"""a""""" ',
    "'''\n# '' ]\n'''",
    "[]",
    "[1, 2, # ]\n 3,\n]",
    "[[\"]\"], ['[']]",
    "[{a = 1}, {b = '}'}]",
    "{}",
    "{a = 1, 'b.c' = [1, {d = 2}]}",
    "{a.b = '''}''', c = \"\"\"\n,\"\"\"}",
]
FILL = ["", "\n", "  # [no] = 1\n", "\t\n\n", "# x = '''\n"]


def _random_document(chance: random.Random) -> tuple[str, dict[Name, int]]:
    """A valid text whose places are known because they were counted while it was written."""
    text = ""
    places: dict[Name, int] = {}
    for section in range(chance.randrange(4)):
        text += chance.choice(FILL)
        name = f"s{section}"
        places[(name,)] = text.count("\n") + 1
        text += chance.choice([f"[{name}]", f'[ "{name}" ]', f"['{name}'] # c"]) + "\n"
        for key in range(chance.randrange(5)):
            text += chance.choice(FILL)
            places[name, f"k{key}"] = text.count("\n") + 1
            written = chance.choice(
                [f"k{key}", f'"k{key}"', f" 'k{key}'", f"k{key}.deep", f"k{key} . 'de.ep'"]
            )
            text += f"{written} = {chance.choice(VALUES)}" + chance.choice(["\n", " # end\n"])
    return text, places


def test_the_lines_of_random_documents_are_those_at_which_they_were_written() -> None:
    for seed in range(500):
        text, places = _random_document(random.Random(seed))
        assert _names(tomllib.loads(text)) == set(places)
        assert lines_of(text) == places, text


def test_a_hundred_thousand_keys_do_not_take_quadratic_time() -> None:
    text = "[a]\n" + "".join(f"k{number} = 1\n" for number in range(100_000))
    assert lines_of(text)["a", "k99999"] == 100_001


def test_even_text_that_is_not_toml_comes_to_an_end() -> None:
    chance = random.Random(1)
    for _ in range(2000):
        lines_of("".join(chance.choices("[]{}=.,#\"'\\ \n\tab1", k=60)))


def _names(document: dict[str, Any]) -> set[Name]:
    deeper = {(name, key) for name, table in document.items() for key in table}
    return {(name,) for name in document} | deeper
