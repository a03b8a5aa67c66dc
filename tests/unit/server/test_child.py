"""The pauses between the lives of a child, and its states."""

from armarium.server.child import NEXT, ChildState, Timing, pause_before_restart


def test_the_pause_doubles_with_every_crash_up_to_half_a_minute() -> None:
    pauses = [pause_before_restart(crashes, Timing()) for crashes in range(1, 10)]

    assert pauses == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]


def test_the_pause_after_very_many_crashes_is_still_the_longest() -> None:
    assert pause_before_restart(1_000_000, Timing()) == 30


def test_a_child_is_killed_early_enough_for_everything_to_end_within_ten_seconds() -> None:
    assert Timing().grace + Timing().last_wait < 10


def test_every_state_but_the_last_leads_somewhere() -> None:
    assert set(NEXT) == set(ChildState)
    assert [state for state, following in NEXT.items() if not following] == [ChildState.ENDED]
