"""Who may enter where: the guards of all routes, and what they answer."""

import re

from armarium.access import tables as access
from armarium.accounts.model import Permission, Profile, Role
from armarium.accounts.rules import permissions_of
from armarium.core.actor import SYSTEM
from armarium.planning.collector_api import enrolling
from armarium.planning.model import JobState
from armarium.planning.tables.domains import domain_import, extended_field, trap_list
from armarium.storage.audits.service import Audits
from armarium.storage.batches.model import Selection
from armarium.storage.batches.service import Batches
from armarium.storage.files.service import Files
from armarium.storage.intake.service import Intake
from armarium.storage.model import AuditKind, CheckOutcome
from armarium.storage.repairs.queries import propose
from armarium.storage.replicas.service import Replicas
from armarium.tasks.service import Tasks
from armarium.web.guard import Needs, in_person, public, signed_in
from tests.integration.planning.jobs.world import NOON, world_in
from tests.integration.selection.furnishing import furnish
from tests.integration.storage.outside import warc
from tests.integration.web.routes import Route, mounts_of, routes_of
from tests.integration.web.steps import Lines, assert_clear, audited, enter
from tests.site import Client, RunningSite

#: All that a stranger may reach. To make this list longer is a decision, not an accident.
PUBLIC = {
    "GET /healthz",
    "GET /nominate",
    "POST /nominate",
    "GET /metrics",  # judged by the network, in the page itself
    "GET /readyz",
    "GET /sign-in/openid",
    "GET /sign-in/openid/answer",
    "GET /sign-in",
    "GET /welcome/{key}",
    "POST /preferences",
    "POST /sign-in",
    "POST /sign-out",
    "POST /welcome/{key}",
}
#: What some of them ask for beside their address.
QUERIES = {
    "/live": "?topic=tasks",
    "/api/profiles/{number}/differences": "?before=1&after=1",
    "/storage/files/{number}/record": "?offset=0",
    "/api/index/captures": "?url=example.fr",
    "/api/access/why": "?url=example.fr",
    "/access/pictures/strip": "?url=example.fr",
    "/access/pictures/one": "?key=fr,example)/&at=20260101000000",
}
PLACES = {
    "{number}": "1",
    "{token}": "1",
    "{run}": "1",
    "{year}": "2026",
    "{month}": "1",
    "{day}": "2026-01-01",
    "{verb}": "pause",
    "{name}": "example",
    "{name:path}": "how-to/upgrade",
    "{which}": "1",
    "{offset}": "0",
    "{job}": "1",
    "{file}": "example",
    "{verdict}": "not-yours",
    "{frequency}": "daily",
}
#: What answers otherwise than with a page, to those who may come.
ANSWERS = {
    "/access/go": 303,  # leads to the readers' site
    "/access/pictures/one": 404,  # there is none
    "/harvesting/jobs/{number}/progress": 301,  # the page of the job tells it all
    "/help": 301,
    "/selection/bulk/new": 303,  # nothing was ticked
    "/selection/records/{number}/panels/{name}": 404,  # none of that name
    "/access/viewings/{number}/jobs/{job}/metadata/{file}/{offset}": 404,  # the job has no such file
}
#: Back to the record, with a word, those who are not members of its collection.
OF_MEMBERS = {"/selection/records/{number}/edit", "/selection/records/{number}/move"}
OWN_ONLY = re.compile(r"(?:/api)?/access/viewings/\{number\}")  # everybody sees their own


def address_of(route: Route) -> str:
    path = re.sub(r"\{[\w:]+\}", lambda place: PLACES[place[0]], route.path)
    return path + QUERIES.get(route.path, "")


def expected(route: Route, granted: frozenset[Permission]) -> int:
    """What a page answers to somebody with its permission."""
    if OWN_ONLY.match(route.path) and Permission.ACCESS_EVERYTHING not in granted:
        return 404
    if route.path in OF_MEMBERS and Permission.SELECTION_EVERYWHERE not in granted:
        return 303
    return ANSWERS.get(route.path, 200)


