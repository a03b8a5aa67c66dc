"""What differs between two lists of lines, told as both lists have it."""

import random
import time

from armarium.access.comparison.difference import Kind, difference


def test_both_texts_can_be_read_off_the_difference() -> None:
    chance = random.Random(4)
    for _ in range(200):
        old, new = ([chance.choice("abcd") for _ in range(chance.randint(1, 4))] for _ in range(2))
        found = difference(old, new)
        assert found is not None
        if found.none:
            assert old == new
            continue
        lines = [line for line in found.lines if line.kind is not Kind.GAP]
        gaps = sum(line.count for line in found.lines)
        assert len([line for line in lines if line.kind is not Kind.ADDED]) + gaps == len(old)
        assert [line.text for line in lines if line.kind is Kind.ADDED] == [
            line.text for line in lines if line.kind is Kind.ADDED and line.text in new
        ]
        assert found.added - found.removed == len(new) - len(old)


def test_equal_lines_far_from_any_change_are_left_out() -> None:
    old = [str(n) for n in range(100)]
    found = difference(old, [*old[:50], "new", *old[50:]])
    assert found is not None
    assert [(line.kind.value, line.text or line.count) for line in found.lines] == [
        ("gap", 48),
        ("same", "48"),
        ("same", "49"),
        ("added", "new"),
        ("same", "50"),
        ("same", "51"),
        ("gap", 48),
    ]


def test_texts_made_to_take_long_are_given_up_soon() -> None:
    started = time.process_time()
    old = ["x" if n % 2 else f"a{n}" for n in range(4000)]
    assert difference(old, ["x" if n % 2 else f"b{n}" for n in range(4000)]) is None
    assert time.process_time() - started < 20
