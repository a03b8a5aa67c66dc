"""How the jobs of a run share its total budget."""

from itertools import count

import pytest

from armarium.planning.budgets import Share, Sharer, divided, grown, judged, left


def waiting(number: int, share: Share | None = None, estimate: int = 10) -> Sharer:
    """For a collector."""
    return Sharer(number, estimate, open=True, at_work=False, objects=0, bytes=0, share=share)


def at_work(
    number: int, share: Share, objects: int = 0, *, waits: bool = False, estimate: int = 10
) -> Sharer:
    return Sharer(
        number, estimate, open=True, at_work=True, objects=objects, bytes=0, share=share, waits=waits
    )


def ended(number: int, share: Share, objects: int, size: int = 0) -> Sharer:
    return Sharer(number, 10, open=False, at_work=False, objects=objects, bytes=size, share=share)


@pytest.mark.parametrize(
    ("amount", "weights", "parts"),
    [
        (100, [1, 1, 2], [25, 25, 50]),
        (10, [1, 1, 1], [3, 3, 4]),
        (1, [5, 5, 5], [0, 0, 1]),
        (0, [7, 1], [0, 0]),
        (2**62, [2**40, 1], [2**62 - 2**22, 2**22]),
    ],
)
def test_parts_are_whole_and_add_up(amount: int, weights: list[int], parts: list[int]) -> None:
    found = divided(amount, weights)
    assert sum(found) == amount
    assert found == pytest.approx(parts, abs=1)


def test_jobs_share_by_what_is_expected_of_them_and_one_of_which_nothing_is_gets_little() -> None:
    jobs = [waiting(1, estimate=300), waiting(2, estimate=100), waiting(3, estimate=0)]
    found = grown(Share(401, 4010), jobs, lambda job: job.open)
    assert found == {1: Share(300, 3000), 2: Share(100, 1000), 3: Share(1, 10)}


def test_a_run_without_a_budget_of_bytes_limits_none() -> None:
    assert grown(Share(4), [waiting(1)], lambda job: job.open) == {1: Share(4, None)}


def test_what_is_left_is_what_nobody_has_taken_or_may_take() -> None:
    jobs = [ended(1, Share(50, 500), 10, 700), at_work(2, Share(30, 300), 20), waiting(3, Share(5, 50))]
    assert left(Share(100, 1000), jobs) == Share(100 - 10 - 30 - 5, 0), "bytes came beyond their share"


def test_who_waits_at_its_share_gets_what_others_left_over() -> None:
    jobs = [at_work(1, Share(50), 50, waits=True), ended(2, Share(50), 5)]
    assert judged(Share(100), jobs, 1) == ({1: Share(95)}, False)


def test_what_is_left_over_is_divided_among_those_at_work() -> None:
    jobs = [
        at_work(1, Share(30), 30, waits=True, estimate=30),
        at_work(2, Share(10), 2, estimate=10),
        ended(3, Share(60), 20),
        waiting(4, Share(0)),
    ]
    assert judged(Share(100), jobs, 1) == ({1: Share(60), 2: Share(20)}, False)


def test_it_waits_while_another_at_work_may_leave_something() -> None:
    jobs = [at_work(1, Share(50), 50, waits=True), at_work(2, Share(50), 5)]
    assert judged(Share(100), jobs, 1) == ({}, False)


@pytest.mark.parametrize(
    "other",
    [
        at_work(2, Share(50), 50, waits=True),
        ended(2, Share(50), 50),
        waiting(2, Share(50)),  # it needs the slot of the one that waits
    ],
)
def test_it_ends_when_nobody_can_leave_anything_or_its_slot_is_wanted(other: Sharer) -> None:
    assert judged(Share(100), [at_work(1, Share(50), 50, waits=True), other], 1) == ({}, True)


def test_however_jobs_take_their_turns_all_together_keep_to_the_budget() -> None:
    """Three jobs that could bring 70, 5 and 40, on one slot after the other, or at once."""
    could = {1: 70, 2: 5, 3: 40}
    total = Share(60)
    shares = grown(total, [waiting(number) for number in could], lambda job: job.open)
    brought = dict.fromkeys(could, 0)
    over: set[int] = set()
    for _ in count():
        for number in could.keys() - over:
            brought[number] = min(could[number], shares[number].objects or 0)
            if brought[number] == could[number]:
                over.add(number)
        jobs = [
            ended(number, shares[number], brought[number])
            if number in over
            else at_work(number, shares[number], brought[number], waits=True)
            for number in could
        ]
        assert sum(brought.values()) <= 60
        if not could.keys() - over:
            break
        verdict = judged(total, jobs, min(could.keys() - over))
        shares |= verdict.shares
        if verdict.ends:
            break
    assert sum(brought.values()) == 60, "and use all of it"