def test_every_route_has_one_guard(site: RunningSite) -> None:
    for route in routes_of(site.app):
        needed = [guard for guard in route.asked if isinstance(guard, Needs)]
        assert route.asked, f"{route} has no guard"
        assert len(needed) <= 1, f"{route} asks for several permissions"
        assert len(set(route.declared)) <= 1, f"{route} declares several guards"
        if public in route.asked:
            assert route.asked == {public}, f"{route} is public and guarded"
        if route.is_for_collectors:
            assert len(route.asked) == 1, f"{route} is for collectors and for others"
    assert mounts_of(site.app) == ["/static"]


def test_only_a_short_list_of_routes_is_public(site: RunningSite) -> None:
    assert {str(route) for route in routes_of(site.app) if route.is_public} == PUBLIC


def test_ones_own_account_asks_for_a_session_and_everything_else_for_a_permission(site: RunningSite) -> None:
    without = {
        str(r)
        for r in routes_of(site.app)
        if not r.is_public and not r.is_for_collectors and r.permission is None
    }
    everybodys = {"GET /", "GET /administration/api", "GET /api/me", "GET /api/openapi.json"}
    everybodys |= {"GET /api/overview"}  # like the page of the same name: of each room what one may see there
    everybodys |= {"GET /find", "GET /help/search", "GET /help/{name:path}"}
    own = {str(route) for route in routes_of(site.app) if in_person in route.asked}
    assert without == everybodys | own
    accounts = {str(r) for r in routes_of(site.app) if r.path.startswith("/account")}
    assert own == {"GET /live", "GET /access/go", "GET /access/welcome", *accounts}


def test_the_addresses_of_collectors_are_few_and_one_of_them_takes_a_code(site: RunningSite) -> None:
    found = [route for route in routes_of(site.app) if route.is_for_collectors]
    assert {str(route) for route in found if enrolling in route.asked} == {"POST /api/collector/enrol"}
    assert {route.path.startswith("/api/collector/") for route in found} == {True}
    below = [route for route in routes_of(site.app) if route.path.startswith("/api/collector/")]
    assert below == found


def test_every_operation_of_the_api_declares_its_permission(site: RunningSite) -> None:
    for route in routes_of(site.app):
        if route.is_api and route.path != "/api/openapi.json":
            expected = route.permission.value if route.permission else "signed in"
            assert route.extra
            assert route.extra["x-permission"] == expected, route
            assert route.asked <= {signed_in, *route.declared}, route


def test_pages_and_api_of_the_same_thing_ask_for_the_same_permission(site: RunningSite) -> None:
    """The thing is the word after /administration or /api: both have the same permissions for it."""
    same = {"system": "processes"}  # the page of the processes is called after the whole

    def permissions(prefix: str, thing: str, *, changing: bool) -> set[Permission | None]:
        paths = re.compile(rf"{prefix}/{thing}(/|\.csv|$)")
        found = [r for r in routes_of(site.app) if paths.match(r.path)]
        return {
            r.permission
            for r in found
            if (r.method != "GET") is changing and not r.path.endswith(("/new", "/edit"))
        }

    things = ("accounts", "tasks", "audit", "settings", "system", "notifications")
    for thing in things:
        for changing in (False, True):
            pages = permissions("/administration", thing, changing=changing)
            assert pages == permissions("/api", same.get(thing, thing), changing=changing), thing


