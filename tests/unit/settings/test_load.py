import os
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr, field_validator, model_validator

from armarium.core.errors import Misconfigured
from armarium.settings import Section, Settings, key, load
from armarium.settings.problems import Argument, Default, InFile, Variable, WrongSettings


class Robots(StrEnum):
    OBEY = "obey"
    IGNORE = "ignore"


class WebSettings(Section, name="web"):
    """The pages."""

    port: int = key(8080, "Port.", ge=1, le=65535)
    hosts: list[str] = key(["localhost"], "Names.", max_length=3)
    robots: Robots = key(Robots.OBEY, "Robots.")
    delay: float | None = key(0.5, "Delay.", gt=0)


class MailSettings(Section, name="mail"):
    """Mail."""

    host: str = key("localhost", "Server.", min_length=1, pattern=r"^[a-z0-9.-]*$")
    user: str | None = key(None, "User.")
    password: SecretStr | None = key(None, "Password.", min_length=4)

    @field_validator("user")
    @classmethod
    def _has_no_space(cls, user: str | None) -> str | None:
        if user and " " in user:
            raise ValueError("must not contain a space.")
        return user

    @model_validator(mode="after")
    def _user_needs_password(self) -> "MailSettings":
        if self.user and not self.password:
            raise ValueError("needs a password when it has a user")
        return self


SECTIONS = (WebSettings, MailSettings)


def loaded(home: Path, text: str = "", **environ: str) -> Settings:
    (home / "armarium.toml").write_text(text, encoding="utf-8")
    return load(SECTIONS, home=home, environ=environ)


def refused(home: Path, text: str = "", **environ: str) -> list[str]:
    with pytest.raises(WrongSettings) as caught:
        loaded(home, text, **environ)
    return [str(problem) for problem in caught.value.problems]


# Where values come from


def test_without_file_and_environment_everything_is_at_its_default(tmp_path: Path) -> None:
    settings = load(SECTIONS, home=tmp_path, environ={})
    assert settings[WebSettings] == WebSettings()
    assert settings.file is None
    assert settings.origin(WebSettings, "port") == Default()


def test_the_file_has_precedence_over_the_default(tmp_path: Path) -> None:
    settings = loaded(tmp_path, '[web]\nport = 81\nrobots = "ignore"\n')
    assert settings[WebSettings].port == 81
    assert settings[WebSettings].robots is Robots.IGNORE
    assert settings.file == tmp_path / "armarium.toml"
    assert settings.origin(WebSettings, "port") == InFile(tmp_path / "armarium.toml", 2)


def test_the_environment_has_precedence_over_the_file(tmp_path: Path) -> None:
    settings = loaded(tmp_path, "[web]\nport = 81\n", ARMARIUM_WEB_PORT="82", ARMARIUM_WEB_HOSTS="a,b")
    assert settings[WebSettings].port == 82
    assert settings[WebSettings].hosts == ["a", "b"]
    assert settings.origin(WebSettings, "port") == Variable("ARMARIUM_WEB_PORT")


def test_an_empty_variable_takes_away_an_optional_value(tmp_path: Path) -> None:
    assert loaded(tmp_path, "[web]\ndelay = 2\n", ARMARIUM_WEB_DELAY="")[WebSettings].delay is None
    assert loaded(tmp_path, '[web]\ndelay = ""\n')[WebSettings].delay is None


def test_the_process_environment_is_used_when_none_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARMARIUM_HOME", str(tmp_path))
    monkeypatch.setenv("ARMARIUM_WEB_PORT", "83")
    settings = load(SECTIONS)
    assert (settings.home, settings[WebSettings].port) == (tmp_path, 83)


def test_a_section_that_was_not_asked_for_is_a_key_error(tmp_path: Path) -> None:
    settings = load([WebSettings], home=tmp_path, environ={})
    with pytest.raises(KeyError):
        settings[MailSettings]


# The data folder and the file


def test_the_data_folder_is_beside_the_current_folder_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = load(SECTIONS, environ={"ARMARIUM_HOME": ""})
    assert settings.home == tmp_path / "armarium-data"
    assert settings.home_origin == Default()
    assert not settings.home.exists()


def test_the_variable_names_the_data_folder_and_the_argument_overrides_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    environ = {"ARMARIUM_HOME": "elsewhere"}
    assert load(SECTIONS, environ=environ).home == tmp_path / "elsewhere"
    named = load(SECTIONS, home=Path("here"), environ=environ)
    assert (named.home, named.home_origin) == (tmp_path / "here", Argument())


