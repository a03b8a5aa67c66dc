from datetime import UTC, datetime, timedelta

import pytest

from armarium.accounts import rules
from armarium.accounts.model import Permission, Profile, Role, Throttled
from armarium.core.errors import Refused

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def profile(*, name: str = "ada", display_name: str = "", mail: str = "") -> Profile:
    return Profile(name, display_name, mail, "", frozenset())


def test_every_role_and_permission_has_its_place_in_the_tables() -> None:
    assert set(rules.PERMISSIONS) == set(rules.ROLE_TITLES) == set(rules.ROLE_HELP) == set(Role)
    assert set(rules.PERMISSION_TITLES) == set(Permission)


def test_only_administrators_manage_accounts() -> None:
    able = {role for role in Role if Permission.ACCOUNTS_MANAGE in rules.PERMISSIONS[role]}
    assert able == {Role.ADMINISTRATOR}
    assert rules.PERMISSIONS[Role.ADMINISTRATOR] == set(Permission)


def test_several_roles_may_do_what_any_of_them_may() -> None:
    both = rules.permissions_of([Role.LIBRARIAN, Role.MANAGER])
    assert both == {
        Permission.SYSTEM_VIEW,
        Permission.SELECTION_VIEW,
        Permission.SELECTION_EDIT,
        Permission.PLANNING_VIEW,
        Permission.STORAGE_VIEW,
        Permission.INDEX_VIEW,
        Permission.ACCESS_VIEW,
        Permission.VIEWER_USE,
    }
    assert rules.permissions_of([]) == frozenset()


@pytest.mark.parametrize("name", ["a", "ada", "ada.lovelace", "ada@library.example", "0-0", "x" * 64])
def test_names_that_are_accepted(name: str) -> None:
    assert rules.checked(profile(name=f" {name.upper()} ")).name == name


@pytest.mark.parametrize(
    "name", ["", " ", ".ada", "ada-", "a b", "adä", "a/b", "a\0b", "a\nb", "<a>", "x" * 65, "ａda"]
)
def test_names_that_are_refused(name: str) -> None:
    with pytest.raises(Refused) as refusal:
        rules.checked(profile(name=name))
    assert refusal.value.field == "name"


@pytest.mark.parametrize(
    "mail", ["ada", "a@", "@b", "a@b@c", "a b@c", "a@b\r\nBcc: x", "a\0@b", "<a@b>", "a@b,c@d", "\ud800@b"]
)
def test_mail_addresses_that_are_refused(mail: str) -> None:
    with pytest.raises(Refused) as refusal:
        rules.checked(profile(mail=mail))
    assert refusal.value.field == "mail"


@pytest.mark.parametrize("text", ["a\0b", "a\nb", "a\u202eb", "\ud800", "x" * 201])
def test_full_names_that_are_refused(text: str) -> None:
    with pytest.raises(Refused) as refusal:
        rules.checked(profile(display_name=text))
    assert refusal.value.field == "display_name"


def test_a_full_name_may_be_written_in_any_script() -> None:
    for text in ("Zoë Ångström", "佐藤 花子", "محمد", "O'Neill-Łukasz"):
        assert rules.checked(profile(display_name=f" {text} ")).display_name == text


@pytest.mark.parametrize(
    ("password", "sentence"),
    [
        ("", "at least 12"),
        ("elevenchars", "at least 12"),
        ("x" * 1001, "too long"),
        ("abcdabcdabcdabcd", "too few different"),
        ("my name is Charles", "must not contain"),
    ],
)
def test_passwords_that_are_refused(password: str, sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        rules.check_password(password, "charles")


@pytest.mark.parametrize(
    "password", ["twelve chars", "correct horse battery staple", "пароль из слов", "ada is short"]
)
def test_passwords_that_are_accepted(password: str) -> None:
    rules.check_password(password, "ada")


def test_the_wait_doubles_and_ends_growing() -> None:
    throttle = rules.THROTTLES[0]

    def wait(failures: int) -> float:
        return rules.wait_after([NOW] * failures, throttle, NOW).total_seconds()

    assert [wait(count) for count in (0, 4, 5, 6, 7, 8)] == [0, 0, 10, 20, 40, 80]
    assert wait(50) == wait(200) == 15 * 60


def test_the_wait_counts_from_the_last_failure() -> None:
    failures = [NOW - timedelta(seconds=4), *[NOW - timedelta(minutes=20)] * 4]
    assert rules.wait_after(failures, rules.THROTTLES[0], NOW) == timedelta(seconds=6)
    assert rules.wait_after(failures, rules.THROTTLES[0], NOW + timedelta(seconds=6)) == timedelta(0)


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::1", "::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("unknown", "unknown"),
    ],
)
def test_where_failures_are_counted(address: str, origin: str) -> None:
    assert rules.origin(address) == origin


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.2, "in a second."), (1.4, "in a second."), (1.6, "in 2 seconds."), (90, "in 90 seconds.")],
)
def test_how_long_to_wait_is_said_as_people_say_it(seconds: float, told: str) -> None:
    assert str(Throttled(timedelta(seconds=seconds))).endswith(f"Try again {told}")
