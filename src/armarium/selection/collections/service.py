"""The verbs of collections. None is deleted: one that is no longer wanted becomes inactive."""

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from armarium.accounts.model import Permission, Role
from armarium.accounts.rules import permissions_of
from armarium.audit.entities import Entities, Kind
from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.entities import values_of
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.reading import reading
from armarium.selection import tables
from armarium.selection.collections import queries, rules
from armarium.selection.collections.model import Choices, Collection, Matrix, MemberChange, ThemeGiven
from armarium.selection.collections.queries import Figures
from armarium.selection.collections.rules import arranged, usual_of
from armarium.selection.model import Combination
from armarium.selection.permissions import Editor, editable_collections

TOPIC = "collections"


def subject(collection: Collection) -> Subject:
    return Subject("collection", collection.id, collection.name)


class Collections(Entities[Collection]):
    rows = queries.rows
    kind = Kind(
        "collection",
        topic=TOPIC,
        missing=message("There is no collection with the number %(number)s."),
        unnamed=message("There is no collection named %(name)s."),
        taken=message("There is a collection named %(name)s already."),
        changed=message("Somebody changed this collection meanwhile. Check it again, then save."),
    )

    # Reading

    all = reading(queries.collections)
    members = reading(queries.members)  # number, name and full name of each account
    member_groups = reading(queries.member_groups)
    known_groups = reading(queries.known_groups)
    matrix = reading(queries.the_matrix)
    figures = reading(queries.figures)
    records_by_combination = reading(queries.by_combination)

    def editable(self, editor: Editor) -> list[Collection]:
        """The active ones in which they may make and change records."""
        with self._database.transaction() as connection:
            own = editable_collections(connection, editor)
            found = queries.collections(connection, only_active=True)
        return [one for one in found if own is None or one.id in own]

    def own(self, editor: Editor) -> frozenset[int]:
        """The collections of which they are a member, whatever else their roles let them change."""
        with self._database.transaction() as connection:
            return tables.collections_of(connection, editor.account) if editor.account else frozenset()

    def figures_of(self, number: int) -> tuple[Figures, Mapping[int, int]]:
        """Of one collection; and how many of its records have each theme."""
        with self._database.transaction() as connection:
            known = queries.figures(connection, number).get(number, queries.NOTHING)
            return known, queries.by_theme(connection, number)

    def possible_members(self, most: int) -> list[tuple[str, str]]:
        """Name and full name of those whose roles let them enter records."""
        roles = [role for role in Role if Permission.SELECTION_EDIT in permissions_of([role])]
        with self._database.transaction() as connection:
            return queries.possible_members(connection, roles, most)

    # Changing

    def create(
        self,
        actor: Actor,
        choices: Choices,
        *,
        themes: Sequence[ThemeGiven | str] = (),
        default_theme: str = "",
    ) -> Collection:
        with self._database.transaction() as connection:
            rules.check_usual(choices, queries.the_matrix(connection))
            known = self.insert(connection, {**_values(choices), "created_at": clock.now()})
            _put_themes(connection, known, themes, default_theme)
            made = self.existing(connection, known.id)
            self.note(connection, actor, None, made)
            return made

    def change(
        self,
        actor: Actor,
        number: int,
        choices: Choices,
        *,
        themes: Sequence[ThemeGiven | str] | None = None,
        default_theme: str | None = None,
        seen: int | None = None,
    ) -> Collection:
        """`themes`: those in use, in their order (None: as they are); others stay on their records.

        `default_theme`: the name of the usual one, empty for none (None: as it is, if it is still in use).
        """
        with self._database.transaction() as connection:
            before = self.existing(connection, number, lock=True)
            if seen is not None and seen != before.edition:
                raise Refused(self.kind.changed)
            if (choices.usual, choices.offered) != (before.usual, before.offered):
                rules.check_usual(choices, queries.the_matrix(connection))
            self.update(connection, before, _values(choices))
            if themes is not None or default_theme is not None:
                _put_themes(
                    connection, before, before.themes_given if themes is None else themes, default_theme
                )
            after = self.existing(connection, number)
            if before.described() != after.described():
                self.note(connection, actor, before, after)
            return after

    def set_members(
        self, actor: Actor, number: int, accounts: Iterable[int], groups: Iterable[str] = ()
    ) -> None:
        """These, and no others."""
        with self._database.transaction() as connection:
            _set_members(connection, actor, existing(connection, number, lock=True), accounts, groups)

    def change_members(self, actor: Actor, number: int, change: MemberChange) -> None:
        """Only what is said, so that two people who do this at once do not undo each other's work."""
        with self._database.transaction() as connection:
            known = existing(connection, number, lock=True)
            found = queries.accounts_named(connection, change.add)
            for name in change.add:
                if name.lower() not in found:
                    raise Refused(
                        message("There is no account in use named %(name)s.", name=name), field="members"
                    )
            people = {one for one, _, _ in queries.members(connection, number)} - set(change.remove)
            groups = set(queries.member_groups(connection, number)) - set(change.remove_groups)
            _set_members(
                connection, actor, known, people | set(found.values()), groups | set(change.add_groups)
            )

    def set_matrix(
        self, actor: Actor, refused: Mapping[Combination, str], *, seen: str | None = None
    ) -> Matrix:
        """These combinations, each with its reason, cannot be chosen from now on; records keep theirs.

        `seen`: the mark of the matrix that somebody looked at while making this one.
        """
        checked = rules.checked_reasons(refused)
        with self._database.transaction() as connection:
            known = queries.the_matrix(connection, lock=True)
            if seen is not None and seen != known.mark:
                raise Refused(
                    message(
                        "Somebody has changed the allowed combinations in the meantime. "
                        "Check them again, then save."
                    )
                )
            queries.put_matrix(connection, checked)
            made = queries.the_matrix(connection)
            if made.refused != known.refused:
                whole = Subject("matrix", 1, "")
                before, after = _described(known), _described(made)
                record(connection, actor, "matrix.changed", whole, before=before, after=after)
                announce(connection, TOPIC)
            return made


