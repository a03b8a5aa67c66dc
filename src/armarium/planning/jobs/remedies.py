"""Why a job failed, and what can be done, in plain words."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from armarium.core.message import Message, message


class Remedy(NamedTuple):
    cause: Message
    remedy: Message


#: The first pattern that is found in what the job said of its end.
KNOWN: Sequence[tuple[str, Remedy]] = (
    (
        r"expired|not heard|no news|lease",
        Remedy(
            message("Its collectors fell silent, again and again, while they held it."),
            message("Look at the collectors that had it (under Attempts), then resubmit the job."),
        ),
    ),
    (
        r"no space|disk|ENOSPC|quota",
        Remedy(
            message("The disk of the collector, or of the server, is full."),
            message("Make room there, then resubmit the job with its original settings."),
        ),
    ),
    (
        r"checksum|sha-?256|digest|truncat",
        Remedy(
            message("A file did not arrive as it was sent."),
            message("The collector keeps its own copy: look at its disk and its network, then resubmit."),
        ),
    ),
    (
        r"order|profile|setting|valid|unknown key|regular expression",
        Remedy(
            message("The crawler could not follow its order."),
            message("Correct the profile, the traps or the seeds, then resubmit with the current settings."),
        ),
    ),
    (
        r"memory|killed|signal|SIGKILL|exit code|exited",
        Remedy(
            message("The crawler was ended from outside, often for lack of memory."),
            message("Look at the log of the collector; fewer slots may help. Then resubmit the job."),
        ),
    ),
    (
        r"resolve|name server|dns|unreachable|connect|network",
        Remedy(
            message("The collector had no way to the network, or the servers did not answer."),
            message("Check the network and the name servers of the collector, then resubmit the job."),
        ),
    ),
    (
        r"generat",
        Remedy(
            message("The generation of its run failed."),
            message("Correct what the harvest's page names, and activate the harvest again."),
        ),
    ),
)

UNKNOWN = Remedy(
    message("Something that Armarium has no words for."),
    message(
        "Read the sentence above and the log of the collector. Resubmit the job, or reject it if nobody "
        "needs it."
    ),
)


def remedy_for(error: str) -> Remedy:
    return next((found for pattern, found in KNOWN if re.search(pattern, error, re.IGNORECASE)), UNKNOWN)
