import pytest
from pydantic import SecretStr, ValidationError

from armarium.notify.address import is_address
from armarium.notify.settings import MailSettings, NotifySettings, Security


@pytest.mark.parametrize("address", ["anna@library.example", "ops+web@a-b.example", "root@localhost"])
def test_addresses_that_are_accepted(address: str) -> None:
    assert is_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "anna",
        "anna@",
        "@library.example",
        "a b@c",
        "anna@x\nBcc: b@c",
        "<a@b>",
        "a@b,c@d",
        '"a"@b',
        "a@" + "b" * 300,
    ],
)
def test_addresses_that_are_refused(address: str) -> None:
    assert not is_address(address)
    with pytest.raises(ValidationError):
        NotifySettings(recipients=(address,))


def test_a_password_is_not_sent_over_an_open_line() -> None:
    with pytest.raises(ValidationError, match="open line"):
        MailSettings(username="armarium", password=SecretStr("x"))
    MailSettings(username="armarium", password=SecretStr("x"), security=Security.STARTTLS)


def test_a_name_without_a_password_is_refused() -> None:
    with pytest.raises(ValidationError, match="set together"):
        MailSettings(username="armarium", security=Security.TLS)
