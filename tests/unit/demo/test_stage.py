"""What is seen while the demonstration is built: bars on a terminal, plain lines elsewhere."""

import io

import pytest
from rich.console import Console
from rich.text import Text

from armarium.demo.stage import PlainStage, TerminalStage, counted, size, stage_for


def test_plain_lines_tell_the_end_of_each_step(capsys: pytest.CaptureFixture[str]) -> None:
    stage = stage_for(Console(file=io.StringIO()))
    assert isinstance(stage, PlainStage)
    with stage.steps("Storage", "Index") as (storing, indexing):
        storing.show("1 of 2", 1, 2)
        storing.end("2 files")
        indexing.end("3 captures")
    said = capsys.readouterr().out
    assert said.startswith("Storage: 2 files (")
    assert "\nIndex: 3 captures (" in said
    assert "1 of 2" not in said


def test_a_terminal_keeps_one_line_of_80_columns_for_each_step() -> None:
    output = io.StringIO()
    console = Console(file=output, force_terminal=True, width=80, legacy_windows=False)
    stage = stage_for(console)
    assert isinstance(stage, TerminalStage)
    with stage.step("Selection") as step:
        step.show("10 of 30", 10, 30)
        step.end("36 addresses: 4 dead, 2 moved; 32 records")
    with console.capture() as drawn:
        stage.tell("A month passes.")
    assert "A month passes." in drawn.get()
    (last,) = [line for line in output.getvalue().splitlines() if "36 addresses" in line]
    assert len(Text.from_ansi(last).plain) <= 80


def test_a_step_that_fails_leaves_no_line_of_success() -> None:
    output = io.StringIO()
    stage = TerminalStage(Console(file=output, force_terminal=True, width=80))
    with pytest.raises(RuntimeError), stage.step("Selection"):
        raise RuntimeError
    assert "✓" not in output.getvalue()


def test_numbers_are_told_as_people_say_them() -> None:
    assert counted(1, "file") == "1 file"
    assert counted(1234, "file") == "1,234 files"
    assert counted(2, "person", "people") == "2 people"
    assert [size(number) for number in (999, 1500, 2_300_000, 5e12)] == [
        "999 bytes",
        "1.5 kB",
        "2.3 MB",
        "5,000.0 GB",
    ]
