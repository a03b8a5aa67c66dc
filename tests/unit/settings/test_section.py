from enum import Enum
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import SecretStr, ValidationError

from armarium.settings import Section, key
from armarium.settings.section import Catalogue, help_of, keys_of


class DoorSettings(Section, name="door"):
    """The door of the
    reading room."""

    width: int = key(90, "Width in\n  centimetres.", ge=60, le=200)
    code: SecretStr | None = key(None, "What to type.")


def test_a_section_knows_its_name_and_its_help() -> None:
    assert DoorSettings.section_name == "door"
    assert help_of(DoorSettings) == "The door of the reading room."


def test_a_section_without_a_docstring_has_no_help() -> None:
    class Bare(Section, name="bare"):
        pass

    assert help_of(Bare) == ""


def test_a_key_has_all_that_was_declared() -> None:
    width, code = keys_of(DoorSettings)
    assert (width.name, width.default, width.help) == ("width", 90, "Width in centimetres.")
    assert width.limits == {"ge": 60, "le": 200}
    assert width.variable == "ARMARIUM_DOOR_WIDTH"
    assert not width.secret
    assert code.secret


def test_a_section_cannot_be_changed() -> None:
    door = DoorSettings()
    with pytest.raises(ValidationError):
        door.width = 100


def test_a_section_made_in_code_takes_no_unknown_key_and_no_wrong_type() -> None:
    values: list[dict[str, Any]] = [{"widht": 80}, {"width": "80"}, {"width": True}, {"width": 10}]
    for wrong in values:
        with pytest.raises(ValidationError):
            DoorSettings(**wrong)


def test_an_error_of_pydantic_does_not_carry_the_value() -> None:
    class Safe(Section, name="safe"):
        code: SecretStr = key(SecretStr(""), "Code.", max_length=4)

    with pytest.raises(ValidationError) as caught:
        Safe(code=SecretStr("hunter2"))
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("name", ["", "Web", "web-site", "1web", "web__site", "_web", "web_", "wéb", "a.b"])
def test_a_section_needs_a_name_that_file_and_environment_can_both_write(name: str) -> None:
    with pytest.raises(TypeError, match="cannot name a section"):
        type("Wrong", (Section,), {}, name=name)


@pytest.mark.parametrize("name", ["Port", "web__port", "port_"])
def test_a_key_needs_a_name_that_file_and_environment_can_both_write(name: str) -> None:
    with pytest.raises(TypeError, match="cannot name a setting"):
        type("Wrong", (Section,), {"__annotations__": {name: int}, name: key(1, "Help.")}, name="wrong")


class Floors(Enum):
    GROUND = 0.5


@pytest.mark.parametrize(
    "unsupported",
    [
        dict[str, str],
        int | str,
        int | str | None,
        list[list[str]],
        list[str | None],
        list[SecretStr],
        tuple[int, str],
        bytes,
        Any,
        Floors,
        Literal[True],
    ],
)
def test_a_type_that_a_settings_file_cannot_hold_is_refused_when_it_is_declared(unsupported: object) -> None:
    body = {"__annotations__": {"thing": unsupported}, "thing": key(None, "Help.")}
    with pytest.raises(TypeError, match=r"Wrong\.thing"):
        type("Wrong", (Section,), body, name="wrong")


def test_a_secret_with_its_value_in_the_source_is_refused() -> None:
    with pytest.raises(TypeError, match="a secret in the source"):

        class Wrong(Section, name="wrong"):
            password: SecretStr = key(SecretStr("letmein"), "Password.")


def test_two_classes_cannot_claim_the_same_section() -> None:
    class Other(Section, name="door"):
        pass

    with pytest.raises(TypeError, match="DoorSettings both claim section"):
        Catalogue([DoorSettings, Other])


def test_two_keys_cannot_share_an_environment_variable() -> None:
    class Web(Section, name="web"):
        log_level: str = key("info", "Level.")

    class WebLog(Section, name="web_log"):
        level: str = key("info", "Level.")

    with pytest.raises(TypeError, match="share the variable ARMARIUM_WEB_LOG_LEVEL"):
        Catalogue([Web, WebLog])


def test_a_section_cannot_take_the_variables_of_the_test_run() -> None:
    class Test(Section, name="test"):
        path: Path = key(Path("x"), "Path.")

    with pytest.raises(TypeError, match="rename"):
        Catalogue([Test])


def test_declaring_a_section_registers_it_nowhere() -> None:
    assert list(Catalogue([]).sections) == []