def test_a_data_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    with pytest.raises(
        WrongSettings, match=r"ARMARIUM_HOME: .*/data cannot be the data folder: it is not a folder"
    ):
        load(SECTIONS, environ={"ARMARIUM_HOME": str(tmp_path / "data")})


def test_a_file_named_by_argument_overrides_the_variable_and_the_one_in_the_data_folder(
    tmp_path: Path,
) -> None:
    for name, port in (("armarium", 1), ("variable", 2), ("argument", 3)):
        (tmp_path / f"{name}.toml").write_text(f"[web]\nport = {port}\n")
    environ = {"ARMARIUM_SETTINGS": str(tmp_path / "variable.toml")}
    by_argument = load(SECTIONS, home=tmp_path, file=tmp_path / "argument.toml", environ=environ)
    assert by_argument[WebSettings].port == 3
    assert load(SECTIONS, home=tmp_path, environ=environ)[WebSettings].port == 2
    assert load(SECTIONS, home=tmp_path, environ={"ARMARIUM_SETTINGS": ""})[WebSettings].port == 1


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    environ = {"ARMARIUM_SETTINGS": str(tmp_path / "missing.toml")}
    with pytest.raises(WrongSettings, match=r"missing\.toml: There is no such settings file"):
        load(SECTIONS, home=tmp_path, environ=environ)
    with pytest.raises(WrongSettings, match=r"other\.toml: There is no such settings file"):
        load(SECTIONS, home=tmp_path, file=tmp_path / "other.toml", environ={})


def test_a_link_to_nowhere_in_the_data_folder_is_not_taken_for_no_file(tmp_path: Path) -> None:
    (tmp_path / "armarium.toml").symlink_to("gone")
    with pytest.raises(WrongSettings, match="There is no such settings file"):
        load(SECTIONS, home=tmp_path, environ={})


def test_a_current_folder_that_was_removed_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    try:
        with pytest.raises(WrongSettings, match="cannot be found from the current folder"):
            load(SECTIONS, environ={})
    finally:
        os.chdir(tmp_path)


# What is refused


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[web]\nprot = 1", "armarium.toml:2: [web] prot is not a setting. Did you mean port?"),
        ("[web]\nPORT = 1", "armarium.toml:2: [web] PORT is not a setting. Did you mean port?"),
        ("web.prot = 1", "armarium.toml:1: [web] prot is not a setting. Did you mean port?"),
        ("\nweb = {prot = 1}", "armarium.toml:2: [web] prot is not a setting. Did you mean port?"),
        (
            "[web]\npassword = 'x'",
            "armarium.toml:2: [web] password is not a setting. Did you mean password in [mail]?",
        ),
        (
            "[web]\npasword = 'x'",
            "armarium.toml:2: [web] pasword is not a setting. Did you mean password in [mail]?",
        ),
        (
            "[web]\nhost = 'x'",
            "armarium.toml:2: [web] host is not a setting. Did you mean hosts or host in [mail]?",
        ),
        (
            "[web]\nzebra = 1",
            "armarium.toml:2: [web] zebra is not a setting. "
            "The settings of [web] are port, hosts, robots, delay.",
        ),
        ("[wbe]\nport = 1", "armarium.toml:1: [wbe] is not a section. Did you mean [web]?"),
        ("[zebra]", "armarium.toml:1: [zebra] is not a section. The sections are web, mail."),
        ("port = 1", "armarium.toml:1: port is not a section. Put port under [web]."),
        ("web = 1", "armarium.toml:1: web is a section. Write [web] once, and its keys below it."),
        ("[[web]]\nport = 1", "armarium.toml:1: web is a section. Write [web] once, and its keys below it."),
        (
            '[web]\nport = "8000"',
            'armarium.toml:2: [web] port must be a whole number, but is the text "8000". '
            "Write it without quotes: port = 8000.",
        ),
        ("[web]\nport = 80.5", "armarium.toml:2: [web] port must be a whole number, but is 80.5."),
        ("[web]\nport = true", "armarium.toml:2: [web] port must be a whole number, but is true."),
        ("[web]\nport = {}", "armarium.toml:2: [web] port must be a whole number, but is a table."),
        ("[web.port]\nx = 1", "armarium.toml:1: [web] port must be a whole number, but is a table."),
        (
            "[web]\nport = 1979-05-27",
            "armarium.toml:2: [web] port must be a whole number, but is a date or time.",
        ),
        ("[web]\nport = 0", "armarium.toml:2: [web] port must be at least 1, but is 0."),
        ("[web]\nport = 65536", "armarium.toml:2: [web] port must be at most 65535, but is 65536."),
        ("[web]\ndelay = 0", "armarium.toml:2: [web] delay must be more than 0, but is 0.0."),
        (
            '[web]\nrobots = "ingore"',
            'armarium.toml:2: [web] robots must be one of "obey", "ignore", but is the text "ingore". '
            'Did you mean "ignore"?',
        ),
        (
            '[web]\nhosts = "a,b"',
            'armarium.toml:2: [web] hosts must be a list, each item a text, but is the text "a,b". '
            'Write a list: hosts = ["a", "b"].',
        ),
        (
            "[web]\nhosts = ['a',\n5]",
            "armarium.toml:2: [web] hosts must be a list, each item a text, but item 2 is 5.",
        ),
        ("[web]\nhosts = ['a','a','a','a']", "armarium.toml:2: [web] hosts must have at most 3 items."),
        (
            "[mail]\nhost = 5",
            'armarium.toml:2: [mail] host must be a text, but is 5. Put it in quotes: host = "5".',
        ),
        ("[mail]\nhost = ''", "armarium.toml:2: [mail] host must not be empty."),
        ("[mail]\nhost = 'a b'", "armarium.toml:2: [mail] host must match the pattern ^[a-z0-9.-]*$."),
        ("[mail]\nuser = 'a b'", "armarium.toml:2: [mail] user must not contain a space."),
        ("[mail]\n\nuser = 'a'", "armarium.toml:3: [mail] needs a password when it has a user."),
    ],
)
def test_a_mistake_in_the_file_is_refused_with_its_line_and_a_suggestion(
    tmp_path: Path, text: str, sentence: str
) -> None:
    assert refused(tmp_path, text) == [sentence]


