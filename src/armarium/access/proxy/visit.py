"""One request through the proxy, with everything that is known about it."""

from dataclasses import dataclass
from urllib.parse import parse_qs

from armarium.access.door.site import Guest, Site
from armarium.access.model import Reader
from armarium.access.proxy.asked import Asked
from armarium.access.proxy.choice import Choice
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message

MOST_FIELDS = 1_000


@dataclass(frozen=True)
class Visit:
    site: Site
    asked: Asked
    guest: Guest
    choice: Choice
    token: str  # what forms of this browser carry

    @property
    def reader(self) -> Reader:
        return self.guest.reader

    @property
    def browser(self) -> bytes:
        """By which it is known again."""
        return self.asked.credentials.key(self.asked.address)

    @property
    def path(self) -> str:
        return self.asked.parts.path or "/"

    @property
    def query(self) -> dict[str, list[str]]:
        return _fields(self.asked.parts.query)

    @property
    def viewing(self) -> int:
        """The number of the viewing that this browser has chosen; raises `NotFound` if it has chosen none."""
        collection = self.site.collection(self.choice.collection, self.reader)
        if collection.viewing is None:
            raise NotFound(
                message(
                    "These commands are about a viewing. Enter viewing- and its number as the proxy's user "
                    "name, and the word that the page of the viewing shows as its password."
                )
            )
        return collection.viewing

    @property
    def form(self) -> dict[str, str]:
        """What a form of ours has sent; raises `Refused` unless it is one of this browser's."""
        fields = {name: values[0] for name, values in _fields(self.asked.body.decode("latin-1")).items()}
        if fields.get("token") != self.token:
            raise Refused(message("This form is no longer good. Go back, load the page again and repeat."))
        return fields


def _fields(text: str) -> dict[str, list[str]]:
    try:
        return parse_qs(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise Refused(message("The request has values that cannot be used.")) from error
