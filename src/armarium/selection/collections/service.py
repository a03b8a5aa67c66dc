"""The verbs of collections. None is deleted: one that is no longer wanted becomes inactive."""

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.selection.collections import queries, rules
from armarium.selection.collections.model import Choices, Collection, Matrix
from armarium.selection.model import Combination
from armarium.selection.rights import Editor, theirs

TOPIC = "collections"
LONGEST_THEME = 100
MOST_THEMES = 1000


def subject(collection: Collection) -> Subject:
    return Subject("collection", collection.id, collection.name)


class Collections:
    def __init__(self, database: Database) -> None:
        self._database = database

    # Reading

    def all(self, *, only_active: bool = False) -> list[Collection]:
        with self._database.transaction() as connection:
            return queries.collections(connection, only_active=only_active)

    def get(self, number: int) -> Collection:
        with self._database.transaction() as connection:
            return existing(connection, number)

    def named(self, name: str) -> Collection:
        with self._database.transaction() as connection:
            found = queries.by_name(connection, name)
        if found is None:
            raise NotFound(message("There is no collection named %(name)s.", name=name))
        return found

    def editable(self, editor: Editor) -> list[Collection]:
        """The active ones in which they may make and change records."""
        with self._database.transaction() as connection:
            own = theirs(connection, editor)
            found = queries.collections(connection, only_active=True)
        return [one for one in found if own is None or one.id in own]

    def members(self, number: int) -> list[tuple[int, str, str]]:
        with self._database.transaction() as connection:
            return queries.members(connection, number)

    def member_groups(self, number: int) -> list[str]:
        with self._database.transaction() as connection:
            return queries.member_groups(connection, number)

    def matrix(self) -> Matrix:
        with self._database.transaction() as connection:
            return queries.the_matrix(connection)

    # Changing

    def create(
        self, actor: Actor, choices: Choices, *, themes: Sequence[str] = (), default_theme: str = ""
    ) -> Collection:
        with self._database.transaction() as connection:
            values = {**_values(choices), "created_at": clock.now()}
            number = queries.insert(connection, values)
            if number is None:
                raise _name_taken(choices.name)
            _put_themes(connection, existing(connection, number), themes, default_theme)
            made = existing(connection, number)
            record(connection, actor, "collection.created", subject(made), after=made.described())
            announce(connection, TOPIC)
            return made

    def change(
        self,
        actor: Actor,
        number: int,
        choices: Choices,
        *,
        themes: Sequence[str] | None = None,
        default_theme: str = "",
        seen: int | None = None,
    ) -> Collection:
        """`themes`: those in use, in their order (None: as they are); others stay on their records."""
        with self._database.transaction() as connection:
            before = existing(connection, number, lock=True)
            if seen is not None and seen != before.edition:
                raise Refused(
                    message("Somebody changed this collection meanwhile. Look at it again, then save.")
                )
            try:
                queries.update(connection, number, _values(choices))
            except IntegrityError as taken:
                raise _name_taken(choices.name) from taken
            if themes is not None:
                _put_themes(connection, before, themes, default_theme)
            return self._changed(connection, actor, before)

    def set_members(
        self, actor: Actor, number: int, accounts: Iterable[int], groups: Iterable[str] = ()
    ) -> None:
        with self._database.transaction() as connection:
            known = existing(connection, number, lock=True)
            before = _described_members(connection, number)
            named = sorted({" ".join(one.split()) for one in groups if one.strip()})
            try:
                queries.put_members(connection, number, accounts, named)
            except IntegrityError as missing:
                raise Refused(message("One of these accounts does not exist."), field="members") from missing
            after = _described_members(connection, number)
            if after != before:
                record(connection, actor, "collection.changed", subject(known), before=before, after=after)
                announce(connection, TOPIC)

    def set_matrix(self, actor: Actor, refused: Mapping[Combination, str]) -> Matrix:
        """These combinations, each with its reason, cannot be chosen from now on; records keep theirs."""
        checked = {one: " ".join(reason.split()) for one, reason in refused.items()}
        if not all(checked.values()):
            raise Refused(message("Say why each combination cannot be chosen: librarians will ask."))
        with self._database.transaction() as connection:
            before = _described(queries.the_matrix(connection))
            queries.put_matrix(connection, checked)
            made = queries.the_matrix(connection)
            after = _described(made)
            if after != before:
                whole = Subject("matrix", 1, "")
                record(connection, actor, "matrix.changed", whole, before=before, after=after)
                announce(connection, TOPIC)
            return made

    # Steps

    def _changed(self, connection: Connection, actor: Actor, before: Collection) -> Collection:
        after = existing(connection, before.id)
        old, new = before.described(), after.described()
        if old != new:
            record(connection, actor, "collection.changed", subject(after), before=old, after=new)
            announce(connection, TOPIC)
        return after


def existing(connection: Connection, number: int, *, lock: bool = False) -> Collection:
    found = queries.by_id(connection, number, lock=lock)
    if found is None:
        raise NotFound(message("There is no collection with the number %(number)s.", number=number))
    return found


def _put_themes(connection: Connection, known: Collection, themes: Sequence[str], default_theme: str) -> None:
    wanted = list(dict.fromkeys(name for one in themes if (name := " ".join(one.split()))))
    if not wanted:
        raise Refused(message("A collection needs at least one theme: every record has one."), field="themes")
    if len(wanted) > MOST_THEMES or any(len(name) > LONGEST_THEME for name in wanted):
        raise Refused(
            message("At most %(most)s themes, of %(long)s characters.", most=MOST_THEMES, long=LONGEST_THEME),
            field="themes",
        )
    numbers = {name: queries.put_theme(connection, known.id, name, n) for n, name in enumerate(wanted)}
    for theme in known.active_themes:
        if theme.name not in numbers:
            queries.update_theme(connection, theme.id, active=False)
    usual = numbers.get(" ".join(default_theme.split()))
    if default_theme.strip() and usual is None:
        raise Refused(message("The usual theme must be one of the themes."), field="default_theme")
    queries.update(connection, known.id, {"default_theme": usual})


def _values(choices: Choices) -> dict[str, object]:
    """The columns of what was chosen; a whole collection may be given, of which the rest is left alone."""
    checked = rules.checked(choices)
    return {name: getattr(checked, name) for name in Choices.__dataclass_fields__} | {
        "budgets": list(checked.budgets),
        "frequencies": list(checked.frequencies),
        "depths": list(checked.depths),
    }


def _described(matrix: Matrix) -> dict[str, object]:
    return {f"{one.budget} · {one.frequency} · {one.depth}": reason for one, reason in matrix.refused.items()}


def _described_members(connection: Connection, number: int) -> dict[str, object]:
    return {
        "members": [name for _, name, _ in queries.members(connection, number)],
        "member_groups": queries.member_groups(connection, number),
    }


def _name_taken(name: str) -> Refused:
    return Refused(message("There is a collection named %(name)s already.", name=name), field="name")
