"""Combinations told in few words."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from armarium.selection import shipped
from armarium.selection.collections.model import EVERYTHING, Block, blocks, groups, in_words, key_of
from armarium.selection.model import Budget, Combination, Depth, Frequency

B, F, D = Budget, Frequency, Depth


@given(st.sets(st.sampled_from(EVERYTHING)))
def test_blocks_hold_each_combination_once_and_no_other(chosen: set[Combination]) -> None:
    told = [
        Combination(*one)
        for block in blocks(chosen)
        for one in product(block.budgets, block.frequencies, block.depths)
    ]
    assert len(told) == len(chosen)
    assert set(told) == chosen


def test_alike_rows_are_one_block() -> None:
    chosen = [Combination(*one) for one in product(B, (F.DAILY, F.WEEKLY), (D.HOST, D.DOMAIN))]
    [block] = blocks(chosen)
    assert block.words == "any budget · Daily, Weekly · Host, Domain"
    assert block.names == "small, medium, large · daily, weekly · host, domain"
    assert Combination(B.LARGE, F.DAILY, D.HOST) in block
    assert Combination(B.LARGE, F.DAILY, D.PAGE) not in block


def test_everything_is_one_block() -> None:
    assert blocks(EVERYTHING) == [Block(tuple(B), tuple(F), tuple(D))]


def test_combinations_are_grouped_by_their_reason() -> None:
    first, second = Combination(B.SMALL, F.DAILY, D.PAGE), Combination(B.LARGE, F.ONCE, D.DOMAIN)
    found = groups({second: "one", first: "other"})
    assert [(group.reason, group.keys) for group in found] == [
        ("other", "small/daily/page"),
        ("one", "large/once/domain"),
    ]
    assert key_of(first) == "small/daily/page"
    assert in_words(second) == "Large · Once · Domain"


def test_the_shipped_matrix_leaves_something_of_everything() -> None:
    refused = {one for _, members in shipped.RULES for one in members}
    for depth in D:
        assert any(one.depth is depth for one in EVERYTHING if one not in refused), depth
    for frequency in F:
        assert any(one.frequency is frequency for one in EVERYTHING if one not in refused), frequency
    assert Combination(B.SMALL, F.ANNUAL, D.HOST) not in refused, "what a new collection offers first"
