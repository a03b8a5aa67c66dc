from armarium.harvest.frontier.budget import Budget, cost
from armarium.harvest.model import Status


def test_a_budget_is_spent_by_objects_or_by_bytes() -> None:
    assert Budget(objects=10).is_spent(10, 0)
    assert Budget(bytes=1000).is_spent(0, 1000)
    assert not Budget(10, 1000).is_spent(9, 999)
    assert not Budget().is_spent(10**9, 10**15)


def test_what_is_in_flight_is_counted_before_more_is_taken() -> None:
    assert Budget(objects=10).allows(8, 0, in_flight=1)
    assert not Budget(objects=10).allows(8, 0, in_flight=2)


def test_a_failure_costs_a_penalty_and_a_disregarded_address_nothing() -> None:
    assert cost(404, 100) == 1
    assert cost(Status.TIMEOUT, 100) == 101
    assert cost(Status.ROBOTS_PRECLUDED, 100) == 0
