"""The criteria of legal scope in words, and what entries about them in the audit log say."""

from collections.abc import Mapping

from armarium.core.message import Message, message
from armarium.selection.legal.model import Criterion

CRITERIA: Mapping[Criterion, Message] = {
    Criterion.NAME: message("Ending of the name"),
    Criterion.SERVER: message("Place of the servers"),
    Criterion.POSTAL: message("Postal address on the site"),
    Criterion.PUBLISHER: message("Residence of the publisher"),
    Criterion.CONTENT: message("About the country, or for its people"),
    Criterion.PERMISSION: message("Permission of the publisher"),
    Criterion.OTHER: message("Another reason"),
}
EVIDENCE: Mapping[str, Message] = {
    "host": message("Host"),
    "national_domains": message("Domains of the country"),
    "addresses": message("Addresses"),
}
ACTIONS: dict[str, Message] = {
    "record.scope-noted": message("Legal scope looked at"),
}
WORDS: dict[str, Message] = {
    "criterion": message("Criterion"),
    "meets": message("Met"),
    "text": message("Text"),
}
VALUES: dict[str, dict[str, Message]] = {
    "criterion": {one.value: text for one, text in CRITERIA.items()},
}