def existing(connection: Connection, number: int, *, lock: bool = False) -> Collection:
    """For other services, in their transactions."""
    found = queries.rows.by_id(connection, number, lock=lock)
    if found is None:
        raise NotFound(Collections.kind.missing.saying(number=number))
    return found


def _put_themes(
    connection: Connection, known: Collection, themes: Sequence[ThemeGiven | str], default_theme: str | None
) -> None:
    wanted = arranged(known.themes, themes)
    if default_theme is None:
        usual = next((one for one in wanted if one.active and one.id == known.default_theme), None)
    else:
        usual = usual_of(wanted, default_theme)
    queries.put_themes(connection, known.id, wanted, usual)


def _set_members(
    connection: Connection, actor: Actor, known: Collection, accounts: Iterable[int], groups: Iterable[str]
) -> None:
    before = _described_members(connection, known.id)
    try:
        queries.put_members(connection, known.id, accounts, rules.checked_groups(groups))
    except IntegrityError as missing:
        raise Refused(message("One of these accounts does not exist."), field="members") from missing
    after = _described_members(connection, known.id)
    if after != before:
        record(connection, actor, "collection.changed", subject(known), before=before, after=after)
        announce(connection, TOPIC)


def _values(choices: Choices) -> dict[str, object]:
    """The columns of what was chosen; a whole collection may be given, of which the rest is left alone."""
    return values_of(rules.checked(choices), Choices)


def _described(matrix: Matrix) -> dict[str, object]:
    """By reason, in the words of programs: the log is read in every language."""
    return {group.reason.rstrip("."): [block.names for block in group.blocks] for group in matrix.groups}


def _described_members(connection: Connection, number: int) -> dict[str, object]:
    return {
        "members": [name for _, name, _ in queries.members(connection, number)],
        "member_groups": queries.member_groups(connection, number),
    }
