"""What a nomination may say. Strangers write it: everything is bounded, nothing is fetched."""

from dataclasses import replace

from armarium.core.address import is_address
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.nominations.model import Proposal
from armarium.selection.records.rules import place_of
from armarium.selection.text_fields import line, lines

LONGEST_LINE = 200
LONGEST_TEXT = 4000


def checked(proposal: Proposal) -> Proposal:
    """The proposal with its texts trimmed, or a refusal that names the field."""
    return replace(
        proposal,
        address=place_of(proposal.address).address,
        title=line(proposal.title, "title", LONGEST_LINE),
        reason=_text(proposal.reason, "reason"),
        name=line(proposal.name, "name", LONGEST_LINE),
        mail=_mail(proposal.mail),
    )


def check_answer(text: str) -> str:
    return _text(text, "answer")


def _text(text: str, field: str) -> str:
    kept = lines(text)
    if len(kept) > LONGEST_TEXT:
        raise Refused(message("This has at most %(most)s characters.", most=LONGEST_TEXT), field=field)
    return kept


def _mail(text: str) -> str:
    mail = text.strip()
    if mail and not is_address(mail):
        raise Refused(message("This does not look like a mail address."), field="mail")
    return mail
