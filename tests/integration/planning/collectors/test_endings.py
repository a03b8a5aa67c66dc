"""What a job that ended leaves behind."""

import pytest
import sqlalchemy as sa

from armarium.core.collecting import EndKind
from armarium.notify.tables import notification
from armarium.planning.collectors.model import Code, Declined
from armarium.planning.tables.domains import configuration, domain
from armarium.planning.tables.jobs import job, job_attempt, job_by_catch, job_configuration
from tests.integration.planning.collectors.world import A, B, World, offer, result

METADATA = "job_1-metadata-1.warc.gz"


def best(world: World, name: str) -> tuple[int | None, int | None, bool]:
    kept = configuration.c
    asked = sa.select(kept.best_objects, kept.best_bytes, kept.best_complete)
    [row] = world.rows(asked.join(domain, domain.c.id == kept.domain).where(domain.c.name == name))
    return row[0], row[1], row[2]


def history(world: World, number: int) -> dict[str, tuple[int | None, int | None, str | None]]:
    mine = job_configuration.c
    asked = sa.select(domain.c.name, mine.objects, mine.bytes, mine.stop_reason)
    rows = world.rows(asked.join(domain, domain.c.id == mine.domain).where(mine.job == number))
    return {row[0]: (row[1], row[2], row[3]) for row in rows}


def test_each_domain_has_its_figures_and_its_reason(world: World) -> None:
    number = world.job("a.example", "b.example", "c.example", limited_by="ch")
    c = world.crawler()
    task = c.take()
    results = (
        result("a.example", 10, 100),
        result("b.example", 5, 50, "max-objects"),
        result("met.example", 3, 30),
        result("nothing.example", 0, 0),
    )
    state = c.finish(task, *results, outcome="Finished")
    assert state == "done"
    assert history(world, number) == {
        "a.example": (10, 100, "complete"),
        "b.example": (5, 50, "configuration-object-limit"),
        "c.example": (0, 0, "unfinished"),
    }
    assert [tuple(row) for row in world.rows(sa.select(job_by_catch))] == [(number, "met.example", 3, 30)]
    row = world.row(number)
    assert (row.state, row.outcome, row.objects, row.bytes, row.lease_until) == (
        "done",
        "Finished",
        18,
        180,
        None,
    )
    assert row.ended_at


def test_a_complete_result_replaces_and_an_incomplete_one_only_if_it_has_more(world: World) -> None:
    number = world.job("a.example")
    c = world.crawler()

    def harvest(objects: int, reason: str) -> None:
        task = c.take()
        c.finish(task, result("a.example", objects, objects * 10, reason))
        world.change(sa.update(job).values(state="new", ended_at=None))

    harvest(7, "max-bytes")
    assert best(world, "a.example") == (7, 70, False)
    harvest(5, "complete")
    assert best(world, "a.example") == (5, 50, True)
    harvest(4, "max-bytes")
    assert best(world, "a.example") == (5, 50, True)
    harvest(9, "max-bytes")
    assert best(world, "a.example") == (9, 90, False)
    harvest(1, "dead")  # today
    assert best(world, "a.example") == (9, 90, False)
    assert world.row(number).attempt == 5


@pytest.mark.parametrize("reason", ["dead", "empty", "blocked"])
def test_no_more_is_expected_of_a_dead_or_closed_domain_than_came(world: World, reason: str) -> None:
    world.job("a.example")
    c = world.crawler()
    c.finish(c.take(), result("a.example", 1, 300, reason))
    assert best(world, "a.example") == (1, 300, True)


def test_a_job_ends_only_when_every_file_it_names_is_stored(world: World) -> None:
    number = world.job("a.example")
    c = world.crawler()
    task = c.take()
    c.give(task, A, b"content")
    with pytest.raises(Declined) as caught:
        c.end(task, files=(A, B))
    assert (caught.value.code, caught.value.facts) == (Code.NOT_STORED, {"missing": [B]})
    assert world.row(number).state == "submitted"
    c.give(task, B, b"more")
    assert c.end(task, files=(A, B)) == "done"
    assert world.row(number).files == 2


def test_a_job_that_has_ended_keeps_the_figures_of_its_end(world: World) -> None:
    number = world.job("a.example")
    c = world.crawler()
    task = c.take()
    before = {"objects": 128, "bytes": 1280, "seconds": 0.4, "queued": 99, "hosts": 9, "hosts_done": 0}
    c.beat(task, report=before, tail=["a line"])
    c.finish(task, result("a.example", 255, 2550), report={"seconds": 12.5, "queued": 0, "finished": 260})
    row = world.row(number)
    told = {"state": "finished", "objects": 255, "bytes": 2550, "seconds": 12.5, "queued": 0, "finished": 260}
    assert (row.objects, row.report) == (255, {"report": told, "tail": ["a line"]})
    assert [one.objects for one in world.rows(sa.select(job_attempt))] == [255]


def test_an_end_that_is_told_again_gets_the_same_answer_and_changes_nothing(world: World) -> None:
    number = world.job("a.example")
    c = world.crawler()
    task = c.take()
    c.finish(task, result("a.example", 10))
    before = world.row(number)
    assert c.end(task, domains=(result("a.example", 99),)) == "done"
    assert world.row(number) == before
    assert history(world, number)["a.example"][0] == 10


