"""The search box: what the rooms find for one who looks for a thing by its name, address or number."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import structlog
from sqlalchemy.exc import SQLAlchemyError

from armarium.accounts.model import Identity, Permission
from armarium.core.errors import ArmariumError
from armarium.core.message import Message
from armarium.core.services import Services
from armarium.languages.speech import say

log = structlog.get_logger(__name__)

MOST = 6  # of one kind
LONGEST = 200  # what is looked for


@dataclass(frozen=True)
class Found:
    title: Message | str
    href: str
    about: Message | str = ""


@dataclass(frozen=True)
class Finder:
    """How a room looks for things of one kind. It is asked at each pause in typing, so it must be quick."""

    title: Message  # “Records”
    permission: Permission | None
    find: Callable[[Services, Identity, str], Sequence[Found]]
    more: str = ""  # the list of all that fit: an address that ends before the words


@dataclass(frozen=True)
class Answer:
    """What was found of one kind."""

    title: Message
    found: Sequence[Found] = ()
    more: str = ""
    silent: bool = False  # nobody could be asked


def answers(
    finders: Iterable[Finder], services: Services, identity: Identity, words: str
) -> Iterator[Answer]:
    """Of each kind that this person may see, the first that fit; kinds without any are left out."""
    for finder in finders:
        if finder.permission is None or identity.may(finder.permission):
            answer = _answer(finder, services, identity, words)
            if answer.found or answer.silent:
                yield answer


def _answer(finder: Finder, services: Services, identity: Identity, words: str) -> Answer:
    try:
        found = finder.find(services, identity, words)
    except (ArmariumError, SQLAlchemyError) as trouble:  # one that is away does not take others along
        log.warning("could not be searched", what=str(finder.title), reason=str(trouble))
        return Answer(finder.title, silent=True)
    return Answer(finder.title, found[:MOST], finder.more if len(found) > MOST else "")


def fits(words: str, *texts: Message | str) -> bool:
    """Whether every word stands in one of the texts, however it is written."""
    heard = " ".join(say(text) if isinstance(text, Message) else text for text in texts).casefold()
    return all(word in heard for word in words.casefold().split())
