"""Titles of what viewings show, and what the audit log says of them."""

from armarium.access.viewings.model import MissingKind, Standing
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
KINDS: dict[MissingKind, Message] = {
    MissingKind.PAGE: message("Pages"),
    MissingKind.IMAGE: message("Pictures"),
    MissingKind.STYLE: message("Style sheets"),
    MissingKind.SCRIPT: message("Scripts"),
    MissingKind.FONT: message("Fonts"),
    MissingKind.MEDIA: message("Sound and video"),
    MissingKind.DOCUMENT: message("Documents"),
    MissingKind.DATA: message("Data"),
    MissingKind.OTHER: message("Others"),
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
