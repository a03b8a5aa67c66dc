"""Once an hour the directory is asked about those who are inside: who has left it has to go."""

import pytest

from armarium.accounts.model import Permission, Role, Source
from armarium.administration.upkeep import review
from armarium.tasks.context import TaskContext
from tests.integration.accounts.test_directory_sign_in import SECRET, enter, groups_of
from tests.integration.web.steps import Lines, audited, execute, token_of, with_token
from tests.site import PASSWORD, Client, RunningSite
from tests.slapd import PEOPLE, Directory


def an_hour_passes(site: RunningSite) -> None:
    review(TaskContext(1, "administration.directory", 1, services=site.house.services()))


def inside(site: RunningSite, name: str) -> Client:
    visitor = site.client()
    assert visitor.sign_in(name, SECRET).status_code == 303
    return visitor


def is_inside(visitor: Client) -> bool:
    return visitor.get("/account").status_code == 200


def test_who_has_left_the_directory_loses_roles_sessions_and_the_use_of_tokens(
    lines: Lines, site: RunningSite, directory: Directory
) -> None:
    anna = enter(directory, "anna", "curators")
    enter(directory, "berta", "it")
    visitors = [inside(site, "anna"), inside(site, "anna"), inside(site, "berta")]
    token = with_token(site, token_of(site, "anna", Permission.PLANNING_VIEW))
    an_hour_passes(site)
    assert all(is_inside(one) for one in visitors)
    assert token.get("/api/domains").status_code == 200
    directory.remove(anna)
    an_hour_passes(site)
    assert [is_inside(one) for one in visitors] == [False, False, True]
    assert token.get("/api/domains").status_code == 403
    gone = site.house.accounts.named("anna")
    assert (gone.roles, gone.active, groups_of(site, gone)) == (frozenset(), True, frozenset())
    (entry,) = audited(site, "account.changed")
    assert (entry.actor, entry.via, entry.object_name) == ("armarium", "system", "anna")
    assert (entry.before["roles"], entry.after["roles"]) == (["curator"], [])
    assert lines.with_event("directory asked about those who are signed in")[-1]["gone"] == ["anna"]
    an_hour_passes(site)  # the token is still there; what is known is not told again
    assert len(audited(site, "account.changed")) == 1
    assert lines.with_event("directory asked about those who are signed in")[-1]["gone"] == []


def test_who_was_away_by_mistake_is_back_after_the_next_look(site: RunningSite, directory: Directory) -> None:
    anna = enter(directory, "anna")
    group = directory.group("curators", anna)
    inside(site, "anna")
    token = with_token(site, token_of(site, "anna", Permission.PLANNING_VIEW))
    directory.set_members(group)
    an_hour_passes(site)
    assert token.get("/api/domains").status_code == 403
    directory.set_members(group, anna)
    an_hour_passes(site)
    assert token.get("/api/domains").status_code == 200
    assert is_inside(inside(site, "anna"))


def test_groups_that_changed_change_the_roles_of_who_is_inside(
    site: RunningSite, directory: Directory
) -> None:
    anna = enter(directory, "anna", "curators")
    visitor = inside(site, "anna")
    assert visitor.get("/administration/accounts").status_code == 403
    directory.group("it", anna)
    an_hour_passes(site)
    assert visitor.get("/administration/accounts").status_code == 200
    assert site.house.accounts.named("anna").roles == {Role.CURATOR, Role.ENGINEER, Role.ADMINISTRATOR}


def test_who_got_another_name_comes_in_again_under_the_new_one(
    site: RunningSite, directory: Directory
) -> None:
    anna = enter(directory, "anna")
    group = directory.group("curators", anna)
    visitor = inside(site, "anna")
    number = site.house.accounts.named("anna").id
    directory.rename(anna, "anne")
    directory.set_members(group, anna.replace("uid=anna", "uid=anne"))
    enter(directory, "anna", "it")  # a newcomer has the name now
    an_hour_passes(site)
    assert not is_inside(visitor)
    assert site.house.accounts.get(number).roles == frozenset()
    inside(site, "anne")
    again = site.house.accounts.get(number)
    assert (again.name, again.roles) == ("anne", frozenset({Role.CURATOR}))


def test_a_directory_that_is_away_sends_nobody_away(
    lines: Lines, site: RunningSite, directory: Directory
) -> None:
    enter(directory, "anna", "curators")
    visitor = inside(site, "anna")
    directory.stop()
    an_hour_passes(site)
    assert is_inside(visitor)
    assert lines.with_event("directory cannot be asked about those who are signed in")


def test_one_of_whom_nothing_can_be_said_keeps_nobody_else_inside(
    lines: Lines, site: RunningSite, directory: Directory
) -> None:
    enter(directory, "anna", "curators")
    berta = enter(directory, "berta", "it")
    visitors = [inside(site, "anna"), inside(site, "berta")]
    directory.person("anna", SECRET, under=directory.unit("elsewhere", PEOPLE))
    directory.remove(berta)
    an_hour_passes(site)
    assert [is_inside(one) for one in visitors] == [True, False]
    (told,) = lines.with_event("nothing can be decided about an account")
    assert told["name"] == "anna"


def test_a_further_name_that_is_none_here_changes_nothing(site: RunningSite, directory: Directory) -> None:
    anna = enter(directory, "anna", "curators")
    visitor = inside(site, "anna")
    directory.change(anna, uid=["Anna of the library", "anna"])
    an_hour_passes(site)
    assert is_inside(visitor)
    assert site.house.accounts.named("anna").roles == {Role.CURATOR}


@pytest.mark.parametrize("source", [Source.LOCAL, Source.OPENID])
def test_only_people_of_the_directory_are_asked_about(site: RunningSite, source: Source) -> None:
    visitor = site.client()
    site.account("carl", Role.ENGINEER)
    assert visitor.sign_in("carl", PASSWORD).status_code == 303
    if source is not Source.LOCAL:
        elsewhere = "UPDATE account SET source = 'openid', subject = 'x', password_hash = NULL"
        execute(site, f"{elsewhere} WHERE name = 'carl'")
    an_hour_passes(site)
    assert is_inside(visitor)