def test_who_may_just_so_gets_a_page_and_who_may_all_but_it_does_not(site: RunningSite) -> None:
    """Each page: for the role with the least that has its permission, and that with the most that has not."""
    make_one_of_each(site)
    visitors = {role: enter(site, role.value, role) for role in Role}
    wrong = []
    for route in routes_of(site.app):
        if route.method != "GET" or route.is_public or route.is_for_collectors or route.path == "/live":
            continue
        least, most = nearest(route.permission)
        if (answer := visitors[least].get(address_of(route))).status_code != expected(route, granted(least)):
            wrong.append(f"{route} answers {answer.status_code} to {least}")
        if most:
            assert_clear(visitors[most].get(address_of(route)), 403)
    assert not wrong, "\n".join(wrong)


def test_who_may_all_else_cannot_change_what_they_may_not(site: RunningSite) -> None:
    make_one_of_each(site)
    visitors = {role: enter(site, role.value, role) for role in Role}
    proofs = {role: {"X-CSRF-Token": visitors[role].token("/account")} for role in Role}
    for route in routes_of(site.app):
        _least, most = nearest(route.permission)
        if route.method != "GET" and most:
            given = {"json": {"name": "eve"}} if route.is_api else {"data": {"name": "eve"}}
            answer = visitors[most].request(
                route.method,
                address_of(route),
                headers=proofs[most],
                **given,  # type: ignore[arg-type]
            )
            assert_clear(answer, 403)
    assert {entry.action for entry in audited(site)} == {
        "account.created",
        "account.signed_in",
        "domain.created",
        *("accession.begun", "accession.taken", "audit.started", "batch.started"),
    }


def granted(role: Role) -> frozenset[Permission]:
    return permissions_of([role])


def nearest(permission: Permission | None) -> tuple[Role, Role | None]:
    """The role with the least that has the permission, and that with the most that has not."""
    by_power = sorted(Role, key=lambda role: len(granted(role)))
    having = [role for role in by_power if permission is None or permission in granted(role)]
    without = [role for role in by_power if role not in having]
    return having[0], without[-1] if without else None


def test_an_account_without_roles_sees_its_own_account_and_nothing_else(site: RunningSite) -> None:
    visitor = enter(site, "nobody")
    assert visitor.get("/").status_code == 200
    assert visitor.get("/account").status_code == 200
    assert_clear(visitor.get("/administration/system"), 403)
    assert visitor.get("/api/me").json()["permissions"] == []


def test_a_forbidden_page_is_logged_with_the_permission(lines: Lines, site: RunningSite) -> None:
    enter(site, "reader", Role.READER).get("/administration/settings")
    [line] = lines.with_event("refused for lack of permission")
    assert (line["account"], line["permission"]) == ("reader", "settings.view")


# Without a session ----------------------------------------------------------------------------------


def test_a_stranger_is_led_to_the_sign_in_page_and_back(site: RunningSite) -> None:
    for route in routes_of(site.app):
        if route.method == "GET" and not route.is_public and not route.path.startswith("/api/"):
            answer = site.client().get(address_of(route))
            assert answer.status_code == 303, route
            assert answer.headers["location"].startswith("/sign-in?next=/"), route
    answer = site.client().get("/administration/audit?who=ada&action=a%26b")
    assert answer.headers["location"] == "/sign-in?next=/administration/audit%3Fwho%3Dada%26action%3Da%2526b"


def test_a_program_without_a_token_gets_401_with_a_challenge(site: RunningSite) -> None:
    for route in routes_of(site.app):
        if route.is_api:
            answer = site.client().request(route.method, address_of(route))
            if answer.status_code == 422:  # a body is wanted, and was missing: nothing was looked at
                answer = site.client().request(route.method, address_of(route), json={"name": "eve"})
            assert_clear(answer, 401)
            assert answer.headers["www-authenticate"] == 'Bearer realm="armarium"'


def test_a_stranger_who_posts_is_refused_and_nothing_changes(site: RunningSite) -> None:
    for route in routes_of(site.app):
        if route.method == "POST" and not route.is_public and not route.path.startswith("/api/"):
            assert_clear(site.client().post(address_of(route), data={"name": "eve"}), 401)


