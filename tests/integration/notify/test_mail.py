"""The mail channel against real servers."""

import socket
import ssl
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import SecretStr

from armarium.core.message import Message, message
from armarium.notify.mail import MailChannel
from armarium.notify.model import Notification, Sent, Severity
from armarium.notify.settings import MailSettings, NotifySettings, Security
from armarium.tasks.failure import TaskFailed
from tests.integration.notify.conftest import SECRET, Choosy, Flaky, Postbox, Refusing, Serve, check_password

AT = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


def sent(subject: Message | None = None, text: Message | None = None) -> Sent:
    about = Notification(
        severity=Severity.ERROR,
        subject=subject or message("Disk %(name)s is full", name="réplica-1"),
        text=text or message("Only 1 % left."),
        key="disk",
    )
    return Sent(7, AT, about, {}, 0, None)


def english(what: Message, language: str) -> str:
    return str(what)


def channel(
    port: int, recipients: tuple[str, ...] = ("anna@library.example",), **options: Any
) -> MailChannel:
    trusted = options.pop("trusted", None)
    given: dict[str, Any] = {
        "host": "localhost",
        "sender": "armarium@library.example",
        "timeout": 5.0,
        **options,
    }
    mail = MailSettings(port=port, **given)
    return MailChannel(mail, NotifySettings(recipients=recipients), english, trusted)


def test_a_letter_arrives_as_it_was_meant(serve: Serve) -> None:
    postbox = Postbox()
    recipients = ("anna@library.example", "ops+web@library.example")
    channel(serve(postbox), recipients).send(sent())
    [letter], [envelope] = postbox.letters, postbox.envelopes
    assert letter["Subject"] == "[Armarium] Disk réplica-1 is full"
    assert letter.get_content() == "Only 1 % left.\r\n"
    assert letter.get_content_type() == "text/plain"
    assert letter.get_content_charset() == "utf-8"
    assert letter["From"] == "Armarium <armarium@library.example>"
    assert letter["To"] == "anna@library.example, ops+web@library.example"
    assert letter["Message-ID"] == f"<armarium.7.{int(AT.timestamp())}@library.example>"
    assert letter["Date"].datetime == AT
    assert letter["Auto-Submitted"] == "auto-generated"
    assert letter["Importance"] == "high"
    assert envelope.mail_from == "armarium@library.example"
    assert envelope.rcpt_tos == list(recipients)


@pytest.mark.parametrize("newline", ["\r\n", "\n", "\r", "\x0b", "\x85", "\u2028", "\x00"])
def test_a_subject_cannot_inject_a_header_nor_a_text_end_the_letter(serve: Serve, newline: str) -> None:
    postbox = Postbox()
    evil = f"site{newline}Bcc: thief@evil.example{newline}{newline}.{newline}QUIT"
    channel(serve(postbox)).send(sent(message("%(url)s", url=evil), message("%(url)s", url=evil)))
    [letter], [envelope] = postbox.letters, postbox.envelopes
    assert letter["Bcc"] is None
    assert letter["Subject"] == "[Armarium] site Bcc: thief@evil.example . QUIT"
    assert envelope.rcpt_tos == ["anna@library.example"]
    assert letter.get_content().rstrip().endswith("QUIT")


def test_a_letter_is_sent_encrypted_and_signed_in_with_starttls(
    serve: Serve, server_context: ssl.SSLContext, client_context: ssl.SSLContext
) -> None:
    postbox = Postbox()
    port = serve(postbox, tls_context=server_context, authenticator=check_password, auth_required=True)
    options: dict[str, Any] = {
        "security": Security.STARTTLS,
        "username": "armarium",
        "trusted": client_context,
    }
    channel(port, password=SecretStr(SECRET), **options).send(sent())
    assert postbox.encrypted == [True]

    with pytest.raises(TaskFailed, match="refuses for good: 535") as refused:
        channel(port, password=SecretStr("wrong"), **options).send(sent())
    assert refused.value.permanent
    assert "wrong" not in str(refused.value)


def test_a_letter_is_sent_over_tls_from_the_start(
    serve: Serve, server_context: ssl.SSLContext, client_context: ssl.SSLContext
) -> None:
    postbox = Postbox()
    port = serve(postbox, ssl_context=server_context)
    channel(port, security=Security.TLS, trusted=client_context).send(sent())
    assert len(postbox.letters) == 1


def test_a_certificate_that_nobody_vouches_for_is_refused(
    serve: Serve, server_context: ssl.SSLContext
) -> None:
    postbox = Postbox()
    port = serve(postbox, tls_context=server_context)
    with pytest.raises(TaskFailed, match="certificate verify failed") as refused:
        channel(port, security=Security.STARTTLS).send(sent())
    assert refused.value.permanent
    assert postbox.letters == []


def test_a_server_without_starttls_gets_no_letter_if_encryption_is_asked_for(serve: Serve) -> None:
    postbox = Postbox()
    with pytest.raises(TaskFailed, match="STARTTLS") as refused:
        channel(serve(postbox), security=Security.STARTTLS).send(sent())
    assert refused.value.permanent
    assert postbox.letters == []


def test_a_busy_server_is_a_failure_that_may_pass(serve: Serve) -> None:
    postbox = Flaky(times=1)
    port = serve(postbox)
    with pytest.raises(TaskFailed, match=r"cannot take mail now: 451 4\.3\.0 busy") as failed:
        channel(port).send(sent())
    assert not failed.value.permanent
    channel(port).send(sent())
    assert len(postbox.letters) == 1


def test_a_server_that_is_not_there_is_a_failure_that_may_pass() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        with pytest.raises(TaskFailed, match="refused") as failed:
            channel(nobody.getsockname()[1]).send(sent())
    assert not failed.value.permanent


def test_a_server_that_says_nothing_is_a_failure_that_may_pass() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        with pytest.raises(TaskFailed, match="timed out") as failed:
            channel(silent.getsockname()[1], host="127.0.0.1", timeout=0.3).send(sent())
        assert not failed.value.permanent


def test_an_unknown_recipient_is_a_failure_for_good_that_names_the_recipient(serve: Serve) -> None:
    with pytest.raises(TaskFailed, match=r"anna@library\.example: 550 5\.1\.1 no such mailbox") as refused:
        channel(serve(Refusing())).send(sent())
    assert refused.value.permanent


def test_one_unknown_recipient_of_two_is_reported_and_the_other_gets_no_second_letter(serve: Serve) -> None:
    postbox = Choosy()
    with pytest.raises(TaskFailed, match=r"refused some recipients: gone@library\.example") as refused:
        channel(serve(postbox), ("anna@library.example", "gone@library.example")).send(sent())
    assert refused.value.permanent
    assert postbox.envelopes[0].rcpt_tos == ["anna@library.example"]


def test_without_recipients_the_failure_names_the_setting() -> None:
    with pytest.raises(TaskFailed, match=r"notify\.recipients"):
        channel(25, recipients=()).send(sent())
