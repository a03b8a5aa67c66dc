"""People of a directory at the door of the site: who comes in, as whom, with which roles."""

from armarium.accounts import rules
from armarium.accounts.directory import tables
from armarium.accounts.directory.service import DirectoryAccounts
from armarium.accounts.model import Account, Permission, Role, Source
from armarium.accounts.service import Accounts
from armarium.core.actor import SYSTEM
from tests.integration.web.steps import Lines, audited, execute, rows, token_of, with_token
from tests.site import PASSWORD, RunningSite
from tests.slapd import Directory

SECRET = "a secret of the library"


def accounts_of(site: RunningSite) -> Accounts:
    return site.house.accounts


def groups_of(site: RunningSite, account: Account) -> frozenset[str]:
    with site.house.database.transaction() as connection:
        return tables.groups_of(connection, account.id)


def enter(directory: Directory, name: str, *groups: str) -> str:
    dn = directory.person(name, SECRET, mail=f"{name}@example.org")
    for group in groups:
        directory.group(group, dn)
    return dn


def test_the_first_sign_in_makes_an_account_with_the_roles_of_the_groups(
    site: RunningSite, directory: Directory
) -> None:
    enter(directory, "anna", "curators", "choir")
    visitor = site.client()
    assert visitor.sign_in(" ANNA ", SECRET).status_code == 303
    account = accounts_of(site).named("anna")
    assert (account.source, account.roles, account.has_password) == (
        Source.LDAP,
        frozenset({Role.CURATOR}),
        False,
    )
    assert (account.display_name, account.mail) == ("Anna", "anna@example.org")
    assert groups_of(site, account) == {"curators", "choir"}
    with site.house.database.transaction() as connection:
        assert tables.known_groups(connection) == ["choir", "curators"]
    mine = visitor.get("/account").text
    assert "choir, curators" in mine
    assert "Your password is kept there" in mine
    assert 'action="/account/password"' not in mine
    made, entered = audited(site, name="anna")
    assert (made.action, made.account, entered.action) == (
        "account.created",
        account.id,
        "account.signed_in",
    )
    assert made.after["groups"] == ["choir", "curators"]


def test_a_second_sign_in_finds_the_same_account_and_writes_nothing_new(
    site: RunningSite, directory: Directory
) -> None:
    enter(directory, "anna", "curators")
    for _ in range(2):
        assert site.client().sign_in("anna", SECRET).status_code == 303
    assert [e.action for e in audited(site, name="anna")] == [
        "account.created",
        "account.signed_in",
        "account.signed_in",
    ]
    assert rows(site, "SELECT count(*) FROM account") == [(1,)]


def test_changed_groups_change_the_roles_at_the_next_sign_in(site: RunningSite, directory: Directory) -> None:
    anna = enter(directory, "anna", "curators")
    assert site.client().sign_in("anna", SECRET).status_code == 303
    directory.group("it", anna)
    assert site.client().sign_in("anna", SECRET).status_code == 303
    roles = {Role.CURATOR, Role.ENGINEER, Role.ADMINISTRATOR}
    assert accounts_of(site).named("anna").roles == roles
    (entry,) = audited(site, "account.changed")
    assert (entry.before["roles"], entry.before["groups"]) == (["curator"], ["curators"])
    assert (entry.after["roles"], entry.after["groups"]) == (sorted(roles), ["curators", "it"])


def test_whoever_lost_the_last_role_is_told_so_and_keeps_nothing(
    site: RunningSite, directory: Directory
) -> None:
    anna = enter(directory, "anna")
    group = directory.group("curators", anna)
    elsewhere = site.client()
    assert elsewhere.sign_in("anna", SECRET).status_code == 303
    token = with_token(site, token_of(site, "anna", Permission.PLANNING_VIEW))
    assert token.get("/api/domains").status_code == 200
    directory.set_members(group)
    answer = site.client().sign_in("anna", SECRET)
    assert answer.status_code == 403
    assert "none of your groups has a role here" in answer.text
    assert accounts_of(site).named("anna").roles == frozenset()
    assert elsewhere.get("/account").status_code == 303  # to the sign-in page
    assert token.get("/api/domains").status_code == 403
    assert [e.after["reason"] for e in audited(site, "account.refused")] == ["no_role"]


def test_somebody_without_a_role_gets_a_page_that_names_the_groups(
    site: RunningSite, directory: Directory
) -> None:
    enter(directory, "gardener", "garden <b>")
    answer = site.client().sign_in("gardener", SECRET)
    assert answer.status_code == 403
    assert "You cannot come in yet" in answer.text
    assert "garden &lt;b&gt;" in answer.text
    assert "armarium_session" not in answer.cookies
    assert rows(site, "SELECT count(*) FROM account") == [(0,)]


