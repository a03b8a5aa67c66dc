"""What people enter, made fit to be kept: one line, or several."""

import re

from armarium.core.errors import Refused
from armarium.core.message import message

LONGEST_NAME = 100
LINE_END = re.compile(r"\r\n?")
#: Control characters, halves of surrogates, and what turns the direction of all that follows it on a page.
#: Not all that is unprintable: a no-break space stands before French marks, a joiner inside Persian words.
UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def line(text: str, field: str, most: int) -> str:
    """The text on one line, or a refusal that names the field."""
    kept = " ".join(text.split())
    if len(kept) > most or not kept.isprintable():
        raise Refused(
            message("This has at most %(most)s characters, all of them printable.", most=most), field=field
        )
    return kept


def lines(text: str) -> str:
    """The text with its line ends, without what is unfit; how long it may be says whoever keeps it."""
    return UNFIT.sub("", LINE_END.sub("\n", text)).strip()


def checked_name(text: str) -> str:
    """The name of something that people make, on one line."""
    name = " ".join(text.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise Refused(
            message("A name has 1 to %(most)s printable characters.", most=LONGEST_NAME), field="name"
        )
    return name


def notes(text: str, field: str, most: int) -> str:
    kept = lines(text)
    if len(kept) > most:
        raise Refused(message("Notes have at most %(most)s characters.", most=most), field=field)
    return kept
