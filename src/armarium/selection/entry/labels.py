"""What the live check says, in words."""

from collections.abc import Mapping

from armarium.core.message import Message, message
from armarium.selection.entry.checker import PictureState, RobotsSays, Trouble, Way
from armarium.selection.entry.model import LineState

#: The words and the tone of each state.
STATES: Mapping[LineState, tuple[Message, str]] = {
    LineState.WAITING: (message("Waiting"), "waiting"),
    LineState.CHECKING: (message("Being checked"), "busy"),
    LineState.FINE: (message("Answers"), "good"),
    LineState.REDIRECTS: (message("Redirects"), "warning"),
    LineState.INVALID: (message("Invalid"), "bad"),
    LineState.KNOWN: (message("Known"), "neutral"),
    LineState.TWICE: (message("Twice"), "neutral"),
}

TROUBLES: Mapping[Trouble, Message] = {
    Trouble.NONE: message("No trouble"),
    Trouble.NO_ADDRESS: message("This is no address of a web site. Write it as https://example.org/."),
    Trouble.NO_NAME: message("The DNS gives no address for this name. Look for a typing error."),
    Trouble.DENIED: message(
        "This leads into a network that crawlers do not visit, such as the library’s own. Enter an address "
        "that the whole web can reach."
    ),
    Trouble.UNREACHABLE: message("The server gives no connection, or breaks it off."),
    Trouble.TOO_SLOW: message("The server did not answer in time. Try again later."),
    Trouble.STATUS: message("The server answers with an error."),
    Trouble.ASTRAY: message("Its redirects lead in a circle, on and on, or nowhere."),
}

WAYS: Mapping[Way, Message] = {
    Way.ASKED: message("As entered"),
    Way.REDIRECT: message("Redirect"),
    Way.REFRESH: message("Redirect in the page"),
}

ROBOTS: Mapping[RobotsSays, Message] = {
    RobotsSays.UNKNOWN: message("Not asked"),
    RobotsSays.ALLOWED: message("Allows it"),
    RobotsSays.FORBIDDEN: message("Forbids it"),
    RobotsSays.ABSENT: message("There is none"),
    RobotsSays.OUT_OF_REACH: message("Out of reach: a crawler that obeys takes nothing meanwhile"),
}

PICTURES: Mapping[PictureState, Message] = {
    PictureState.NONE: message("No picture: there is no page."),
    PictureState.TAKEN: message("The page as a browser shows it"),
    PictureState.NO_BROWSER: message("No picture: no Chromium is installed where the check runs."),
    PictureState.SWITCHED_OFF: message("No picture: the settings switch them off."),
    PictureState.FAILED: message("No picture: the browser could not take one."),
}

ACTIONS: dict[str, Message] = {
    "check.entered": message("Addresses entered to be checked"),
    "check.resumed": message("Check of entered addresses resumed"),
    "check.repeated": message("Address of a record checked again"),
}
WORDS: dict[str, Message] = {"lines": message("Lines")}
