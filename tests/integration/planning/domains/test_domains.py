"""Domains in a real database."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from armarium.accounts.vault import Vault, VaultSettings
from armarium.core.actor import SYSTEM
from armarium.core.errors import Misconfigured, NotFound, Refused
from armarium.db.database import Database
from armarium.planning import shipped
from armarium.planning.domains.credentials import credentials_of
from armarium.planning.domains.model import (
    AliasFilter,
    CredentialKind,
    DomainFilter,
    NewConfiguration,
    NewCredential,
)
from armarium.planning.domains.service import AT_ONCE, DomainFacts, Domains
from armarium.planning.tasks import TASKS
from armarium.tasks.kinds import TaskKinds
from armarium.tasks.service import Tasks


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(VaultSettings(), tmp_path)


@pytest.fixture
def domains(database: Database, vault: Vault) -> Domains:
    with database.transaction() as connection:
        shipped.ensure(connection)
    return Domains(database, vault, Tasks(database, TaskKinds(TASKS)))


def found(domains: Domains, wanted: DomainFilter) -> list[str]:
    return [one.name for one in domains.search(wanted, limit=50)[0]]


def audited(database: Database, number: int) -> list[str]:
    with database.transaction() as connection:
        rows = connection.execute(
            text("SELECT action FROM audit WHERE object_kind = 'domain' AND object_id = :n ORDER BY id"),
            {"n": str(number)},
        )
        return [action for (action,) in rows]


def test_a_new_domain_has_seeds_and_a_default_configuration(domains: Domains) -> None:
    made = domains.create(SYSTEM, "https://www.bnf.fr/fr")
    (listed,) = domains.configurations.seed_lists(made.id)
    (configuration,) = domains.configurations.of(made.id)
    assert listed.seeds == "http://bnf.fr/\nhttp://www.bnf.fr/"
    assert made.default_configuration == configuration.id
    assert (configuration.profile_name, configuration.max_bytes) == ("domain", 1_000_000_000)
    assert configuration.seed_lists == (listed.id,)
    with pytest.raises(Refused, match="already"):
        domains.create(SYSTEM, "bnf.fr")


def test_ensuring_makes_only_what_there_is_not(database: Database, domains: Domains) -> None:
    known = domains.create(SYSTEM, "bnf.fr")
    with database.transaction() as connection:
        numbers = domains.ensure(connection, SYSTEM, ["www.bnf.fr", "bl.uk", "bl.uk"], "event")
    assert numbers["www.bnf.fr"] == known.id
    assert domains.get(numbers["bl.uk"]).origin == "event"
    assert audited(database, numbers["bl.uk"]) == ["domain.created"]


def test_every_filter_of_the_search_finds_its_domains(database: Database, domains: Domains) -> None:
    for name in ("bnf.fr", "bl.uk", "ina.fr", "culture.gouv.fr"):
        domains.create(SYSTEM, name)
    bnf, ina, bl = domains.named("bnf.fr"), domains.named("ina.fr"), domains.named("bl.uk")
    domains.change(SYSTEM, bnf.id, DomainFacts(comments="National Library 100%", traps=["/x/"]))
    domains.change(SYSTEM, ina.id, DomainFacts(active=False))
    domains.aliases.set(SYSTEM, bl.id, "bnf.fr")
    with database.transaction() as connection:
        connection.execute(text("UPDATE domain SET captured_at = now() WHERE id = :n"), {"n": bnf.id})
    domains.change(SYSTEM, bl.id, DomainFacts(broad=False))
    assert found(domains, DomainFilter()) == ["bl.uk", "bnf.fr", "culture.gouv.fr", "ina.fr"]
    assert found(domains, DomainFilter("*.fr")) == ["bnf.fr", "culture.gouv.fr", "ina.fr"]
    assert found(domains, DomainFilter("*.gouv.fr")) == ["culture.gouv.fr"]
    assert found(domains, DomainFilter("b*")) == ["bl.uk", "bnf.fr"]
    assert found(domains, DomainFilter("nf.")) == ["bnf.fr"]
    assert found(domains, DomainFilter(tld="uk")) == ["bl.uk"]
    assert found(domains, DomainFilter(active=False)) == ["ina.fr"]
    assert found(domains, DomainFilter(traps=True)) == ["bnf.fr"]
    assert found(domains, DomainFilter(alias=AliasFilter.LIVE)) == ["bl.uk"]
    assert found(domains, DomainFilter(alias=AliasFilter.EXPIRED)) == []
    assert found(domains, DomainFilter(never_harvested=True)) == ["bl.uk", "culture.gouv.fr", "ina.fr"]
    assert found(domains, DomainFilter(broad=False)) == ["bl.uk"]
    assert found(domains, DomainFilter("*.uk", broad=True)) == []
    assert found(domains, DomainFilter(comment="library 100%")) == ["bnf.fr"]
    assert next((t.name, t.domains, t.below) for t in domains.statistics()) == ("fr", 3, (("gouv.fr", 1),))


def test_two_who_change_a_domain_notice_each_other(domains: Domains) -> None:
    made = domains.create(SYSTEM, "bnf.fr")
    domains.change(SYSTEM, made.id, DomainFacts(comments="first"), seen=made.edition)
    with pytest.raises(Refused, match="meanwhile"):
        domains.change(SYSTEM, made.id, DomainFacts(comments="second"), seen=made.edition)
    assert domains.get(made.id).comments == "first"


def test_aliases_have_neither_chains_nor_themselves(domains: Domains) -> None:
    a, b, c = (domains.create(SYSTEM, name) for name in ("a.fr", "b.fr", "c.fr"))
    domains.aliases.set(SYSTEM, a.id, "b.fr")
    for number, of in ((b.id, "c.fr"), (c.id, "a.fr"), (c.id, "c.fr"), (c.id, "unknown.fr")):
        with pytest.raises(Refused):
            domains.aliases.set(SYSTEM, number, of)
    assert domains.get(b.id).alias_of is None


def test_an_alias_expires_and_can_be_renewed(database: Database, domains: Domains) -> None:
    a = domains.create(SYSTEM, "a.fr")
    domains.create(SYSTEM, "b.fr")
    set_at = domains.aliases.set(SYSTEM, a.id, "b.fr").alias_since
    assert set_at
    with database.transaction() as connection:
        old = set_at - timedelta(days=365)
        connection.execute(
            text("UPDATE domain SET alias_since = :old WHERE id = :n"), {"old": old, "n": a.id}
        )
    assert [one.name for one in domains.aliases.page(live=False, limit=9)[0]] == ["a.fr"]
    domains.aliases.renew(SYSTEM, a.id)
    assert [one.name for one in domains.aliases.page(live=True, limit=9)[0]] == ["a.fr"]
    assert audited(database, a.id)[-2:] == ["domain.alias_set", "domain.alias_renewed"]


def test_secrets_are_encrypted_and_neither_shown_nor_logged(
    database: Database, domains: Domains, vault: Vault, tmp_path: Path
) -> None:
    made = domains.create(SYSTEM, "bnf.fr")
    given = NewCredential(CredentialKind.BASIC, user_name="ada", password="s3cret-word")
    kept = domains.credentials.add(SYSTEM, made.id, given)
    assert "s3cret" not in repr(given) + repr(kept)
    with database.transaction() as connection:
        everything = connection.execute(
            text("SELECT string_agg(t::text, ' ') FROM (SELECT before, after FROM audit) t")
        ).scalar_one()
        secret = connection.execute(text("SELECT secret FROM domain_credential")).scalar_one()
        (opened,) = credentials_of(connection, vault, [made.id])
        with pytest.raises(Misconfigured):
            credentials_of(connection, Vault(VaultSettings(), tmp_path / "other"), [made.id])
    assert "s3cret" not in everything
    assert b"s3cret" not in bytes(secret)
    assert (opened["domain"], opened["user"], opened["password"]) == ("bnf.fr", "ada", "s3cret-word")
    domains.credentials.set_active(SYSTEM, made.id, kept.id, active=False)
    with database.transaction() as connection:
        assert credentials_of(connection, vault, [made.id]) == []


@pytest.mark.parametrize(
    "altered",
    [
        "domain_credential SET login_url = 'http://evil.example/'",
        "domain_credential SET kind = 'basic'",
        "domain_credential SET realm = 'other'",
        "domain_credential SET user_name = 'eve'",
        "domain SET name = 'evil.example'",
    ],
)
def test_a_secret_opens_only_for_what_it_was_entered_for(
    database: Database, domains: Domains, vault: Vault, altered: str
) -> None:
    made = domains.create(SYSTEM, "example.org")
    login = "http://www.example.org/login"
    given = NewCredential(CredentialKind.FORM, login_url=login, fields={"pass": "s3cret-word"})
    domains.credentials.add(SYSTEM, made.id, given)
    with database.transaction() as connection:
        (opened,) = credentials_of(connection, vault, [made.id])
        assert opened["fields"] == {"pass": "s3cret-word"}
        connection.execute(text(f"UPDATE {altered}"))
        with pytest.raises(Misconfigured):
            credentials_of(connection, vault, [made.id])


def test_a_trap_found_by_a_job_is_added_once(database: Database, domains: Domains) -> None:
    made = domains.create(SYSTEM, "bnf.fr")
    with database.transaction() as connection:
        domains.add_trap(connection, SYSTEM, "www.bnf.fr", "/agenda/")
        domains.add_trap(connection, SYSTEM, "bnf.fr", "/agenda/")
    assert domains.get(made.id).traps == ("/agenda/",)


def test_configurations_take_only_what_belongs_to_their_domain(domains: Domains) -> None:
    one, other = domains.create(SYSTEM, "a.fr"), domains.create(SYSTEM, "b.fr")
    (own,), (foreign,) = (domains.configurations.seed_lists(d.id) for d in (one, other))
    profile = domains.configurations.of(one.id)[0].profile
    with pytest.raises(Refused, match="seed list of this domain"):
        domains.configurations.add(SYSTEM, one.id, NewConfiguration("deep", profile, (foreign.id,)))
    made = domains.configurations.add(SYSTEM, one.id, NewConfiguration("deep", profile, (own.id,), 10, 20))
    domains.configurations.make_default(SYSTEM, one.id, made.id)
    assert domains.get(one.id).default_configuration == made.id
    with pytest.raises(Refused, match="default"):
        domains.configurations.change(
            SYSTEM, one.id, made.id, NewConfiguration("deep", profile, (own.id,), active=False)
        )


def test_a_configuration_that_is_put_again_is_replaced(database: Database, domains: Domains) -> None:
    made = domains.create(SYSTEM, "a.fr")
    profile = domains.configurations.of(made.id)[0].profile
    numbers = []
    for seeds in ("http://a.fr/1", "http://a.fr/2"):
        with database.transaction() as connection:
            number = domains.put_configuration(
                connection,
                SYSTEM,
                made.id,
                "event",
                profile=profile,
                seeds=seeds,
                max_objects=5,
                max_bytes=None,
                overrides={"scope": {"max_hops": 1}},
            )
        numbers.append(number)
    assert numbers[0] == numbers[1]
    assert [one.seeds for one in domains.configurations.seed_lists(made.id) if one.name == "event"] == [
        "http://a.fr/2"
    ]


def test_every_domain_of_a_search_can_be_walked_through(database: Database, domains: Domains) -> None:
    with database.transaction() as connection:
        many = "SELECT n || '.fr', now() FROM generate_series(1, :n) n"
        connection.execute(text(f"INSERT INTO domain (name, created_at) {many}"), {"n": 2 * AT_ONCE + 1})
    walked = [one.name for one in domains.every(DomainFilter("*.fr"))]
    assert walked == sorted(f"{n}.fr" for n in range(1, 2 * AT_ONCE + 2))


def test_an_import_makes_what_there_is_not_and_tells_what_was_refused(
    database: Database, domains: Domains
) -> None:
    domains.create(SYSTEM, "bnf.fr", comments="kept")
    lines = ["bnf.fr", "a.fr\thttp://a.fr/1", "a.fr\thttp://a.fr/2", "a.fr\thttp://a.fr/1", "no domain"]
    lines += ["", "# a note", "-bad-.fr"]
    lines += [f"site{n}.org" for n in range(500)]
    first = domains.imports.run(SYSTEM, "list.txt", lines)
    assert (first.lines, first.created, first.known, first.refused) == (508, 501, 1, 2)
    assert (first.repeated, first.skipped) == (2, 2)
    assert first.faults[0]["line"] == 5
    again = domains.imports.run(SYSTEM, "list.txt", lines)
    assert (again.created, again.known) == (0, 502)
    made = domains.named("a.fr")
    assert domains.configurations.seed_lists(made.id)[0].seeds == "http://a.fr/1\nhttp://a.fr/2"
    assert made.default_configuration == domains.configurations.of(made.id)[0].id


def test_an_import_that_fails_leaves_nothing_but_its_report(database: Database, domains: Domains) -> None:
    def broken() -> None:
        raise OSError("the disk went away")

    def lines() -> Iterator[str]:
        yield "a.fr"
        broken()

    with pytest.raises(OSError, match="went away"):
        domains.imports.run(SYSTEM, "list.txt", lines())
    (report,), _ = domains.imports.page(limit=1)
    assert report.state == "failed"
    with pytest.raises(NotFound):
        domains.named("a.fr")
