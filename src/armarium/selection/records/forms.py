"""A record as a form, and back."""

from collections.abc import Sequence

from armarium.accounts.model import Account, Permission
from armarium.accounts.queries import Wanted
from armarium.accounts.rules import permissions_of
from armarium.accounts.service import Accounts
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.selection.collections.forms import usual_values
from armarium.selection.collections.model import Collection
from armarium.selection.model import Budget, Depth, Frequency
from armarium.selection.records.model import Draft, Further, Record
from armarium.selection.records.service import Destination
from armarium.web.form_values import FormReader
from armarium.web.forms import Form, filled
from armarium.web.paging import number_in

MOST_PEOPLE = 2000

CHOOSE = message("Choose one from the list.")


def people(accounts: Accounts) -> list[Account]:
    """Those who may be responsible for a record, for suggestions."""
    found, _ = accounts.page(Wanted(active=True), limit=MOST_PEOPLE)
    return [one for one in found if Permission.SELECTION_EDIT in permissions_of(one.roles)]


def draft_of(form: Form, accounts: Accounts, kept: Record | None = None) -> Draft:
    """What the form says. `kept`: the record as it was, whose collection stays."""
    with FormReader(form) as read:
        return Draft(
            collection=kept.collection
            if kept
            else (read.thing("collection", message("Choose a collection.")) or 0),
            address=form.get("address"),
            theme=read.thing("theme", message("Choose a theme.")) or 0,
            budget=read.choice("budget", Budget, CHOOSE),
            frequency=read.choice("frequency", Frequency, CHOOSE),
            depth=read.choice("depth", Depth, CHOOSE),
            title=form.get("title"),
            language=form.get("language"),
            keywords=_keywords(form.get("keywords"), kept.keywords if kept else ()),
            content_notes=form.get("content_notes"),
            technical_notes=form.get("technical_notes"),
            responsible=read.checked(lambda: _responsible(form.get("responsible"), accounts, kept), None),
            active=form.ticked("active"),
            further=further_in(form.get("further")),
        )


def form_of(record: Record) -> Form:
    return filled(
        collection=record.collection,
        address=record.address,
        theme=record.theme,
        budget=record.budget.value,
        frequency=record.frequency.value,
        depth=record.depth.value,
        title=record.title,
        language=record.language,
        keywords="\n".join(record.keywords),
        content_notes=record.content_notes,
        technical_notes=record.technical_notes,
        responsible=record.responsible_name,
        active="yes" if record.active else None,
        further=further_text(record.further),
        seen=record.edition,
    )


def new_form(collection: Collection | None, responsible: str) -> Form:
    """What is usual in the collection."""
    values: dict[str, object] = {"active": "yes", "responsible": responsible}
    if collection:
        values |= {"collection": collection.id, **usual_values(collection)}
    return filled(**values)


def destination_of(form: Form, collections: Sequence[Collection]) -> Destination:
    """A theme says the collection, too: themes stand in groups, one for each collection."""
    sentence = message("Choose a theme of the collection to which the record shall move.")
    theme = number_in(form.get("theme")) or 0
    chosen = next((one for one in collections if one.theme(theme)), None)
    if chosen is None:
        raise Refused(sentence, field="theme")
    return Destination(chosen.id, theme, chosen.usual if form.ticked("usual") else None)


def seen_in(form: Form) -> int | None:
    """The edition that the form was made from."""
    return number_in(form.get("seen"))


def further_in(text: str) -> tuple[Further, ...]:
    """One address a line, with a note after a space or a tab."""
    found = []
    for line in text.splitlines():
        address, *note = line.split(maxsplit=1)[:2] or [""]
        if address:
            found.append(Further(address, note[0].strip() if note else ""))
    return tuple(found)


def further_text(further: Sequence[Further]) -> str:
    return "\n".join(f"{one.address} {one.note}".strip() for one in further)


def _keywords(text: str, known: Sequence[str]) -> tuple[str, ...]:
    """Lines or commas part them; one that the record has already may hold a comma, as imports bring them."""
    found: list[str] = []
    for line in text.splitlines():
        found += [line] if line.strip() in known else line.split(",")
    return tuple(found)


def _responsible(name: str, accounts: Accounts, kept: Record | None) -> int | None:
    name = name.strip()
    if not name:
        return None
    if kept and name == kept.responsible_name:
        return kept.responsible
    try:
        return accounts.named(name).id
    except NotFound as missing:
        raise Refused(missing.message, field="responsible") from missing
