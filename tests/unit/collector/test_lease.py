"""A lease is over as soon as either clock says so."""

import pytest

from armarium.collector.job_folder import Lease, LeaseLost, Moment, end_of_lease


def test_a_lease_that_was_just_given_holds() -> None:
    lease = Lease(end_of_lease(Moment.present(), 100))
    lease.check()
    assert 97 < lease.left() < 99


def test_a_lease_is_over_when_the_time_since_the_boot_says_so() -> None:
    present = Moment.present()
    with pytest.raises(LeaseLost):
        Lease(Moment(present.boot - 1, present.wall + 1000)).check()


def test_a_lease_is_over_when_the_calendar_says_so() -> None:
    present = Moment.present()
    with pytest.raises(LeaseLost):
        Lease(Moment(present.boot + 1000, present.wall - 1)).check()


def test_an_answer_that_was_overtaken_shortens_nothing() -> None:
    present = Moment.present()
    lease = Lease(present.later(100))
    lease.extend(present.later(50))
    assert lease.until == present.later(100)
    lease.extend(present.later(200))
    assert lease.until == present.later(200)


def test_a_short_lease_keeps_most_of_its_time() -> None:
    present = Moment.present()
    assert end_of_lease(present, 5).boot == present.boot + 4
    assert end_of_lease(present, 600).boot == present.boot + 598


def test_the_engine_reads_what_the_collector_writes() -> None:
    moment = Moment.present()
    assert Moment.read(moment.line()) == moment
