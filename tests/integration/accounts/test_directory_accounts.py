"""Accounts of a directory in the hands of administrators: pages, API and commands."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from armarium.accounts.model import Account, Permission, Role, Source
from armarium.cli.main import app
from armarium.core.actor import SYSTEM
from armarium.core.errors import NotFound, Refused
from armarium.db.database import Database
from tests.integration.web.steps import audited, enter, rows, token_of, with_token
from tests.site import PASSWORD, Client, RunningSite
from tests.slapd import Directory

SECRET = "a secret of the library"
ACCOUNTS = "/administration/accounts"


@pytest.fixture
def anna(site: RunningSite, directory: Directory) -> Account:
    """Somebody of the directory who has signed in."""
    dn = directory.person("anna", SECRET, mail="anna@example.org")
    directory.group("curators", dn)
    assert site.client().sign_in("anna", SECRET).status_code == 303
    return site.house.accounts.named("anna")


@pytest.fixture
def chief(site: RunningSite) -> Iterator[Client]:
    with enter(site, "chief", Role.ADMINISTRATOR) as client:
        yield client


def programme(site: RunningSite) -> Client:
    return with_token(site, token_of(site, "chief", *Permission))


def test_the_page_shows_where_an_account_comes_from_and_offers_no_roles_and_no_link(
    chief: Client, anna: Account
) -> None:
    page = chief.get(f"{ACCOUNTS}/{anna.id}").text
    assert "Directory (LDAP)" in page
    assert re.search(r"<dt>Groups</dt><dd>curators</dd>", page)
    assert 'name="roles"' not in page
    assert f"{ACCOUNTS}/{anna.id}/link" not in page
    assert "anna · Directory (LDAP)" in chief.get(ACCOUNTS).text


def test_saving_the_page_leaves_the_roles_as_the_directory_gave_them(
    site: RunningSite, chief: Client, anna: Account
) -> None:
    values = {"name": "anna", "display_name": "Anna", "mail": "", "language": "fr", "active": "yes"}
    forged = {**values, "roles": ["administrator"], "seen": anna.mark}
    answer = chief.submit(f"{ACCOUNTS}/{anna.id}", forged)
    assert answer.status_code == 303
    after = site.house.accounts.get(anna.id)
    assert (after.language, after.roles) == ("fr", frozenset({Role.CURATOR}))


def test_an_administrator_can_block_somebody_of_the_directory(
    site: RunningSite, chief: Client, anna: Account
) -> None:
    values = {"name": "anna", "display_name": "Anna", "mail": "", "language": "", "seen": anna.mark}
    assert chief.submit(f"{ACCOUNTS}/{anna.id}", values).status_code == 303
    assert site.client().sign_in("anna", SECRET).status_code == 403
    assert rows(site, f"SELECT count(*) FROM session WHERE account = {anna.id}") == [(0,)]


def test_the_api_shows_source_and_groups_and_does_not_change_roles(
    site: RunningSite, chief: Client, anna: Account
) -> None:
    api = programme(site)
    shown = api.get(f"/api/accounts/{anna.id}").json()
    assert (shown["source"], shown["groups"], shown["has_password"]) == ("ldap", ["curators"], False)
    items = {item["name"]: item for item in api.get("/api/accounts").json()["items"]}
    assert (items["anna"]["groups"], items["chief"]["groups"]) == (["curators"], [])
    assert items["chief"]["source"] == "local"
    answer = api.patch(f"/api/accounts/{anna.id}", json={"roles": ["administrator"]})
    assert (answer.status_code, answer.json()["field"]) == (422, "roles")
    assert "come from groups of the directory" in answer.json()["detail"]
    assert api.patch(f"/api/accounts/{anna.id}", json={"language": "de"}).status_code == 200
    assert api.post(f"/api/accounts/{anna.id}/link").status_code == 422
    assert api.get("/api/me").json()["account"]["groups"] == []


def test_nobody_gives_an_account_of_the_directory_a_password(site: RunningSite, anna: Account) -> None:
    accounts = site.house.accounts
    with pytest.raises(Refused, match="is kept by the directory"):
        accounts.password_link(SYSTEM, anna.id)
    with pytest.raises(Refused, match="is kept by the directory"):
        accounts.change_password(SYSTEM, anna.id, PASSWORD, keep_session=None)
    with pytest.raises(Refused, match="is kept by the directory"):
        site.house.sessions.prove(anna, SECRET, address="127.0.0.1")
    visitor = site.client()
    visitor.sign_in("anna", SECRET)
    values = {"current": SECRET, "password": PASSWORD, "repeat": PASSWORD}
    answer = visitor.submit("/account/password", values)
    assert answer.status_code == 422
    assert rows(site, f"SELECT password_hash FROM account WHERE id = {anna.id}") == [(None,)]


def test_a_link_from_before_opens_nothing_once_the_directory_has_the_account(
    site: RunningSite, chief: Client
) -> None:
    number = site.account("bert", Role.READER)
    link = site.house.accounts.password_link(SYSTEM, number)
    answer = chief.submit(f"{ACCOUNTS}/{number}/source", {"source": "ldap"})
    assert answer.status_code == 303
    with pytest.raises(NotFound, match="has been used or has expired"):
        site.house.accounts.use_link(link.key, PASSWORD, "127.0.0.1")
    assert site.house.accounts.get(number).source is Source.LDAP
    assert audited(site, "account.handed_over")[0].actor == "chief"


def test_people_change_their_language_and_leave_the_rest_to_the_directory(
    site: RunningSite, anna: Account
) -> None:
    visitor = site.client()
    visitor.sign_in("anna", SECRET)
    values = {"display_name": "The Queen", "mail": "queen@example.org", "language": "it"}
    assert visitor.submit("/account/profile", values).status_code == 303
    after = site.house.accounts.get(anna.id)
    assert (after.display_name, after.mail, after.language) == ("Anna", "anna@example.org", "it")


def test_an_account_changes_hands_by_the_api_and_comes_back(
    site: RunningSite, chief: Client, anna: Account
) -> None:
    api = programme(site)
    back = api.post(f"/api/accounts/{anna.id}/source", json={"source": "local"}).json()
    assert (back["source"], back["groups"], back["roles"]) == ("local", [], ["curator"])
    assert site.client().sign_in("anna", SECRET).status_code == 403  # the name is a local account's now
    link = site.house.accounts.password_link(SYSTEM, anna.id)
    site.house.accounts.use_link(link.key, PASSWORD, "127.0.0.1")
    assert site.client().sign_in("anna", PASSWORD).status_code == 303
    answer = api.post(f"/api/accounts/{anna.id}/source", json={"source": "openid"})
    assert answer.status_code == 422
    assert "There is no sign-in by openid here" in answer.json()["detail"]


def test_who_may_do_less_hands_no_account_over(site: RunningSite, chief: Client) -> None:
    number = site.account("boss", Role.ADMINISTRATOR)
    weak = with_token(site, token_of(site, "chief", Permission.ACCOUNTS_MANAGE))
    answer = weak.post(f"/api/accounts/{number}/source", json={"source": "ldap"})
    assert answer.status_code == 403


# Commands -------------------------------------------------------------------------------------------


def run(home: Path, database: Database, directory: Directory, line: str) -> tuple[int, str]:
    environ = {**directory.environ, "ARMARIUM_HOME": str(home), "ARMARIUM_DATABASE_URL": database.url}
    result = CliRunner().invoke(app, line.split(), env=environ)
    return result.exit_code, result.stdout or str(result.exception)


def test_the_command_tells_what_the_directory_says_and_what_comes_of_it(
    database: Database, tmp_path: Path, directory: Directory
) -> None:
    dn = directory.person("anna", SECRET, mail="anna@example.org")
    code, said = run(tmp_path, database, directory, "accounts directory anna --json")
    told = json.loads(said)
    assert (code, told["roles"], told["may_sign_in"]) == (0, [], False)
    assert "none of your groups has a role here" in told["reason"]
    directory.group("curators", dn)
    told = json.loads(run(tmp_path, database, directory, "accounts directory ANNA --json")[1])
    assert (told["groups"], told["roles"], told["may_sign_in"]) == (["curators"], ["curator"], True)
    code, said = run(tmp_path, database, directory, "accounts directory nobody")
    assert code != 0
    assert "has nobody named nobody" in said


def test_the_command_checks_the_connection(database: Database, tmp_path: Path, directory: Directory) -> None:
    code, said = run(tmp_path, database, directory, "accounts directory --json")
    assert (code, json.loads(said)) == (0, [{"source": "ldap", "answers": True, "problem": ""}])
    directory.stop()
    code, said = run(tmp_path, database, directory, "accounts directory --json")
    assert code == 1
    assert "does not answer" in json.loads(said)[0]["problem"]


def test_the_command_hands_an_account_over(
    site: RunningSite, database: Database, tmp_path: Path, directory: Directory
) -> None:
    site.account("bert", Role.READER)
    code, said = run(tmp_path / "home", database, directory, "accounts source bert ldap")
    assert (code, said.strip()) == (0, "Account bert now signs in by: Directory (LDAP).")
    told = json.loads(run(tmp_path / "home", database, directory, "accounts show bert --json")[1])
    assert (told["source"], told["groups"]) == ("ldap", [])
