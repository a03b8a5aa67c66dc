import pytest
from pydantic import SecretStr, ValidationError

from armarium.notify.settings import MailSettings, NotifySettings, Security


def test_a_recipient_without_an_address_is_refused() -> None:
    with pytest.raises(ValidationError, match="not a mail address"):
        NotifySettings(recipients=("anna@library.example", "anna"))


def test_a_password_is_not_sent_over_an_open_line() -> None:
    with pytest.raises(ValidationError, match="open line"):
        MailSettings(username="armarium", password=SecretStr("x"))
    MailSettings(username="armarium", password=SecretStr("x"), security=Security.STARTTLS)


def test_a_name_without_a_password_is_refused() -> None:
    with pytest.raises(ValidationError, match="set together"):
        MailSettings(username="armarium", security=Security.TLS)
