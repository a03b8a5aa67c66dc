from armarium.harvest.team.shared_limits import Allowances


def test_the_limit_is_divided() -> None:
    allowances = Allowances(101, [0, 0])
    assert allowances.share([0, 1]) == [0, 1]
    assert allowances.given == [51, 50]
    assert allowances.share([0, 1]) == []


def test_what_an_idle_member_gives_back_goes_to_one_that_could_use_it() -> None:
    allowances = Allowances(100, [0, 0])
    allowances.share([0, 1])
    allowances.give_back(0, 12)
    assert allowances.share([1]) == [1]
    assert allowances.given == [12, 88]


def test_a_resumed_crawl_has_used_a_part_already() -> None:
    allowances = Allowances(100, [30, 40])
    allowances.share([0, 1])
    assert allowances.given == [45, 55]


def test_nothing_is_left_for_those_who_are_too_late() -> None:
    assert Allowances(10, [6, 7]).share([0]) == []
