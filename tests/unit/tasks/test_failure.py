import pytest

from armarium.core.errors import Refused
from armarium.tasks.failure import ERROR_LENGTH, TaskFailed, describe, masked


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("postgresql://armarium:s3cret@db/archive", "postgresql://armarium:***@db/archive"),
        ("https://:tok@en@host/", "https://:***@host/"),
        ('{"password": "s3cret", "user": "anna"}', '{"password": "***", "user": "anna"}'),
        ("token=abc123&page=2", "token=***&page=2"),
        ("Authorization: Bearer abc.def.ghi", "Authorization: Bearer ***"),
        ("the token is missing", "the token is missing"),
        ("http://host:8080/path", "http://host:8080/path"),
    ],
)
def test_secrets_are_masked(text: str, kept: str) -> None:
    assert masked(text) == kept


def test_a_sentence_of_ours_is_kept_as_it_is() -> None:
    assert describe(Refused("The file is damaged.")).error == "The file is damaged."


def test_somebody_elses_exception_is_named() -> None:
    assert describe(ValueError("no")).error == "ValueError: no"


def test_a_long_error_keeps_its_beginning_and_its_end() -> None:
    error = describe(ValueError("a" * 5000 + "z")).error
    assert len(error) <= ERROR_LENGTH
    assert error.startswith("ValueError: a")
    assert error.endswith("z")


def test_a_nul_byte_does_not_keep_a_failure_from_being_stored() -> None:
    assert "\x00" not in describe(ValueError("a\x00b")).error


def test_permanent_is_what_the_task_said() -> None:
    assert describe(TaskFailed("x", permanent=True)).permanent
    assert not describe(TaskFailed("x")).permanent
    assert not describe(ValueError("x")).permanent
