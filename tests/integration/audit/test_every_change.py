"""Every change, by page, API and command, leaves exactly one entry that tells who, what, from, to and how."""

import os
import pwd

import pytest
from typer.testing import CliRunner

from armarium.accounts.model import Permission, Profile, Role
from armarium.audit.model import Entry, Question
from armarium.cli.main import app
from armarium.core.actor import SYSTEM, Via
from tests.integration.web.routes import routes_of
from tests.integration.web.steps import audited, enter, enter_as, token_of, with_token
from tests.site import PASSWORD, Client, RunningSite

HERE = "127.0.0.1"


WHOLE = {
    "name": "zoe",
    "display_name": "Zoë",
    "mail": "",
    "language": "",
    "roles": ["reader"],
    "active": True,
}


class Witness:
    """Looks at the log before and after, and hands over the one entry that came."""

    def __init__(self, site: RunningSite) -> None:
        self.site = site
        self._seen = max((entry.id for entry in audited(site)), default=0)

    def new(self) -> list[Entry]:
        entries, _ = self.site.house.audit.page(Question(), limit=50)
        fresh = [entry for entry in reversed(entries) if entry.id > self._seen]
        self._seen = max((entry.id for entry in fresh), default=self._seen)
        return fresh

    def one(self, action: str) -> Entry:
        fresh = self.new()
        assert [entry.action for entry in fresh] == [action]
        return fresh[0]


def failed_task(site: RunningSite) -> int:
    """A task that can be retried, made by cancelling one."""
    with site.house.database.transaction() as connection:
        number = site.house.tasks.defer(connection, "administration.clear", {})
        assert number
        site.house.tasks.cancel(connection, number)
    return number


def test_every_change_by_page(site: RunningSite) -> None:
    ada = site.signed_in("ada", Role.ADMINISTRATOR)
    zoe = site.house.accounts.create(SYSTEM, Profile("zoe", "", "", "", frozenset()))
    task, witness = failed_task(site), Witness(site)
    edited = {
        "name": "zoe",
        "display_name": "Zoë",
        "mail": "",
        "language": "",
        "roles": "reader",
        "active": "yes",
    }
    changed = ada.submit(f"/administration/accounts/{zoe.id}", edited)
    assert changed.status_code == 303
    entry = witness.one("account.changed")
    assert (entry.actor, entry.via, entry.address, entry.object_name) == ("ada", Via.PAGE, HERE, "zoe")
    assert entry.differences() == [("display_name", "zoe", "Zoë"), ("roles", [], ["reader"])]
    enter_as(site, zoe)
    witness.one("account.signed_in")
    new = {"current": PASSWORD, "password": "another good sentence", "repeat": "another good sentence"}
    token = {"name": "t", "scopes": "tasks.view", "expires": "30"}
    for path, values, actions in (
        ("/administration/accounts/new", {"name": "bob"}, ["account.created", "account.link_made"]),
        (f"/administration/accounts/{zoe.id}/link", {}, ["account.link_made"]),
        (f"/administration/accounts/{zoe.id}/end-sessions", {}, ["account.sessions_ended"]),
        ("/account/profile", {"display_name": "Ada L."}, ["account.changed"]),
        ("/account/password", new, ["account.password_set"]),
        ("/account/tokens", token, ["token.created"]),
        ("/account/tokens/1/revoke", {}, ["token.revoked"]),
        ("/account/tokens/1/revoke", {}, []),  # it was revoked before
        ("/account/tokens", token, ["token.created"]),
        ("/administration/accounts/1/tokens/2/revoke", {}, ["token.revoked"]),
        (f"/administration/tasks/{task}/retry", {}, ["task.retried"]),
        (f"/administration/tasks/{task}/cancel", {}, ["task.cancelled"]),
        ("/administration/tasks/retry-failed", {}, []),  # none has failed
        ("/administration/tasks/selected", {"task": task, "do": "retry"}, ["task.retried"]),
        ("/administration/notifications/test", {}, ["notification.tested"]),
        ("/sign-out", {}, ["account.signed_out"]),
    ):
        assert ada.submit(path, values).status_code in {200, 303}, path
        fresh = witness.new()
        assert [entry.action for entry in fresh] == actions, path
        assert {(e.actor, e.via, e.address) for e in fresh} <= {("ada", Via.PAGE, HERE)}, path


def test_every_change_by_api(site: RunningSite) -> None:
    enter(site, "chief", Role.ADMINISTRATOR)
    program = with_token(site, token_of(site, "chief", *Permission))
    task, witness = failed_task(site), Witness(site)
    made = program.post("/api/accounts", json={"name": "zoe", "roles": ["reader"]}).json()
    assert witness.one("account.created").after["roles"] == ["reader"]
    number = made["id"]
    enter_as(site, site.house.accounts.get(number))
    witness.new()
    for method, path, given, action in (
        ("PATCH", f"/api/accounts/{number}", {"roles": ["curator"]}, "account.changed"),
        ("PUT", f"/api/accounts/{number}", WHOLE, "account.changed"),
        ("POST", f"/api/accounts/{number}/link", None, "account.link_made"),
        ("DELETE", f"/api/accounts/{number}/sessions", None, "account.sessions_ended"),
        ("POST", f"/api/tasks/{task}/retry", None, "task.retried"),
        ("POST", f"/api/tasks/{task}/cancel", None, "task.cancelled"),
        ("POST", "/api/notifications/test", None, "notification.tested"),
    ):
        assert program.request(method, path, json=given).is_success, path
        entry = witness.one(action)
        assert (entry.actor, entry.via, entry.address) == ("chief", Via.API, HERE)


