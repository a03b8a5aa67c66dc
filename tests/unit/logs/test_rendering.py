"""One event is one line, whatever it contains."""

import json

import pytest

from armarium.logs.setup import ConsoleLine, as_json, one_line

EVENT = {"timestamp": "2025-03-01T12:00:00.000000Z", "level": "info", "process": "web", "pid": 7}

plain = ConsoleLine(colours=False)


def test_a_line_for_people_shows_when_how_grave_who_what_and_the_rest() -> None:
    event = EVENT | {"event": "signed in", "account": "ada", "reason": 'it "works"', "count": 3}

    assert plain(None, "info", event) == (
        '2025-03-01T12:00:00.000000Z info     web[7] signed in account=ada reason="it \\"works\\"" count=3'
    )


@pytest.mark.parametrize(
    "hostile",
    [
        "x\n2025-03-01T12:00:00Z info web[7] signed in account=admin",
        "x\r\n",
        "x\x1b[2J",
        "x\x85y",
        "x\u2028y",
        "x\u202egnp",
        "x\udc80",
        "\x00",
    ],
)
def test_hostile_characters_cannot_begin_a_line_or_command_the_terminal(hostile: str) -> None:
    for event in (EVENT | {"event": hostile}, EVENT | {"event": "x", "url": hostile, hostile: 1}):
        line = plain(None, "info", event)

        assert len(line.splitlines()) == 1
        assert line.isprintable()
        line.encode("utf-8")


def test_a_value_cannot_pass_for_another_key() -> None:
    line = plain(None, "info", EVENT | {"event": "x", "name": "ada role=administrator"})

    assert line.endswith('name="ada role=administrator"')


@pytest.mark.parametrize("name", ['x" level=critical', 'x\\" level=critical fake="y', "x \\"])
def test_a_value_cannot_close_its_quotes(name: str) -> None:
    line = plain(None, "info", EVENT | {"event": "x", "name": name})

    assert json.loads(line.partition("name=")[2]) == name


def test_every_line_of_a_traceback_stands_behind_a_bar() -> None:
    line = plain(
        None, "info", EVENT | {"event": "x", "exception": "Traceback:\n  ValueError: a\rb\n2025 info"}
    )

    assert line.splitlines()[1:] == [
        "    | Traceback:",
        "    |   ValueError: a",
        "    | b",
        "    | 2025 info",
    ]


def test_letters_of_all_languages_stay_readable() -> None:
    assert one_line("Bücher – Œuvre – 日本") == "Bücher – Œuvre – 日本"


def test_a_line_for_machines_is_one_line_of_ascii_that_gives_the_same_back() -> None:
    event = EVENT | {"event": "x\n\u2028\x85é\udc80", "n": [1, {"a": None}]}

    line = as_json(None, "info", event)

    assert line.isascii()
    assert len(line.splitlines()) == 1
    assert json.loads(line) == event
