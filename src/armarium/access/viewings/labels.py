"""Titles of what viewings show, and what the audit log says of them."""

from armarium.access.viewings.model import Kind, Standing
from armarium.access.viewings.protocols import Fate
from armarium.core.message import Message, message

ACTIONS: dict[str, Message] = {
    "viewing.created": message("Viewing begun"),
    "viewing.changed": message("Viewing changed"),
    "viewing.recording": message("Recording of missing addresses begun"),
    "viewing.not_recording": message("Recording of missing addresses stopped"),
    "viewing.cleared": message("Missing addresses cleared"),
    "viewing.handed_over": message("Missing addresses handed over"),
    "viewing.proxy_word": message("Word for the proxy made"),
    "viewing.ended": message("Viewing ended"),
    "viewing.reopened": message("Viewing opened again"),
}
WORDS: dict[str, Message] = {
    "viewing": message("Viewing"),
    "jobs": message("Jobs"),
    "missing": message("Missing addresses"),
}
KINDS: dict[Kind, Message] = {
    Kind.PAGE: message("Pages"),
    Kind.IMAGE: message("Pictures"),
    Kind.STYLE: message("Style sheets"),
    Kind.SCRIPT: message("Scripts"),
    Kind.FONT: message("Fonts"),
    Kind.MEDIA: message("Sound and video"),
    Kind.DOCUMENT: message("Documents"),
    Kind.DATA: message("Data"),
    Kind.OTHER: message("Others"),
}
STANDINGS: dict[Standing, Message] = {
    Standing.OPEN: message("Still open"),
    Standing.HANDED: message("Handed over"),
    Standing.ALL: message("All"),
}
#: With the tone of its badge.
FATES: dict[Fate, tuple[str, Message]] = {
    Fate.TAKEN: ("good", message("Taken")),
    Fate.DUPLICATE: ("neutral", message("In the harvest already")),
    Fate.REFUSED: ("bad", message("Refused")),
}