def test_a_live_part_gets_401_instead_of_a_page_in_a_page(site: RunningSite) -> None:
    for path in ("/", "/administration/tasks", "/administration/system"):
        answer = site.client().get(path, headers={"X-Part": "1"})
        assert answer.status_code == 401
        assert answer.content == b""


def test_no_parameter_leads_to_another_site(site: RunningSite) -> None:
    visitor = enter(site, "ada")
    for target in ("//evil.example", "/\\evil.example", "https:evil.example", "/\t/evil.example", "//[", ""):
        answer = visitor.get("/sign-in", params={"next": target})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert 'name="next" value="/"' in site.client().get("/sign-in", params={"next": target}).text
        chosen = visitor.submit("/preferences", {"theme": "dark", "back": target})
        assert (chosen.status_code, chosen.headers["location"]) == (303, "/")


def test_signing_in_leads_to_the_page_that_was_asked_for(site: RunningSite) -> None:
    target = "/administration/audit?who=Zoë&from=2026-01-01"
    answer = enter(site, "ada").get("/sign-in", params={"next": target})
    assert answer.headers["location"] == "/administration/audit?who=Zo%C3%AB&from=2026-01-01"


def make_one_of_each(site: RunningSite) -> None:
    """So that every address with a number in it leads to something."""
    tasks: Tasks = site.house.tasks
    with site.house.database.transaction() as connection:
        assert tasks.defer(connection, "administration.clear", {}) == 1
        world = world_in(connection)
        number = world.job(JobState.STARTED)
        world.order(number, [("http://example.fr/", "example.fr")])
        connection.execute(domain_import.insert().values(name="list", state="done", begun_at=NOON))
        connection.execute(trap_list.insert().values(name="calendars"))
        connection.execute(extended_field.insert().values(subject="domain", name="Owner", kind="text"))
    site.house.domains.create(SYSTEM, "example.fr")
    keep_one_file(site)
    furnish_reading_room(site)


def keep_one_file(site: RunningSite) -> None:
    """In the archive, with an audit, a repair and a batch."""
    services = site.house.services()
    source = site.house.settings.home / "outside" / PLACES["{name}"]
    source.parent.mkdir()
    source.write_bytes(warc())
    services.get(Intake).take(SYSTEM, [source], accession_name="Attic")
    file, replica = services.get(Files).named(source.name), services.get(Replicas).active()[0]
    services.get(Audits).start(SYSTEM, replica.id, AuditKind.PRESENCE)
    services.get(Batches).start(SYSTEM, "records", {}, Selection())
    with site.house.database.transaction() as connection:
        propose(connection, site.house.tasks, file.id, replica.id, CheckOutcome.CORRUPT)


def furnish_reading_room(site: RunningSite) -> None:
    owner = site.house.accounts.create(SYSTEM, Profile("owner", "Owner", "", "", frozenset())).id
    by = {"created_at": NOON, "created_by": "owner"}
    days = {"first_day": NOON.date(), "last_day": NOON.date()}
    with site.house.database.transaction() as connection:
        connection.execute(access.network.insert().values(name="Room", ranges=["192.0.2.0/24"], **by))
        connection.execute(access.rule.insert().values(effect="allow", match="everything", **by))
        connection.execute(access.accreditation.insert().values(account=owner, **days, **by))
        connection.execute(access.viewing.insert().values(account=owner, jobs=[1], created_at=NOON))
        furnish(connection, owner)


def test_the_navigation_shows_only_what_may_be_seen(site: RunningSite) -> None:
    def entries(client: Client) -> set[str]:
        return set(re.findall(r'href="(/administration/\w+)"', client.get("/account").text))

    assert entries(enter(site, "reader", Role.READER)) == set()
    everything = {r.path for r in routes_of(site.app) if re.fullmatch(r"/administration/\w+", r.path)}
    assert entries(enter(site, "chief", Role.ADMINISTRATOR)) == everything
