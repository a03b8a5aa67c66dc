"""A question in words, and what the audit log says of searches."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from armarium.core.message import Message, message
from armarium.languages.speech import byte_size, number, say
from armarium.selection.collections.model import Collection
from armarium.selection.model import BUDGETS, DEPTHS, FREQUENCIES, ORIGINS, STATES
from armarium.selection.search.model import KINDS, ME, NOBODY, UNKNOWN, Question

YES, NO = message("yes"), message("no")
LABELS: Mapping[str, Message] = {
    "q": message("Text"),
    "number": message("Number"),
    "address": message("Address contains"),
    "begins": message("Address begins with"),
    "further": message("Further address contains"),
    "host": message("Host"),
    "domain": message("Domain"),
    "title": message("Title contains"),
    "collection": message("Collection"),
    "theme": message("Theme"),
    "budget": message("Budget"),
    "frequency": message("Frequency"),
    "depth": message("Depth"),
    "state": message("State"),
    "reason": message("Reason contains"),
    "active": message("Active"),
    "responsible": message("Responsible"),
    "language": message("Language"),
    "keyword": message("Keyword"),
    "content_notes": message("Notes on the content contain"),
    "technical_notes": message("Technical notes contain"),
    "origin": message("Origin"),
    "checked": message("Checked live"),
    "created": message("Created"),
    "created_by": message("Created by"),
    "modified": message("Changed"),
    "modified_by": message("Changed by"),
    "decided": message("Decided"),
    "decided_by": message("Decided by"),
    "was_harvested": message("Harvested"),
    "harvested": message("Last harvest"),
    "job": message("Job"),
    "objects": message("Objects"),
    "bytes": message("Bytes"),
    "stop": message("Why it stopped"),
    "has_further": message("With further addresses"),
    "has_comments": message("With comments"),
    "comment": message("Comment contains"),
    "edition": message("Edition"),
}
FROM, TO = message("%(label)s from"), message("%(label)s until")
TABLES: Mapping[str, Mapping[str, Message]] = {
    name: {str(one): text for one, text in table.items()}
    for name, table in (
        ("budget", BUDGETS),
        ("frequency", FREQUENCIES),
        ("depth", DEPTHS),
        ("state", STATES),
        ("origin", ORIGINS),
    )
}
PEOPLE = {ME: message("Me"), NOBODY: message("Nobody")}


def meant(text: str) -> str:
    """What somebody typed for a person: their own words for “me” and “nobody” are those of programs."""
    typed = text.casefold()
    return next((one for one, said in PEOPLE.items() if say(said).casefold() == typed), text)


def typed(value: str) -> str:
    """The other way: as one would type it."""
    return say(PEOPLE[value]).lower() if value in PEOPLE else value


ACTIONS: dict[str, Message] = {
    "search.saved": message("Search saved"),
    "search.changed": message("Saved search changed"),
    "search.handed_over": message("Saved search transferred to another person"),
    "search.deleted": message("Saved search deleted"),
}
WORDS: dict[str, Message] = {
    "search": message("Saved search"),
    "query": message("Query"),
    "owner": message("Owner"),
    "shared": message("Shared"),
}


@dataclass(frozen=True)
class Names:
    """Of what questions give by number."""

    collections: Mapping[int, str] = field(default_factory=dict)
    themes: Mapping[int, str] = field(default_factory=dict)


def names_of(collections: Sequence[Collection]) -> Names:
    themes = {theme.id: theme.name for one in collections for theme in one.themes}
    return Names({one.id: one.name for one in collections}, themes)


@dataclass(frozen=True)
class Chip:
    """One thing that is asked."""

    label: str
    value: str
    without: str  # the query string of the same question without it


def chips(question: Question, names: Names) -> list[Chip]:
    """What is asked, thing by thing, in the language of the reader."""
    return [
        Chip(label, value, (question.without(pair) if pair else question.but(number=())).query())
        for label, value, pair in _said(question, names)
    ]


def in_words(question: Question, names: Names) -> str:
    """The whole question as one line."""
    said = [
        say(message("%(label)s: %(value)s", label=label, value=value))
        for label, value, _ in _said(question, names)
    ]
    return " · ".join(said) if said else say(message("All records"))


def _said(question: Question, names: Names) -> Iterator[tuple[str, str, tuple[str, str] | None]]:
    """Label, value and parameter of each thing; a list of ticked records is one thing, without any."""
    for name, kind in KINDS.items():
        pairs = kind.write(name, getattr(question, name))
        if name == "number" and len(pairs) > 1:
            yield say(LABELS[name]), say(message("%(number)s records", number=number(len(pairs)))), None
        else:
            yield from ((label_of(name, pair[0]), shown(name, pair[1], names), pair) for pair in pairs)


def label_of(name: str, parameter: str) -> str:
    label = say(LABELS[name])
    if parameter == name:
        return label
    return say(message((FROM if parameter.endswith("_from") else TO).template, label=label))


def shown(name: str, value: str, names: Names) -> str:
    """A value of a parameter in words."""
    if name in TABLES:
        return say(TABLES[name][value])
    if name in {"collection", "theme"}:
        known = names.collections if name == "collection" else names.themes
        return known.get(int(value), value) if value.isdigit() else value
    if name == "responsible":
        return say(PEOPLE[value]) if value in PEOPLE else value
    if name == "language" and value == UNKNOWN:
        return say(message("not known"))
    if name == "bytes":
        return byte_size(int(value))
    if name in {"objects", "edition"}:
        return number(int(value))
    if value in {"yes", "no"} and KINDS[name].empty is None:
        return say(YES if value == "yes" else NO)
    return value
