"""What a look at an address found, and who takes it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Protocol, Self


class Verdict(StrEnum):
    FINE = "fine"
    REDIRECTS = "redirects"  # it answers, at another address
    INVALID = "invalid"  # it cannot be selected


class Trouble(StrEnum):
    """Why an address cannot be selected."""

    NONE = ""
    NO_ADDRESS = "no-address"  # the text is no address of the web
    NO_NAME = "no-name"  # the DNS gives no address for its name
    DENIED = "denied"  # it, or what it leads to, lies in a network that is not for the crawler
    UNREACHABLE = "unreachable"  # no connection, or none that ends well
    TOO_SLOW = "too-slow"
    STATUS = "status"  # the server answers with an error
    ASTRAY = "astray"  # redirects in a circle, too many of them, or to what is no address


class Way(StrEnum):
    """How one came to a step."""

    ASKED = "asked"
    REDIRECT = "redirect"  # a status of the 300s with Location
    REFRESH = "refresh"  # a meta refresh, or the field Refresh


class RobotsSays(StrEnum):
    UNKNOWN = "unknown"  # was not asked
    ALLOWED = "allowed"
    FORBIDDEN = "forbidden"
    ABSENT = "absent"
    OUT_OF_REACH = "out-of-reach"  # RFC 9309, 2.3.1.4: the crawler then takes nothing


class PictureState(StrEnum):
    NONE = ""  # was not wanted: there is no page
    TAKEN = "taken"
    NO_BROWSER = "no-browser"
    SWITCHED_OFF = "switched-off"
    FAILED = "failed"


@dataclass(frozen=True)
class Step:
    """One address on the way."""

    url: str
    way: Way
    status: int = 0  # of HTTP; 0: there was no answer
    addresses: tuple[str, ...] = ()  # as the DNS gave them
    told: str = ""  # what the crawler says of a failure

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        values = dict(kept)
        return cls(**{**values, "way": Way(values["way"]), "addresses": tuple(values["addresses"])})

    def kept(self) -> dict[str, object]:
        return {**asdict(self), "addresses": list(self.addresses)}


@dataclass(frozen=True)
class Look:
    """All that was seen of one address at one moment."""

    url: str
    verdict: Verdict
    trouble: Trouble = Trouble.NONE
    steps: tuple[Step, ...] = ()
    robots: RobotsSays = RobotsSays.UNKNOWN
    robots_rule: str = ""  # the line that forbids
    title: str = ""
    language: str = ""  # a language tag
    media_type: str = ""
    size: int = 0  # bytes of the page as sent
    whole: bool = True  # False: there is more than `size`
    tls_problem: str = ""  # why nobody vouches for the server, in OpenSSL's words
    seconds: float = 0.0
    picture: bytes = b""
    picture_state: PictureState = PictureState.NONE

    @property
    def last(self) -> Step | None:
        return self.steps[-1] if self.steps else None

    @property
    def final(self) -> str:
        """Where the address leads."""
        return self.steps[-1].url if self.steps else self.url


Begun = Callable[[int], None]
Done = Callable[[int, Look], None]


class Checker(Protocol):
    """Looks at addresses as the crawler would see them."""

    def check(
        self, wanted: Sequence[tuple[int, str]], *, begun: Begun, done: Done, stopping: Callable[[], bool]
    ) -> None:
        """Look at each of these numbered addresses, several at a time, and say when one begins and ends.

        Returns when all are done, or soon after `stopping`: then some are not. Never raises for what a site
        does; what `begun` and `done` raise passes.
        """
        ...