def test_a_domain_counts_as_harvested_when_something_was_had_of_it(world: World) -> None:
    world.job("had.example", "empty.example")
    c = world.crawler()
    c.finish(c.take(), result("had.example", 10), result("empty.example", 0, 0, "unreachable"))
    asked = sa.select(domain.c.name, domain.c.captured_at.is_not(None)).order_by(domain.c.name)
    assert [tuple(row) for row in world.rows(asked)] == [("empty.example", False), ("had.example", True)]


def test_a_failure_with_files_is_the_end_and_operators_are_told(world: World) -> None:
    number = world.job("a.example")
    c = world.crawler()
    task = c.take()
    c.give(task, A, b"content")
    told = {
        "error": "The crawler crashed five times.",
        "domains": (result("a.example", 3, 30, "crawl-ended"),),
        "objects": 3,
        "bytes": 30,
    }
    assert c.end(task, EndKind.FAILED, files=(A,), **told) == "failed"
    assert history(world, number)["a.example"] == (3, 30, "unfinished")
    assert world.row(number).error == "The crawler crashed five times."
    assert len(world.rows(sa.select(notification))) == 1


def test_the_end_of_a_job_with_ten_thousand_domains_is_written_in_seconds(world: World) -> None:
    number = world.job("a.example")
    names = sa.func.concat("d", sa.column("n"), ".example")
    many = sa.func.generate_series(1, 10_000).table_valued("n").render_derived()
    world.change(
        sa.insert(domain).from_select(
            ["name", "created_at"], sa.select(names, sa.func.now()).select_from(many)
        )
    )
    world.change(
        sa.text(
            "INSERT INTO configuration (domain, name, profile) SELECT id, 'default', 1 FROM domain"
            " WHERE name LIKE 'd%'"
        )
    )
    world.change(
        sa.text(
            "INSERT INTO job_configuration (job, configuration, domain, estimate)"
            " SELECT 1, id, domain, 1 FROM configuration ON CONFLICT DO NOTHING"
        )
    )
    c = world.crawler()
    task = c.take()
    c.finish(task, *(result(f"d{n}.example", n, n) for n in range(1, 10_001)))
    found = history(world, number)
    assert (len(found), found["d777.example"]) == (10_001, (777, 777, "complete"))


@pytest.mark.parametrize("reason", ["unreachable", "crawl-ended"])
def test_a_domain_of_which_nothing_came_is_as_unknown_as_before(world: World, reason: str) -> None:
    number = world.job("a.example", "b.example")
    c = world.crawler()
    c.finish(c.take(), result("a.example", 0, 0, reason), result("met.example", 1))
    assert history(world, number)["a.example"][:2] == (0, 0)
    assert best(world, "a.example") == best(world, "b.example") == (None, None, False)


def test_an_end_that_tells_of_no_domain_leaves_no_result(world: World) -> None:
    number = world.job("a.example")
    c = world.crawler()
    task = c.take()
    c.give(task, A, b"content")
    assert c.end(task, EndKind.FAILED, files=(A,), error="It broke.") == "failed"
    assert history(world, number) == {"a.example": (None, None, None)}


def test_no_domain_has_more_than_the_whole_job(world: World) -> None:
    number = world.job("a.example")
    c = world.crawler()
    told = (result("a.example", 5_000_000, 2**61), result("met.example", 7, 9))
    c.finish(c.take(), *told, objects=3, bytes=30)
    assert history(world, number)["a.example"] == (3, 30, "complete")
    assert best(world, "a.example") == (3, 30, True)
    assert [tuple(row) for row in world.rows(sa.select(job_by_catch))] == [(number, "met.example", 3, 9)]


def test_a_job_that_tells_of_objects_ends_only_with_a_file_that_holds_them(world: World) -> None:
    world.job("a.example")
    c = world.crawler()
    task = c.take()
    with pytest.raises(Declined) as caught:
        c.end(task, objects=3)
    assert caught.value.code is Code.NOT_STORED
    metadata = offer(task, METADATA, b"").model_copy(update={"kind": "metadata"})
    world.arrivals.offer(c.collector, task.job, metadata)
    with pytest.raises(Declined):
        c.end(task, objects=3, files=(METADATA,))
    c.give(task, A, b"captures")
    assert c.end(task, objects=3, files=(A, METADATA)) == "done"


def test_a_job_with_a_hundred_thousand_files_can_end(world: World) -> None:
    number = world.job("a.example")
    c = world.crawler()
    task = c.take()
    world.change(
        sa.text(
            "INSERT INTO arrival (job, attempt, collector, name, kind, size, state, begun_at)"
            f" SELECT {number}, 1, {c.collector.id}, 'f' || n, 'data', 0, 'stored', now()"
            " FROM generate_series(1, 70000) n"
        )
    )
    assert c.end(task, objects=1, files=tuple(f"f{n}" for n in range(1, 70_001))) == "done"
    assert world.row(number).files == 70_000
