"""Letters: mail to one person, written in the transaction of what it speaks of, carried by a task."""

from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from sqlalchemy import Connection

from armarium.core.message import message
from armarium.db.database import Database
from armarium.notify import tables
from armarium.notify.mail import MAIL, Post, body, one_line
from armarium.notify.model import Letter
from armarium.notify.settings import MailSettings, NotifySettings
from armarium.tasks.context import TaskContext
from armarium.tasks.failure import TaskFailed
from armarium.tasks.model import Retry, TaskKind
from armarium.tasks.service import Tasks

CARRY = "notify.letter"


class Letters:
    def __init__(self, database: Database, tasks: Tasks, notify: NotifySettings, mail: MailSettings) -> None:
        self._database = database
        self._tasks = tasks
        self._notify = notify
        self._mail = mail

    @property
    def are_sent(self) -> bool:
        """Whether a mail server was named; without one no letter is written."""
        return MAIL.name in self._notify.channels

    def write(self, connection: Connection, letter: Letter) -> bool:
        """Send it once the caller's transaction is committed; False: nobody set up a mail server."""
        if not self.are_sent:
            return False
        number = tables.insert_letter(connection, letter)
        self._tasks.defer(connection, CARRY, {"letter": number})
        return True

    def carry(self, number: int) -> None:
        """Hand it to the mail server, unless that was done already."""
        with self._database.transaction() as connection:
            found = tables.letter_to_send(connection, number)
        if found is None:
            raise TaskFailed(
                message("There is no letter %(number)s any more.", number=number), permanent=True
            )
        letter, written_at, is_sent = found
        if is_sent:
            return
        sender = Address(display_name="Armarium", addr_spec=self._mail.sender)
        posted = EmailMessage(policy=SMTP)
        posted["From"] = sender
        posted["To"] = Address(addr_spec=letter.recipient)
        posted["Subject"] = one_line(letter.subject)
        posted["Date"] = format_datetime(written_at)
        # The same at every attempt, so that a server that took the first one can drop the second.
        posted["Message-ID"] = f"<armarium.letter.{number}.{int(written_at.timestamp())}@{sender.domain}>"
        posted["Auto-Submitted"] = "auto-generated"  # RFC 3834: no automatic answers, please
        posted["Content-Language"] = letter.language
        posted.set_content(body(letter.text), charset="utf-8", cte="quoted-printable")
        Post(self._mail).deliver(posted, [letter.recipient])
        with self._database.transaction() as connection:
            tables.letter_was_sent(connection, number)

    def forget_old(self) -> int:
        with self._database.transaction() as connection:
            return tables.forget_letters(connection, self._notify.keep_days)


def carry(context: TaskContext, letter: int) -> None:
    """Carry one letter to the mail server."""
    context.service(Letters).carry(letter)


#: A mail server may be away for a night: ten attempts reach over four hours and more.
TASKS = (TaskKind(CARRY, carry, retry=Retry(attempts=10), priority=3),)
