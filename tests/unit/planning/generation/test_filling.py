"""Which candidates share a job: each check, what the checks give together, and no small jobs without need."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as some

from armarium.planning.generation.filling import (
    CHECKS,
    Candidate,
    Filling,
    OpenJob,
    Rules,
    place_in_order,
    refusal,
    rules_of,
)
from armarium.planning.labels import SPLITS
from armarium.planning.model import Split
from armarium.planning.settings import PlanningSettings


def candidate(
    number: int,
    estimate: int,
    *,
    domain: int | None = None,
    profile: int = 1,
    overrides: str = "{}",
    max_bytes: int | None = None,
) -> Candidate:
    owner = number if domain is None else domain
    name = f"d{owner}.example"
    return Candidate(
        number,
        owner,
        name,
        profile,
        overrides,
        estimate,
        38_000,
        None,
        max_bytes,
        "-c",
        (f"http://{name}/",),
        (),
    )


def job_with(*candidates: Candidate) -> OpenJob:
    job = OpenJob(1, candidates[0].profile, candidates[0].overrides)
    for one in candidates:
        job.add(one)
    return job


def filled(
    candidates: list[Candidate], rules: Rules, chunk_size: int = 1_000_000
) -> list[tuple[OpenJob, list[Candidate]]]:
    """Chunk by chunk, with nothing kept between two of them but what the database would keep."""
    numbers = iter(range(1, 10_000_000))
    jobs: dict[int, tuple[OpenJob, list[Candidate]]] = {}
    kept: list[str] = []
    by_domain = sorted(candidates, key=lambda one: (one.domain, one.configuration))
    for start in range(0, len(by_domain), chunk_size):
        chunk = by_domain[start : start + chunk_size]
        filling = Filling(rules, lambda: next(numbers), [OpenJob.of(json.loads(one)) for one in kept])
        for one in sorted(chunk, key=place_in_order):
            job = filling.place(one)
            jobs[job.number] = (job, [*jobs.get(job.number, (job, []))[1], one])
        filling.forget_before(chunk[-1].domain)
        kept = [json.dumps(job.facts()) for job in filling.still_open()]
    return list(jobs.values())


@pytest.mark.parametrize(
    ("joining", "reason"),
    [
        (candidate(2, 500, overrides='{"robots": "ignore"}'), Split.OVERRIDES),
        (candidate(2, 500, domain=1), Split.DOMAIN),
        (candidate(2, 500, profile=2), Split.PROFILE),
        (candidate(2, 7_999_501), Split.TOTAL),
        (candidate(2, 50_001), Split.SIZES),
        (candidate(2, 50_000), None),
        (candidate(2, 2500), None),
        (candidate(2, 0), None),
    ],
)
def test_a_job_of_one_domain_with_500_objects_takes_or_refuses(
    joining: Candidate, reason: Split | None
) -> None:
    found = refusal(job_with(candidate(1, 500)), joining, Rules())

    assert (found.id if found else None) == reason


def test_domains_that_differ_by_2000_objects_share_a_job_whatever_their_ratio() -> None:
    assert refusal(job_with(candidate(1, 1)), candidate(2, 2001), Rules()) is None
    assert refusal(job_with(candidate(1, 1)), candidate(2, 2002), Rules()) is not None


def test_a_smallest_estimate_of_nothing_counts_as_one() -> None:
    rules = Rules(min_difference=0)

    assert refusal(job_with(candidate(1, 0)), candidate(2, 100), rules) is None
    assert refusal(job_with(candidate(1, 0)), candidate(2, 101), rules) is not None


def test_the_number_of_domains_is_limited_in_broad_harvests_only() -> None:
    full = job_with(candidate(1, 1), candidate(2, 1))
    settings = PlanningSettings(max_configurations=2)

    refused = refusal(full, candidate(3, 1), rules_of(settings, broad=True))
    assert refused is not None
    assert refused.id is Split.CONFIGURATIONS
    assert refusal(full, candidate(3, 1), rules_of(settings, broad=False)) is None


def test_different_limits_share_a_job() -> None:
    found = filled([candidate(1, 10, max_bytes=None), candidate(2, 10, max_bytes=5)], Rules())

    assert len(found) == 1


def test_a_domain_larger_than_any_job_may_be_has_one_for_itself() -> None:
    found = filled([candidate(1, 9_000_000), candidate(2, 9_000_000)], Rules())

    assert [len(members) for _, members in found] == [1, 1]


def test_1600_unknown_domains_fill_a_job() -> None:
    found = filled([candidate(number, 5000) for number in range(1, 3201)], Rules(max_configurations=10_000))

    assert [len(members) for _, members in found] == [1600, 1600]
    assert found[0][0].split is Split.TOTAL


def test_the_order_is_profile_overrides_byte_limit_estimate() -> None:
    in_order = [
        candidate(6, 1, overrides='{"a": 1}'),
        candidate(5, 1, max_bytes=None),
        candidate(4, 9, max_bytes=10),
        candidate(3, 8, max_bytes=10),
        candidate(2, 99, max_bytes=5),
        candidate(1, 1, profile=2),
    ]
    backwards = in_order[::-1]

    assert sorted(backwards, key=place_in_order) == in_order


def test_one_odd_candidate_does_not_end_the_job_that_was_being_filled() -> None:
    usual = [candidate(number, 5000) for number in range(1, 50)]
    found = filled([*usual, candidate(100, 3_000_000)], Rules(), chunk_size=10)

    assert sorted(len(members) for _, members in found) == [1, 49]


def test_smaller_chunks_do_not_make_smaller_jobs() -> None:
    chance = random.Random(20261115)
    sizes = [1 + int(3 * (1 / (1 - chance.random())) ** 0.9) for _ in range(5000)]
    candidates = [candidate(number, min(size, 50_000)) for number, size in enumerate(sizes, start=1)]
    rules = Rules(max_total=200_000, max_configurations=500)

    at_once, in_chunks = filled(candidates, rules), filled(candidates, rules, chunk_size=100)
    assert len(in_chunks) <= len(at_once) + rules.most_open_of_a_key


def test_jobs_that_are_open_at_once_are_few() -> None:
    rules = Rules(most_open=5)
    filling = Filling(rules, iter(range(1, 1000)).__next__)
    for number in range(1, 100):
        filling.place(candidate(number, 10, profile=number))

    assert len(filling.still_open()) == 5
    assert {job.split for job in filling.closed} == {Split.OPEN}


def test_jobs_are_told_apart_by_their_profile_or_their_settings() -> None:
    profiles = filled([candidate(1, 10), candidate(2, 10, profile=2)], Rules())
    settings = filled([candidate(1, 10), candidate(2, 10, overrides='{"a": 1}')], Rules())

    assert [job.split for job, _ in profiles] == [Split.PROFILE, Split.PROFILE]
    assert [job.split for job, _ in settings] == [Split.OVERRIDES, Split.OVERRIDES]


def test_every_check_and_every_end_has_its_words() -> None:
    assert set(SPLITS) == set(Split)
    assert [check.id for check in CHECKS] == [
        Split.OVERRIDES,
        Split.DOMAIN,
        Split.PROFILE,
        Split.CONFIGURATIONS,
        Split.TOTAL,
        Split.SIZES,
    ]
    assert all(str(check.why) for check in CHECKS)


# --- the laws


@some.composite
def worlds(draw: some.DrawFn) -> tuple[list[Candidate], Rules, int]:
    sizes = some.one_of(some.integers(0, 100), some.integers(0, 20_000), some.integers(0, 10**7))
    facts = draw(
        some.lists(
            some.tuples(
                sizes,
                some.integers(1, 25),  # domain
                some.integers(1, 3),  # profile
                some.sampled_from(["{}", '{"a": 1}']),
                some.one_of(some.none(), some.integers(0, 10**9)),
            ),
            max_size=120,
        )
    )
    candidates = [
        candidate(number, size, domain=domain, profile=profile, overrides=overrides, max_bytes=limit)
        for number, (size, domain, profile, overrides, limit) in enumerate(facts, start=1)
    ]
    rules = Rules(
        max_total=draw(some.integers(1, 10**7)),
        max_ratio=draw(some.integers(1, 200)),
        min_difference=draw(some.integers(0, 3000)),
        max_configurations=draw(some.one_of(some.none(), some.integers(1, 20))),
        most_open_of_a_key=draw(some.integers(1, 8)),
        most_open=draw(some.integers(1, 20)),
    )
    return candidates, rules, draw(some.integers(1, 130))


def breaks_a_rule(members: list[Candidate], rules: Rules) -> bool:
    """Said anew, of a whole job, and not as the question whether one more may join."""
    estimates = [one.estimate for one in members]
    spread, ratio = max(estimates) - min(estimates), max(estimates) / max(min(estimates), 1)
    too_many_objects = sum(estimates) > rules.max_total and sum(size > 0 for size in estimates) > 1
    return (
        len({(one.profile, one.overrides) for one in members}) > 1
        or len({one.domain for one in members}) < len(members)
        or (rules.max_configurations is not None and len(members) > rules.max_configurations)
        or too_many_objects
        or (spread > rules.min_difference and ratio > rules.max_ratio)
    )


@given(worlds())
def test_every_candidate_is_in_exactly_one_job_and_no_job_breaks_a_rule(
    world: tuple[list[Candidate], Rules, int],
) -> None:
    candidates, rules, chunk_size = world
    found = filled(candidates, rules, chunk_size)

    placed = [one.configuration for _, members in found for one in members]
    assert sorted(placed) == [one.configuration for one in candidates]
    assert not [members for _, members in found if breaks_a_rule(members, rules)]


@given(worlds())
def test_the_figures_of_a_job_are_those_of_its_members(world: tuple[list[Candidate], Rules, int]) -> None:
    candidates, rules, _ = world

    for job, members in filled(candidates, rules):
        sizes = [one.estimate for one in members]
        assert (job.configurations, job.total, job.smallest, job.largest) == (
            len(sizes),
            sum(sizes),
            min(sizes),
            max(sizes),
        )
