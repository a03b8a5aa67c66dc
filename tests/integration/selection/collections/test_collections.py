"""Collections, their themes, members and the matrix, on a real database."""

from dataclasses import replace

import pytest

from armarium.accounts.directory.tables import replace_groups
from armarium.accounts.model import Source
from armarium.audit.model import Question
from armarium.audit.service import Audit
from armarium.core.actor import SYSTEM
from armarium.core.errors import Forbidden, Refused
from armarium.selection import shipped
from armarium.selection.collections import queries
from armarium.selection.collections.model import EVERYTHING, Choices, MemberChange, ThemeGiven
from armarium.selection.model import Budget, Depth, Frequency, RecordState
from tests.integration.selection.world import TOO_MUCH, World


def test_renaming_a_theme_renames_it_on_its_records(library: World) -> None:
    made = library.record("https://a.example/")
    news, opinion = library.press.themes
    themes = [ThemeGiven("News", opinion.id), ThemeGiven("Opinion", news.id)]
    changed = library.collections.change(SYSTEM, library.press.id, library.press, themes=themes)
    assert [theme.name for theme in changed.themes] == ["News", "Opinion"]
    assert [theme.id for theme in changed.themes] == [opinion.id, news.id]
    assert library.records.get(made.id).theme_name == "Opinion"
    assert changed.default_theme == news.id, "the usual one stays the same theme"


def test_a_theme_out_of_use_stays_on_its_records_and_can_come_back(library: World) -> None:
    made = library.record("https://a.example/")
    changed = library.collections.change(SYSTEM, library.press.id, library.press, themes=["Opinion"])
    assert [theme.name for theme in changed.active_themes] == ["Opinion"]
    assert changed.default_theme is None
    assert library.records.get(made.id).theme_name == "News"
    with pytest.raises(Refused):
        library.record("https://b.example/")
    again = library.collections.change(
        SYSTEM, library.press.id, changed, themes=["News", "Opinion"], default_theme="news"
    )
    assert again.default_theme == made.theme
    library.record("https://b.example/")


def test_a_collection_that_somebody_changed_meanwhile_is_looked_at_again(library: World) -> None:
    seen = library.press.edition
    library.collections.change(SYSTEM, library.press.id, replace(library.press, description="Papers."))
    with pytest.raises(Refused, match="meanwhile"):
        library.collections.change(SYSTEM, library.press.id, library.press, seen=seen)


def test_the_usual_combination_must_be_possible_when_it_is_chosen(library: World) -> None:
    usual = {
        "default_budget": TOO_MUCH.budget,
        "default_frequency": TOO_MUCH.frequency,
        "default_depth": TOO_MUCH.depth,
    }
    with pytest.raises(Refused, match="default"):
        library.collections.create(SYSTEM, Choices("Radio", **usual), themes=["All"])  # type: ignore[arg-type]
    assert [one.name for one in library.collections.all()] == ["Arts", "Press"]


def test_a_stricter_matrix_does_not_keep_a_collection_from_being_renamed(library: World) -> None:
    library.collections.set_matrix(SYSTEM, {library.press.usual: "No longer."})
    renamed = library.collections.change(SYSTEM, library.press.id, replace(library.press, name="Newspapers"))
    assert renamed.name == "Newspapers"


def test_members_come_and_go_one_by_one(library: World) -> None:
    number = library.press.id
    library.collections.change_members(
        SYSTEM, number, MemberChange(add=("Ben", "cora"), remove=(library.numbers["ada"],))
    )
    assert [name for _, name, _ in library.collections.members(number)] == ["ben", "cora"]
    with pytest.raises(Refused, match="nobody"):
        library.collections.change_members(SYSTEM, number, MemberChange(add=("nobody",)))
    assert [name for _, name, _ in library.collections.members(number)] == ["ben", "cora"]
    assert library.collections.figures()[number].members == 2


