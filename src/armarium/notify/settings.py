"""Settings of notifications, and of the mail server."""

from enum import StrEnum
from typing import Self

from pydantic import SecretStr, field_validator, model_validator

from armarium.core.text import is_address
from armarium.languages.catalogues import languages
from armarium.settings import Section, key


class NotifySettings(Section, name="notify"):
    """Notifications to those who look after the archive."""

    channels: tuple[str, ...] = key(
        ("log",), "Channels that carry notifications: log, mail, and those of installed plug-ins."
    )
    recipients: tuple[str, ...] = key((), "Mail addresses of those who are notified.")
    quiet_minutes: int = key(60, "The same notification is not sent again within this time.", ge=0, le=10080)
    language: str = key("en", "Language of notifications.", pattern=r"^[a-z]{2}(-[A-Z]{2})?$")
    keep_days: int = key(90, "How long notifications are kept in the history.", ge=1, le=3650)

    @field_validator("recipients")
    @classmethod
    def _addresses(cls, recipients: tuple[str, ...]) -> tuple[str, ...]:
        for recipient in recipients:
            if not is_address(recipient):
                raise ValueError(f"{recipient!r} is not a mail address such as name@library.example")
        return recipients

    @field_validator("language")
    @classmethod
    def _language_is_known(cls, language: str) -> str:
        if language not in languages():
            raise ValueError(f"{language!r} has no catalogue; there are {', '.join(languages())}")
        return language

    @model_validator(mode="after")
    def _mail_reaches_somebody(self) -> Self:
        if "mail" in self.channels and not self.recipients:
            raise ValueError("the channel mail needs recipients")
        return self


class Security(StrEnum):
    NONE = "none"
    STARTTLS = "starttls"
    TLS = "tls"


class MailSettings(Section, name="mail"):
    """The mail server through which notifications are sent."""

    host: str = key("localhost", "Name or address of the mail server.", min_length=1)
    port: int = key(25, "Its port: 25 or 587 for none and starttls, 465 for tls.", ge=1, le=65535)
    security: Security = key(
        Security.NONE,
        "none: without encryption; starttls: encrypted after the greeting; tls: from the start.",
    )
    username: str | None = key(None, "Name with which to sign in at the mail server. Empty: without.")
    password: SecretStr | None = key(None, "Password with which to sign in.")
    sender: str = key("armarium@localhost", "Address from which notifications come.")
    timeout: float = key(20.0, "Seconds to wait for the mail server.", gt=0, le=300)

    @field_validator("sender")
    @classmethod
    def _sender_is_address(cls, sender: str) -> str:
        if not is_address(sender):
            raise ValueError(f"{sender!r} is not a mail address such as armarium@library.example")
        return sender

    @model_validator(mode="after")
    def _name_and_password(self) -> Self:
        if (self.username is None) != (self.password is None):
            raise ValueError("username and password are set together, or neither")
        if self.username is not None and self.security is Security.NONE:
            raise ValueError("a password is not sent over an open line: set security to starttls or tls")
        return self