def test_a_local_account_is_never_taken_over(lines: Lines, site: RunningSite, directory: Directory) -> None:
    number = site.account("anna", Role.READER)
    enter(directory, "anna", "it")
    answer = site.client().sign_in("anna", SECRET)
    assert answer.status_code == 403
    assert "Your name anna belongs to another account" in answer.text
    account = accounts_of(site).get(number)
    assert (account.source, account.roles) == (Source.LOCAL, frozenset({Role.READER}))
    (entry,) = audited(site, "account.refused")
    assert (entry.object_name, entry.after["reason"], entry.account) == ("anna", "name_taken", None)
    assert lines.with_event("not admitted")[0]["reason"] == "name_taken"
    assert site.client().sign_in("anna").status_code == 303  # the local password, as ever


def test_guesses_at_a_local_password_are_not_forgotten_for_a_namesake_of_the_directory(
    site: RunningSite, directory: Directory
) -> None:
    site.account("anna", Role.ADMINISTRATOR)
    enter(directory, "anna", "it")
    for _ in range(rules.THROTTLES[0].free):
        assert site.client().sign_in("anna", SECRET).status_code == 403
    assert site.client().sign_in("anna").status_code == 429


def test_an_account_can_be_handed_over_to_the_directory(site: RunningSite, directory: Directory) -> None:
    number = site.account("anna", Role.READER)
    enter(directory, "anna", "curators")
    site.house.sessions.open_for(accounts_of(site).get(number), address="127.0.0.1", agent="")
    directory_accounts = DirectoryAccounts(site.house.database, site.house.directories)
    directory_accounts.hand_over(SYSTEM, number, Source.LDAP)
    assert rows(site, "SELECT count(*) FROM session") == [(0,)]
    assert site.client().sign_in("anna", PASSWORD).status_code == 422
    assert site.client().sign_in("anna", SECRET).status_code == 303
    account = accounts_of(site).named("anna")
    assert (account.id, account.roles) == (number, frozenset({Role.CURATOR}))
    assert audited(site, "account.handed_over")[0].after == {"source": "ldap"}


def test_a_renamed_person_keeps_the_account_and_a_newcomer_of_the_old_name_does_not_get_it(
    site: RunningSite, directory: Directory
) -> None:
    anna = enter(directory, "anna", "it")
    assert site.client().sign_in("anna", SECRET).status_code == 303
    number = accounts_of(site).named("anna").id
    directory.rename(anna, "anna.maier")
    directory.person("anna", SECRET)
    newcomer = site.client().sign_in("anna", SECRET)
    assert newcomer.status_code == 403
    assert "Your name anna belongs to another account" in newcomer.text
    directory.set_members("cn=it,ou=groups,dc=example,dc=org", anna.replace("uid=anna", "uid=anna.maier"))
    assert site.client().sign_in("anna.maier", SECRET).status_code == 303
    assert accounts_of(site).named("anna.maier").id == number


def test_a_blocked_account_stays_out(site: RunningSite, directory: Directory) -> None:
    enter(directory, "anna", "curators")
    assert site.client().sign_in("anna", SECRET).status_code == 303
    execute(site, "UPDATE account SET active = false")
    answer = site.client().sign_in("anna", SECRET)
    assert answer.status_code == 403
    assert "The account anna is blocked" in answer.text
    wrong = site.client().sign_in("anna", "wrong")
    assert "Name or password is not right." in wrong.text


def test_failures_are_throttled_as_those_of_local_passwords(site: RunningSite, directory: Directory) -> None:
    enter(directory, "anna", "curators")
    visitor = site.client()
    for _ in range(rules.THROTTLES[0].free):
        answer = visitor.sign_in("anna", "wrong")
        assert answer.status_code == 422
        assert "Name or password is not right." in answer.text
    assert visitor.sign_in("anna", SECRET).status_code == 429
    execute(site, "UPDATE sign_in_failure SET at = at - interval '1 minute'")
    assert visitor.sign_in("anna", SECRET).status_code == 303
    assert rows(site, "SELECT count(*) FROM sign_in_failure") == [(0,)]


def test_while_the_directory_is_away_local_accounts_come_in_and_nobody_is_throttled(
    site: RunningSite, directory: Directory
) -> None:
    site.account("ada", Role.ADMINISTRATOR)
    enter(directory, "anna", "curators")
    directory.stop()
    for _ in range(rules.THROTTLES[0].free + 1):
        answer = site.client().sign_in("anna", SECRET)
        assert answer.status_code == 503
        assert "The directory does not answer" in answer.text
    assert site.client().sign_in("ada", "wrong").status_code == 422
    assert site.client().sign_in("ada").status_code == 303


def test_an_empty_password_opens_nothing(site: RunningSite, directory: Directory) -> None:
    enter(directory, "anna", "it")
    assert site.client().sign_in("anna", "").status_code == 422
    assert rows(site, "SELECT count(*) FROM account") == [(0,)]


def test_no_log_line_holds_a_password(lines: Lines, site: RunningSite, directory: Directory) -> None:
    enter(directory, "anna", "curators")
    site.client().sign_in("anna", "a wrong secret sentence")
    site.client().sign_in("anna", SECRET)
    assert lines.with_event("answered")
    for secret in (SECRET, "a wrong secret sentence", directory.environ["ARMARIUM_DIRECTORY_BIND_PASSWORD"]):
        assert secret not in lines.raw
