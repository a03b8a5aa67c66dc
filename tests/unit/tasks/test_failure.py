import pytest

from armarium.core.errors import DatabaseAway, Refused
from armarium.tasks.failure import ERROR_LENGTH, TaskFailed, describe
from tests.cost import processor_seconds


def test_secrets_are_masked_in_the_error_and_in_the_traceback() -> None:
    failure = describe(ValueError("postgresql://armarium:s3cret@db/archive"))
    assert failure.error == "ValueError: postgresql://armarium:***@db/archive"
    assert "s3cret" not in failure.traceback


@pytest.mark.parametrize("before", range(0, 60, 7))
def test_a_secret_at_the_place_where_a_long_error_is_cut_is_masked(before: int) -> None:
    for cut in (ERROR_LENGTH // 2, ERROR_LENGTH):
        text = "a " * ((cut - before) // 2) + "https://ada:s3cret-s3cret@host/" + " b" * 5000
        assert "s3cret" not in describe(TaskFailed(text)).error
        text = "a " * 5000 + "https://ada:s3cret-s3cret@host/" + " b" * ((cut - before) // 2)
        assert "s3cret" not in describe(TaskFailed(text)).error


@pytest.mark.parametrize("piece", ["a.", "://a:", "password", "Bearer a", "x=", "cookie: "])
def test_a_very_long_error_is_described_quickly(piece: str) -> None:
    with processor_seconds(5):  # a careless pattern takes minutes
        describe(TaskFailed(piece * 100_000))


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


def test_a_file_name_that_is_not_utf_8_does_not_keep_a_failure_from_being_stored() -> None:
    failure = describe(TaskFailed("caf\udce9.warc"))
    assert failure.error == r"caf\udce9.warc"
    failure.traceback.encode()


def test_permanent_is_what_the_task_said() -> None:
    assert describe(TaskFailed("x", permanent=True)).permanent
    assert not describe(TaskFailed("x")).permanent
    assert not describe(ValueError("x")).permanent


def test_an_outage_of_the_database_is_known_behind_what_others_made_of_it() -> None:
    error = TaskFailed("The list could not be read.")
    error.__cause__ = DatabaseAway("It is away.")
    assert describe(error).outage
    assert not describe(TaskFailed("The file is damaged.")).outage