@pytest.mark.parametrize(
    ("variable", "text", "sentence"),
    [
        ("ARMARIUM_WEB_PRT", "1", "This variable is not a setting. Did you mean ARMARIUM_WEB_PORT?"),
        ("armarium_web_port", "1", "This variable is not a setting. Did you mean ARMARIUM_WEB_PORT?"),
        ("ARMARIUM_HOMES", "/x", "This variable is not a setting. Did you mean ARMARIUM_HOME?"),
        ("ARMARIUM_SETTING", "/x", "This variable is not a setting. Did you mean ARMARIUM_SETTINGS?"),
        (
            "ARMARIUM_",
            "",
            "This variable is not a setting. Unset it: names with ARMARIUM_ are kept for settings.",
        ),
        ("ARMARIUM_WEB_PORT", "", "[web] port must be a whole number, but is empty."),
        ("ARMARIUM_WEB_PORT", "http", '[web] port must be a whole number, but is the text "http".'),
        ("ARMARIUM_WEB_PORT", "0", "[web] port must be at least 1, but is 0."),
    ],
)
def test_a_mistake_in_the_environment_is_refused_with_the_variable(
    tmp_path: Path, variable: str, text: str, sentence: str
) -> None:
    assert refused(tmp_path, **{variable: text}) == [f"{variable}: {sentence}"]


def test_variables_of_others_and_of_the_test_run_are_left_alone(tmp_path: Path) -> None:
    loaded(tmp_path, PATH="/bin", MY_ARMARIUM_X="1", ARMARIUM="1", ARMARIUM_TEST_DATABASE_URL="x")


def test_all_problems_are_reported_together_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = "[mail]\nhots = 'x'\nuser = 5\n[wbe]\nport = 1\n[web]\nport = 0\n"
    problems = refused(tmp_path, text, ARMARIUM_WEB_DELAY="soon", ARMARIUM_X="1")
    places = [problem.split(": ")[0] for problem in problems]
    lines = ["armarium.toml:2", "armarium.toml:3", "armarium.toml:4", "armarium.toml:7"]
    assert places == [*lines, "ARMARIUM_WEB_DELAY", "ARMARIUM_X"]


def test_a_broken_file_does_not_hide_the_problems_of_the_environment(tmp_path: Path) -> None:
    problems = refused(tmp_path, "[web", ARMARIUM_WEB_PORT="x")
    assert [problem.split(":")[0] for problem in problems] == ["armarium.toml", "ARMARIUM_WEB_PORT"]