def test_a_group_of_the_directory_makes_its_people_members(library: World) -> None:
    group = "cn=Press,ou=groups,dc=library,dc=example"
    with pytest.raises(Forbidden):
        library.record("https://a.example/", by=library.ben)
    library.collections.change_members(SYSTEM, library.press.id, MemberChange(add_groups=(group,)))
    with pytest.raises(Forbidden):
        library.record("https://a.example/", by=library.ben)
    with library.database.transaction() as connection:
        replace_groups(connection, library.numbers["ben"], Source.LDAP, [group, "cn=Others"])
    assert library.record("https://a.example/", by=library.ben).collection == library.press.id
    assert {one.name for one in library.collections.editable(library.ben)} == {"Arts", "Press"}
    assert library.collections.known_groups(10) == ["cn=Others", group]
    library.collections.change_members(SYSTEM, library.press.id, MemberChange(remove_groups=(group,)))
    with pytest.raises(Forbidden):
        library.record("https://b.example/", by=library.ben)


def test_only_those_are_suggested_who_may_enter_records(library: World) -> None:
    assert ("ada", "Ada") in library.collections.possible_members(10)
    assert len(library.collections.possible_members(1)) == 1


def test_records_are_counted_by_state_theme_and_combination(library: World) -> None:
    first, second = (library.record(f"https://{name}.example/", by=library.ada) for name in "ab")
    library.record("https://c.example/", library.arts, active=False)
    library.records.decide(library.cora, [first.id], RecordState.REFUSED, "Out of scope.")
    figures, by_theme = library.collections.figures_of(library.press.id)
    assert (figures.records, figures.proposed, figures.refused, figures.inactive) == (2, 1, 1, 0)
    assert by_theme == {second.theme: 2}
    assert library.collections.figures()[library.arts.id].inactive == 1
    assert library.collections.records_by_combination() == {first.combination: 3}


def test_records_keep_a_combination_that_is_refused_since(library: World) -> None:
    made = library.record("https://a.example/")
    library.collections.set_matrix(SYSTEM, {made.combination: "No longer."})
    kept = library.records.change_fields(library.ada, made.id, {"title": "A"})
    assert kept.combination == made.combination
    with pytest.raises(Refused, match="No longer"):
        library.record("https://b.example/")


def test_a_matrix_that_somebody_changed_meanwhile_is_looked_at_again(library: World) -> None:
    seen = library.collections.matrix().mark
    library.collections.set_matrix(SYSTEM, {})
    with pytest.raises(Refused, match="in the meantime"):
        library.collections.set_matrix(SYSTEM, {TOO_MUCH: "Why."}, seen=seen)


def test_the_log_tells_by_reason_what_the_matrix_refuses(library: World) -> None:
    library.collections.set_matrix(SYSTEM, {one: "No." for one in EVERYTHING if one.budget is Budget.LARGE})
    audit = Audit(library.database)
    entry = audit.page(Question(object_kind="matrix", object_id="1"), limit=1)[0][0]
    assert entry.after is not None
    assert str(entry.after["No"]).startswith("['large · daily, weekly")


def test_a_fresh_installation_has_a_matrix_until_somebody_makes_another(library: World) -> None:
    assert library.collections.set_matrix(SYSTEM, {}).refused == {}
    with library.database.transaction() as connection:
        shipped.ensure(connection)
        assert queries.the_matrix(connection).refused == {}, "whoever emptied it wants it empty"


def test_shipping_twice_changes_nothing(library: World) -> None:
    before = library.collections.matrix()
    with library.database.transaction() as connection:
        shipped.ensure(connection)
    assert library.collections.matrix() == before


def test_what_was_made_of_all_values_offers_them_in_their_order(library: World) -> None:
    made = library.collections.create(SYSTEM, Choices("All"), themes=["One"])
    assert made.offered == {
        "budget": tuple(Budget),
        "frequency": tuple(Frequency),
        "depth": tuple(Depth),
    }
