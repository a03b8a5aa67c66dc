"""The columns of a file of records: one table for export, import and the reference page."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache

from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.languages.catalogues import languages
from armarium.languages.speech import say, translate
from armarium.selection.records.model import Record


class Read(StrEnum):
    """What an import does with a column."""

    ALWAYS = "always"
    CURATORS = "curators"  # only where the one who imports decides about proposals
    NEVER = "never"  # kept by Armarium itself


@dataclass(frozen=True)
class Column:
    key: str
    title: Message
    help: Message
    value: Callable[[Record], str] | str = ""  # or the field that is written as it is; usually the key's
    read: Read = Read.ALWAYS

    def text(self, record: Record) -> str:
        if callable(self.value):
            return self.value(record)
        found = getattr(record, self.value or self.key)
        return "" if found is None else plain_text(found)


def plain_text(value: object) -> str:
    match value:
        case datetime():
            return value.isoformat(timespec="seconds")
        case bool():
            return "yes" if value else "no"
        case _:
            return str(value)


def keywords_text(record: Record) -> str:
    """With semicolons; where a keyword has one itself, in lines of their own."""
    if any(";" in one for one in record.keywords):
        return "".join(f"{one}\n" for one in record.keywords)
    return "; ".join(record.keywords)


def further_text(record: Record) -> str:
    """An address has no spaces: what follows the first one is the note."""
    return "\n".join(f"{one.address} {one.note}".rstrip() for one in record.further)


N, C = Read.NEVER, Read.CURATORS

COLUMNS: Sequence[Column] = (
    Column(
        "number",
        message("Number"),
        message("Of the record. A line with a number changes that record; without one, see the address."),
        "id",
    ),
    Column(
        "collection",
        message("Collection"),
        message("Its name. Empty: the one that was chosen for the whole file."),
        "collection_name",
    ),
    Column(
        "address",
        message("Address"),
        message(
            "Of the site. A line without a number changes the record that has this address in the "
            "collection, and makes a new one if none has it."
        ),
    ),
    Column("title", message("Title"), message("One line.")),
    Column(
        "theme",
        message("Theme"),
        message("Its name. Empty: unchanged; in a new record the usual one of the collection."),
        "theme_name",
    ),
    Column(
        "budget",
        message("Budget"),
        message("small, medium or large. Empty: unchanged; in a new record the usual one of the collection."),
    ),
    Column(
        "frequency",
        message("Frequency"),
        message(
            "daily, weekly, monthly, quarterly, half-yearly, annual or once. Empty: unchanged; in a new "
            "record the usual one of the collection."
        ),
    ),
    Column(
        "depth",
        message("Depth"),
        message(
            "page, page+1, page+2, path, host or domain. Empty: unchanged; in a new record the usual one of "
            "the collection."
        ),
    ),
    Column("language", message("Language"), message("A code: fr, pt-BR.")),
    Column(
        "keywords",
        message("Keywords"),
        message("With semicolons between them, or each in a line of its own."),
        keywords_text,
    ),
    Column("content_notes", message("Notes on the content"), message("Text.")),
    Column("technical_notes", message("Technical notes"), message("Text.")),
    Column(
        "responsible",
        message("Responsible"),
        message("The name of an account. Empty: nobody."),
        "responsible_name",
    ),
    Column("active", message("Active"), message("yes or no. Empty: unchanged; in a new record yes.")),
    Column(
        "further_addresses",
        message("Further addresses"),
        message("Each in a line of its own; what follows the first space of a line is its note."),
        further_text,
    ),
    Column(
        "state",
        message("State"),
        message("proposed, validated or refused. Imported only by those who decide about proposals."),
        read=C,
    ),
    Column(
        "reason",
        message("Reason"),
        message("Why it was refused. Imported only by those who decide about proposals."),
        "state_reason",
        C,
    ),
    Column("origin", message("Origin"), message("How it came."), read=N),
    Column("created_at", message("Created"), message("When."), read=N),
    Column("created_by", message("Created by"), message("By whom."), read=N),
    Column("modified_at", message("Changed"), message("When."), read=N),
    Column("modified_by", message("Changed by"), message("By whom."), read=N),
    Column("decided_at", message("Decided"), message("When."), "stated_at", N),
    Column("decided_by", message("Decided by"), message("By whom."), "stated_by", N),
    Column("harvested_at", message("Last harvest"), message("When it ended."), read=N),
    Column("harvested_objects", message("Objects of the last harvest"), message("How many."), read=N),
    Column("harvested_bytes", message("Bytes of the last harvest"), message("How many."), read=N),
    Column(
        "harvested_stop", message("Why the last harvest ended"), message("In the crawler's word."), read=N
    ),
)
BY_KEY: Mapping[str, Column] = {column.key: column for column in COLUMNS}

#: Fields of a draft by another name than their column's.
FIELD_COLUMNS: Mapping[str, str] = {"further": "further_addresses"}


def column_of(field: str | None) -> str:
    """The key of the column that a refusal's field speaks of."""
    return FIELD_COLUMNS.get(field or "", field or "")


def folded(text: str) -> str:
    """A heading as it is compared: letters and digits alone."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


@cache
def _names() -> Mapping[str, str]:
    """Every heading that is understood, and the key of its column: keys win over titles."""
    found: dict[str, str] = {}
    for code in languages():
        for column in COLUMNS:
            found.setdefault(folded(translate(column.title, code)), column.key)
    return found | {folded(column.key): column.key for column in COLUMNS}


def known(heading: str) -> str | None:
    """The key of the column that a heading names, in any of our languages."""
    return _names().get(folded(heading))


def chosen(keys: Iterable[str]) -> list[Column]:
    """These columns, in their order; all of them if none is named."""
    wanted = [key for part in keys for key in part.replace(",", " ").split()]
    if unknown := [key for key in wanted if key not in BY_KEY]:
        raise Refused(
            message(
                "There is no column %(name)s. There are: %(all)s.", name=unknown[0], all=", ".join(BY_KEY)
            ),
            field="column",
        )
    return [BY_KEY[key] for key in dict.fromkeys(wanted)] or list(COLUMNS)


def headings(columns: Iterable[Column], *, titles: bool) -> list[str]:
    """The first line of a file: keys for programs, or titles in the language of the moment."""
    return [say(column.title) if titles else column.key for column in columns]
