"""What a plan tells of its own worth."""

from armarium.core import clock
from armarium.planning.generation.plan import Past, Plan


def plan(objects: int, *past: Past) -> Plan:
    return Plan(clock.now(), [], 1, 1, objects, 0, 0.0, {}, {}, past=list(past))


def test_an_estimate_may_be_as_wrong_as_those_of_the_last_runs() -> None:
    assert plan(150, Past(4, 200, 180), Past(3, 100, 120), Past(2, 5000, 4000)).likely == (120, 180)
    assert plan(300, Past(2, 200, 100)).likely == (150, 300)  # and what is expected is among it


def test_the_guesses_of_the_first_run_say_nothing_of_a_plan_that_was_learned() -> None:
    assert plan(356, Past(1, 20_000, 324)).likely is None
    assert plan(356, Past(2, 300, 330), Past(1, 20_000, 324)).likely == (356, 392)


def test_before_the_first_run_nobody_knows() -> None:
    assert plan(150).likely is None


def test_a_plan_that_was_kept_is_read_back_and_one_of_an_earlier_version_too() -> None:
    made = plan(150, Past(1, 10, 20))
    assert Plan.read(made.facts()) == made
    earlier = {name: value for name, value in made.facts().items() if name != "past"}
    assert Plan.read(earlier).likely is None
