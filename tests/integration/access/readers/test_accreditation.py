"""Accrediting readers: by days, without overlaps, all of a list or nothing."""

from datetime import date, timedelta

import pytest

from armarium.access.accreditation.model import AccreditationFilter, AccreditationState, Period
from armarium.access.accreditation.service import Accreditations, Imports
from armarium.access.readers.sessions import is_accredited
from armarium.accounts.model import Profile, Role
from armarium.accounts.service import Accounts
from armarium.accounts.settings import AccountSettings
from armarium.audit.model import Question
from armarium.audit.service import Audit
from armarium.core.actor import SYSTEM
from armarium.core.errors import NotFound, Refused
from armarium.db.database import Database

YEAR = Period(date(2026, 1, 1), date(2026, 12, 31))


@pytest.fixture
def accreditations(database: Database) -> Accreditations:
    accounts = Accounts(database, AccountSettings())
    for name in ("amelie", "boris"):
        accounts.create(SYSTEM, Profile(name, name.title(), "", "", frozenset({Role.READER})))
    return Accreditations(database, "Europe/Paris")


def actions(database: Database) -> list[str]:
    found, _ = Audit(database).page(Question(), limit=100)
    return [entry.action for entry in reversed(found) if entry.action.startswith("accreditation")]


def test_a_reader_is_accredited_renewed_and_ended_and_all_of_it_is_written_down(
    accreditations: Accreditations, database: Database
) -> None:
    added = accreditations.add(SYSTEM, " Amelie ", YEAR, "card 4711")
    renewed = accreditations.change(SYSTEM, added.id, Period(YEAR.first_day, date(2027, 12, 31)), "card 4711")
    assert renewed.last_day == date(2027, 12, 31)
    ended = accreditations.end(SYSTEM, added.id)
    assert ended.ended_by == SYSTEM.name
    assert actions(database) == ["accreditation.added", "accreditation.changed", "accreditation.ended"]
    with pytest.raises(Refused):
        accreditations.change(SYSTEM, added.id, YEAR, "")
    with pytest.raises(Refused):
        accreditations.end(SYSTEM, added.id)


def test_an_accreditation_counts_on_its_days_and_until_it_is_ended(
    accreditations: Accreditations, database: Database
) -> None:
    added = accreditations.add(SYSTEM, "amelie", YEAR)

    def on(day: date) -> bool:
        with database.transaction() as connection:
            return is_accredited(connection, added.account, day)

    days = [YEAR.first_day - timedelta(days=1), YEAR.first_day, YEAR.last_day, date(2027, 1, 1)]
    assert [on(day) for day in days] == [False, True, True, False]
    accreditations.end(SYSTEM, added.id)
    assert not on(YEAR.first_day)


def test_days_do_not_overlap_but_years_may_follow_each_other(accreditations: Accreditations) -> None:
    first = accreditations.add(SYSTEM, "amelie", YEAR)
    with pytest.raises(Refused, match="already"):
        accreditations.add(SYSTEM, "amelie", Period(date(2026, 12, 31), date(2027, 12, 31)))
    accreditations.add(SYSTEM, "amelie", Period(date(2027, 1, 1), date(2027, 12, 31)))
    with pytest.raises(Refused, match="already"):
        accreditations.change(SYSTEM, first.id, Period(date(2026, 1, 1), date(2027, 1, 1)), "")
    accreditations.end(SYSTEM, first.id)
    accreditations.add(SYSTEM, "amelie", YEAR)


def test_unknown_names_and_numbers_are_told(accreditations: Accreditations) -> None:
    with pytest.raises(Refused, match="nobody"):
        accreditations.add(SYSTEM, "nobody", YEAR)
    with pytest.raises(NotFound):
        accreditations.get(4711)


def test_lists_are_filtered_by_state_and_by_what_one_remembers(accreditations: Accreditations) -> None:
    today = accreditations.today()
    accreditations.add(SYSTEM, "amelie", Period(today, today + timedelta(days=5)), "blue card")
    accreditations.add(SYSTEM, "boris", Period(today, today + timedelta(days=300)))
    later = Period(today + timedelta(days=400), today + timedelta(days=500))
    accreditations.add(SYSTEM, "amelie", later)

    def names(wanted: AccreditationFilter) -> list[str]:
        return [one.name for one in accreditations.page(wanted, limit=10)[0]]

    assert names(AccreditationFilter(state=AccreditationState.SOON)) == ["amelie"]
    assert names(AccreditationFilter(state=AccreditationState.VALID)) == ["amelie", "boris"]
    assert names(AccreditationFilter(state=AccreditationState.COMING)) == ["amelie"]
    assert names(AccreditationFilter("BLUE")) == ["amelie"]
    assert names(AccreditationFilter()) == ["amelie", "boris", "amelie"]
    assert accreditations.count(AccreditationState.SOON) == 1


GOOD = "name,first_day,last_day,note\namelie,2026-01-01,2026-12-31,card 1\nboris,2026-01-01,2026-06-30"


def test_a_list_is_tried_without_being_done(accreditations: Accreditations, database: Database) -> None:
    outcome = Imports(accreditations).run(SYSTEM, GOOD, try_only=True)
    assert (outcome.done, len(outcome.lines), outcome.faults) == (False, 2, [])
    assert accreditations.page(AccreditationFilter(), limit=10)[1] == 0
    assert actions(database) == []


def test_a_list_with_a_wrong_line_is_not_done_at_all(
    accreditations: Accreditations, database: Database
) -> None:
    wrong = f"{GOOD}\nnobody,2026-01-01,2026-12-31\nboris,2026-06-30,2026-12-31\namelie,soon,later"
    outcome = Imports(accreditations).run(SYSTEM, wrong, try_only=False)
    assert not outcome.done
    assert [line.number for line in outcome.faults] == [4, 5, 6]
    assert accreditations.page(AccreditationFilter(), limit=10)[1] == 0
    assert actions(database) == []


def test_a_good_list_is_done(accreditations: Accreditations, database: Database) -> None:
    assert Imports(accreditations).run(SYSTEM, GOOD, try_only=False).done
    assert accreditations.page(AccreditationFilter(), limit=10)[1] == 2
    assert len(actions(database)) == 2
