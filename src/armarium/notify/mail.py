"""The channel `mail`: plain text through an SMTP server."""

import smtplib
import ssl
from collections.abc import Sequence
from contextlib import suppress
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from armarium.core.message import message
from armarium.notify.model import Channel, ChannelKind, Sent, Severity, Translate
from armarium.notify.settings import MailSettings, NotifySettings, Security
from armarium.settings import Settings
from armarium.tasks.failure import TaskFailed

SUBJECT_LENGTH = 200
# RFC 2156's values, understood by the mail programs that sort by them.
IMPORTANCE = {Severity.INFORMATION: "normal", Severity.WARNING: "normal", Severity.ERROR: "high"}


class Post:
    """The way to the mail server."""

    def __init__(self, mail: MailSettings, trusted: ssl.SSLContext | None = None) -> None:
        self._mail = mail
        self._trusted = trusted  # None: what the operating system trusts

    def deliver(self, letter: EmailMessage, recipients: Sequence[str]) -> None:
        """Hand it over; raises `TaskFailed` if the server does not take it."""
        try:
            server = self._connect()
            try:
                self._sign_in(server)
                refused = server.send_message(letter, self._mail.sender, list(recipients))
            finally:
                # How it says good-bye changes nothing any more.
                with suppress(OSError, smtplib.SMTPException):
                    server.quit()
        except (OSError, smtplib.SMTPException) as error:
            raise self._failed(error) from error
        if refused:
            # The others have it: sending again would send it to them twice.
            raise TaskFailed(
                message("The mail server refused some recipients: %(refused)s", refused=_replies(refused)),
                permanent=True,
            )

    def _connect(self) -> smtplib.SMTP:
        mail = self._mail
        if mail.security is Security.TLS:
            return smtplib.SMTP_SSL(mail.host, mail.port, timeout=mail.timeout, context=self._context())
        server = smtplib.SMTP(mail.host, mail.port, timeout=mail.timeout)
        if mail.security is Security.STARTTLS:
            try:
                server.starttls(context=self._context())
            except (OSError, smtplib.SMTPException):
                server.close()
                raise
        return server

    def _context(self) -> ssl.SSLContext:
        return self._trusted or ssl.create_default_context()

    def _sign_in(self, server: smtplib.SMTP) -> None:
        if self._mail.username is not None and self._mail.password is not None:
            server.login(self._mail.username, self._mail.password.get_secret_value())

    def _failed(self, error: OSError | smtplib.SMTPException) -> TaskFailed:
        place = f"{self._mail.host}:{self._mail.port}"
        reason = (
            _replies(error.recipients) if isinstance(error, smtplib.SMTPRecipientsRefused) else _reason(error)
        )
        if is_permanent(error):
            return TaskFailed(
                message(
                    "The mail server %(place)s refuses for good: %(reason)s. "
                    "Correct the settings mail and notify.recipients, then retry the task.",
                    place=place,
                    reason=reason,
                ),
                permanent=True,
            )
        return TaskFailed(
            message("The mail server %(place)s cannot take mail now: %(reason)s.", place=place, reason=reason)
        )


class MailChannel:
    def __init__(
        self,
        mail: MailSettings,
        notify: NotifySettings,
        translate: Translate,
        trusted: ssl.SSLContext | None = None,
    ) -> None:
        self._mail = mail
        self._notify = notify
        self._translate = translate
        self._post = Post(mail, trusted)

    def send(self, sent: Sent) -> None:
        if not self._notify.recipients:
            raise TaskFailed(
                message("There are no recipients. Enter addresses in notify.recipients."),
                permanent=True,
            )
        self._post.deliver(self.letter(sent), list(self._notify.recipients))

    def letter(self, sent: Sent) -> EmailMessage:
        about, language = sent.notification, self._notify.language
        sender = Address(display_name="Armarium", addr_spec=self._mail.sender)
        letter = EmailMessage(policy=SMTP)
        letter["From"] = sender
        letter["To"] = [Address(addr_spec=recipient) for recipient in self._notify.recipients]
        letter["Subject"] = one_line(f"[Armarium] {self._translate(about.subject, language)}")
        letter["Date"] = format_datetime(sent.at)
        # The same at every attempt, so that a server that took the first one can drop the second.
        letter["Message-ID"] = f"<armarium.{sent.id}.{int(sent.at.timestamp())}@{sender.domain}>"
        letter["Auto-Submitted"] = "auto-generated"  # RFC 3834: no automatic answers, please
        letter["Importance"] = IMPORTANCE[about.severity]
        letter["Content-Language"] = language
        letter.set_content(
            body(self._translate(about.text, language)), charset="utf-8", cte="quoted-printable"
        )
        return letter


def is_permanent(error: OSError | smtplib.SMTPException) -> bool:
    """RFC 5321, section 4.2.1: 4yz, the same mail may pass later; 5yz, it will not."""
    match error:
        case smtplib.SMTPRecipientsRefused():
            return all(code >= 500 for code, _ in error.recipients.values())
        case smtplib.SMTPResponseException():
            return error.smtp_code >= 500
        case smtplib.SMTPNotSupportedError() | ssl.SSLCertVerificationError():
            return True  # the settings ask for what this server does not have
        case _:
            return False


def _reason(error: OSError | smtplib.SMTPException) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        return _reply(error.smtp_code, error.smtp_error)
    return str(error) or type(error).__name__


def _replies(refused: dict[str, tuple[int, bytes]]) -> str:
    return "; ".join(f"{recipient}: {_reply(*reply)}" for recipient, reply in refused.items())


def _reply(code: int, text: bytes | str) -> str:
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return f"{code} {' '.join(words.split())}"


def one_line(text: str) -> str:
    """No line break survives, of any kind that a header could be split at."""
    printable = "".join(character if character.isprintable() else " " for character in text)
    line = " ".join(printable.split())
    return line if len(line) <= SUBJECT_LENGTH else f"{line[: SUBJECT_LENGTH - 1]}…"


def body(text: str) -> str:
    kept = (character for character in text if character.isprintable() or character in "\n\t")
    return f"{''.join(kept).rstrip()}\n"


def make(settings: Settings, translate: Translate) -> Channel:
    return MailChannel(settings[MailSettings], settings[NotifySettings], translate)


MAIL = ChannelKind("mail", make, sections=(MailSettings,))