def test_every_change_by_command(site: RunningSite, monkeypatch: pytest.MonkeyPatch) -> None:
    task = failed_task(site)
    site.account("chief", Role.ADMINISTRATOR)
    witness = Witness(site)
    monkeypatch.setenv("USER", "somebody else")
    monkeypatch.setenv("LOGNAME", "somebody else")
    shell_user = pwd.getpwuid(os.getuid()).pw_name
    for line, actions in (
        ("accounts add zoe --role reader", ["account.created", "account.link_made"]),
        ("accounts edit zoe --role curator --mail zoe@library.example", ["account.changed"]),
        ("accounts link zoe", ["account.link_made"]),
        ("accounts end-sessions zoe", []),  # there was none
        ("tokens add zoe --for tests --scope tasks.view", ["token.created"]),
        ("tokens revoke zoe 1", ["token.revoked"]),
        (f"tasks retry {task}", ["task.retried"]),
        (f"tasks cancel {task}", ["task.cancelled"]),
        ("notifications test", ["notification.tested"]),
        ("accounts list", []),
        ("audit", []),
    ):
        run(site, line)
        fresh = witness.new()
        assert [entry.action for entry in fresh] == actions, line
        assert {(e.actor, e.via, e.address) for e in fresh} <= {(shell_user, Via.COMMAND, None)}, line


def run(site: RunningSite, line: str) -> None:
    """A command on the database of the site, in this process."""
    environment = {
        "ARMARIUM_HOME": str(site.house.settings.home),
        "ARMARIUM_DATABASE_URL": site.house.database.url,
    }
    result = CliRunner().invoke(app, [*line.split(), "--json"], env=environment, catch_exceptions=False)
    assert result.exit_code == 0, result.output


#: What these allow is tested with the rooms themselves: in tests/integration/selection, planning, storage …
OF_THE_ROOMS = {
    Permission.SELECTION_VIEW,
    Permission.SELECTION_EDIT,
    Permission.SELECTION_EVERYWHERE,
    Permission.SELECTION_VALIDATE,
    Permission.SELECTION_TRANSFER,
    Permission.SELECTION_RULES,
    Permission.PLANNING_EDIT,
    Permission.PLANNING_RULES,
    Permission.JOBS_MANAGE,
    Permission.COLLECTORS_MANAGE,
    Permission.PLANNING_VIEW,
    Permission.STORAGE_READ,
    Permission.STORAGE_MANAGE,
    Permission.REPAIRS_APPROVE,
    Permission.INDEX_MANAGE,
    Permission.ACCESS_VIEW,
    Permission.ACCESS_RULES,
    Permission.ACCESS_READERS,
    Permission.VIEWER_USE,
}


def test_no_changing_route_was_forgotten(site: RunningSite) -> None:
    """Who adds a route that changes something adds it to the tests above, or says here why not."""
    tested = {
        "/account/password", "/account/profile", "/account/tokens", "/account/tokens/{number}/revoke",
        "/administration/accounts/new", "/administration/accounts/{number}",
        "/administration/accounts/{number}/end-sessions", "/administration/accounts/{number}/link",
        "/administration/notifications/test", "/api/notifications/test",
        "/administration/tasks/retry-failed", "/administration/tasks/{number}/cancel",
        "/administration/tasks/selected",
        "/administration/tasks/{number}/retry", "/api/accounts", "/api/accounts/{number}",
        "/api/accounts/{number}/link", "/api/accounts/{number}/sessions",
        "/api/accounts/{number}/tokens/{token}",
        "/administration/accounts/{number}/tokens/{token}/revoke", "/api/tasks/{number}/cancel",
        "/api/tasks/{number}/retry", "/sign-out",
    }  # fmt: skip
    elsewhere = {
        "/nominate",  # in tests/integration/selection/nominations
        # in tests/integration/accounts/test_directory_accounts.py
        "/administration/accounts/{number}/source", "/api/accounts/{number}/source",
        "/account/sessions/end-others", "/account/sessions/{number}/end",  # as end-sessions
        "/preferences", "/sign-in", "/welcome/{key}",  # tests of the site
    }  # fmt: skip
    changing = {
        route.path
        for route in routes_of(site.app)
        if route.method != "GET" and not route.is_for_collectors and route.permission not in OF_THE_ROOMS
    }
    assert changing == tested | elsewhere


def test_a_refused_change_leaves_no_entry(site: RunningSite) -> None:
    ada: Client = enter(site, "ada", Role.ADMINISTRATOR)
    witness = Witness(site)
    ada.submit("/administration/accounts/new", {"name": "not a name"})
    ada.submit("/account/profile", {"mail": "nonsense"})
    ada.submit("/account/tokens", {"name": "x"})
    ada.submit("/administration/tasks/999/retry")
    ada.post("/account/profile", data={"display_name": "x"})
    assert witness.new() == []
