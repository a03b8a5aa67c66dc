"""What a record may be. Pure: its collection and the matrix are given."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.formats.url.domain import registered_domain
from armarium.formats.url.surt import surt
from armarium.formats.url.whatwg import Url, parse
from armarium.selection.collections.model import Collection, Matrix
from armarium.selection.collections.rules import check_combination
from armarium.selection.model import RecordState, line, notes
from armarium.selection.records.model import FIELDS, Draft, Further, Record

LONGEST_ADDRESS = 2000
LONGEST_TITLE = 500
LONGEST_NOTES = 20_000
LONGEST_REASON = 2000
LONGEST_KEYWORD = 100
MOST_KEYWORDS = 100
MOST_FURTHER = 100
LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
HAS_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


@dataclass(frozen=True)
class Place:
    """Where an address lies, however it is spelt."""

    address: str
    key: str  # as the index has it
    host: str
    domain: str  # the registered one, or the host that belongs to none


def place_of(text: str, *, field: str = "address") -> Place:
    """The address as it will be harvested, from what somebody typed: example.org is enough."""
    typed = text.strip()
    if not typed:
        raise Refused(message("Enter an address."), field=field)
    if len(typed) > LONGEST_ADDRESS:
        raise Refused(
            message("An address has at most %(most)s characters.", most=LONGEST_ADDRESS), field=field
        )
    if not HAS_SCHEME.match(typed) or re.match(r"[^/?#]*:\d+(?:[/?#]|$)", typed):
        typed = f"http://{typed}"
    found = _parsed(typed)
    if found is None:
        raise _no_address(text, field)
    if found.scheme not in {"http", "https"} or not found.host:
        raise _no_address(text, field)
    if found.username or found.password:
        raise Refused(
            message("Take the name and the password out of the address: planning keeps them for the domain."),
            field=field,
        )
    return _place(found.href.partition("#")[0], found.host)


# An address is asked for again in every step in which its record is judged and written.


@lru_cache(maxsize=10_000)
def _parsed(typed: str) -> Url | None:
    try:
        return parse(typed)
    except ValueError:
        return None


@lru_cache(maxsize=10_000)
def _place(address: str, host: str) -> Place:
    return Place(address, surt(address), host, registered_domain(host) or host)


def checked(draft: Draft, collection: Collection, matrix: Matrix, kept: Draft | None = None) -> Draft:
    """The draft with its texts trimmed, or a refusal that names the field.

    `kept`: the record as it was. What it has may stay, also where a stricter rule was made since.
    """
    same = kept is not None and kept.collection == draft.collection
    theme = collection.theme(draft.theme)
    if theme is None or not (theme.active or (same and kept and kept.theme == draft.theme)):
        raise Refused(
            message("Choose one of the themes of the collection %(name)s.", name=collection.name),
            field="theme",
        )
    if not (same and kept and kept.combination == draft.combination):
        check_combination(collection, matrix, draft.combination)
    return replace(
        draft,
        address=place_of(draft.address).address,
        title=line(draft.title, "title", LONGEST_TITLE),
        language=checked_language(draft.language),
        keywords=_keywords(draft.keywords),
        content_notes=notes(draft.content_notes, "content_notes", LONGEST_NOTES),
        technical_notes=notes(draft.technical_notes, "technical_notes", LONGEST_NOTES),
        further=_further(draft),
    )


def become(record: Record, draft: Draft) -> tuple[Record, bool]:
    """The record with what the draft says, and whether it has an address that it had not.

    An address that it had, in whatever place, is still seen. With a new one it is like any record: what an
    import vouched for is not this.
    """
    seen = {record.key: record.checked_at}
    seen |= {place_of(one.address).key: one.checked_at for one in record.further}
    place = place_of(draft.address)
    keys = [place_of(one.address).key for one in draft.further]
    further = tuple(
        replace(one, checked_at=seen.get(key)) for one, key in zip(draft.further, keys, strict=True)
    )
    new = not seen.keys() >= {place.key, *keys}
    values: dict[str, Any] = {name: getattr(draft, name) for name in FIELDS} | vars(place)
    values |= {"further": further, "checked_at": seen.get(place.key)}
    return replace(record, **values, taken_over=record.taken_over and not new), new


def not_seen(record: Record) -> Message:
    address = record.unseen[0]
    if address != record.address:
        return message(
            "The further address %(address)s has not been seen to answer. Check it again on the page of its "
            "record or take it out, then validate.",
            address=address,
        )
    return message(
        "%(address)s has not been seen to answer. Check it again on the page of its record, then validate.",
        address=address,
    )


def checked_reason(state: RecordState, reason: str) -> str:
    """Why it was decided so; who refuses must say."""
    reason = reason.strip()
    if state is RecordState.REFUSED and not reason:
        raise Refused(message("Say why: the librarian will ask."), field="reason")
    if len(reason) > LONGEST_REASON:
        raise Refused(
            message("A reason has at most %(most)s characters.", most=LONGEST_REASON), field="reason"
        )
    return reason


def checked_language(text: str) -> str:
    language = text.strip()
    if language and not LANGUAGE.fullmatch(language):
        raise Refused(message("Write the language as a code: fr, de, pt-BR."), field="language")
    return language


def _keywords(given: tuple[str, ...]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(kept for one in given if (kept := " ".join(one.split()))))
    if len(found) > MOST_KEYWORDS or any(
        len(one) > LONGEST_KEYWORD or not one.isprintable() for one in found
    ):
        raise Refused(
            message(
                "At most %(most)s keywords, of %(long)s characters.", most=MOST_KEYWORDS, long=LONGEST_KEYWORD
            ),
            field="keywords",
        )
    return found


def _further(draft: Draft) -> tuple[Further, ...]:
    """Each once, and none that is the record's own address."""
    own = place_of(draft.address).key
    found: dict[str, Further] = {}
    for one in draft.further:
        place = place_of(one.address, field="further")
        if place.key != own:
            found.setdefault(place.key, Further(place.address, line(one.note, "further", LONGEST_TITLE)))
    if len(found) > MOST_FURTHER:
        raise Refused(message("At most %(most)s further addresses.", most=MOST_FURTHER), field="further")
    return tuple(found.values())


def _no_address(text: str, field: str) -> Refused:
    return Refused(
        message(
            "“%(text)s” is no address of a web site. Write it as https://example.org/.",
            text=text.strip()[:200],
        ),
        field=field,
    )