def test_a_wrong_value_in_the_file_is_reported_even_if_a_variable_covers_it(tmp_path: Path) -> None:
    problems = refused(tmp_path, "[web]\nport = 0\n", ARMARIUM_WEB_PORT="80")
    assert problems == ["armarium.toml:2: [web] port must be at least 1, but is 0."]


def test_a_rule_about_several_keys_looks_at_file_and_environment_together(tmp_path: Path) -> None:
    settings = loaded(tmp_path, "[mail]\nuser = 'a'\n", ARMARIUM_MAIL_PASSWORD="hunter2")
    assert settings[MailSettings].user == "a"


def test_a_rule_about_several_keys_is_silent_while_one_of_them_is_wrong(tmp_path: Path) -> None:
    problems = refused(tmp_path, "[mail]\nuser = 'a'\npasword = 'hunter2'\n")
    assert problems == ["armarium.toml:3: [mail] pasword is not a setting. Did you mean password?"]


def test_the_error_names_the_whole_path_once_and_can_be_given_as_json(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured) as caught:
        loaded(tmp_path, "[web]\nprot = 1\n", ARMARIUM_X="1")
    file = tmp_path / "armarium.toml"
    assert str(caught.value).splitlines()[0] == f"The settings have 2 problems ({file}):"
    assert isinstance(caught.value, WrongSettings)
    first, second = (problem.as_json() for problem in caught.value.problems)
    assert (first["file"], first["line"], first["section"]) == (str(file), 2, "web")
    assert (first["what"], first["suggestion"]) == ("[web] prot is not a setting.", "Did you mean port?")
    assert (second["file"], second["variable"]) == (None, "ARMARIUM_X")


# Secrets


class SafeSettings(Section, name="safe"):
    """A safe whose own rule is indiscreet."""

    code: SecretStr | None = key(None, "Code.", max_length=30)

    @field_validator("code")
    @classmethod
    def _is_not_well_known(cls, code: SecretStr | None) -> SecretStr | None:
        if code and "hunter2" in code.get_secret_value():
            raise ValueError(f"{code.get_secret_value()} is known to everybody")
        return code


SECRET_MISTAKES: list[tuple[str, dict[str, str]]] = [
    ("[safe]\ncode = 'hunter2'", {}),
    ("[safe]\ncode = ['hunter2']", {}),
    ("[safe]\ncode = {hunter2 = 'hunter2'}", {}),
    ("[safe]\ncode = 'hunter2 hunter2 hunter2 hunter2 hunter2'", {}),
    ("[safe]\ncode = 'hunter2\\u0000'".replace("'", '"'), {}),
    ("[safe]\ncoed = 'hunter2'", {}),
    ("[saef]\ncode = 'hunter2'", {}),
    ("code = 'hunter2'", {}),
    ("safe = 'hunter2'", {}),
    ("[safe]\ncode = 'hunter2", {}),
    ("[safe]\ncode = hunter2", {}),
    ("[safe]\ncode = 'a'\ncode = 'hunter2'", {}),
    ("", {"ARMARIUM_SAFE_CODE": "hunter2"}),
    ("", {"ARMARIUM_SAFE_CODE": "hunter2\udcff"}),
    ("", {"ARMARIUM_SAFE_COED": "hunter2"}),
]


@pytest.mark.parametrize(("text", "environ"), SECRET_MISTAKES)
def test_a_wrong_secret_is_not_repeated(tmp_path: Path, text: str, environ: dict[str, str]) -> None:
    (tmp_path / "armarium.toml").write_text(text, encoding="utf-8")
    with pytest.raises(WrongSettings) as caught:
        load([SafeSettings], home=tmp_path, environ=environ)
    error: Any = caught.value
    assert "hunter2" not in str(error)
    assert "hunter2" not in repr([problem.as_json() for problem in error.problems])
    assert error.__cause__ is None  # a traceback prints what an error came from, and that carries the value
    assert error.__context__ is None


def test_a_number_given_for_a_secret_is_not_repeated(tmp_path: Path) -> None:
    (tmp_path / "armarium.toml").write_text("[safe]\ncode = 4711\n")
    with pytest.raises(WrongSettings, match=r"code must be a text, but is a number\. Put it in quotes\."):
        load([SafeSettings], home=tmp_path, environ={})
