import gc
import random
import sys
from types import FunctionType, ModuleType

from armarium.harvest.traps.memory import Distinct, HostSamples, Samples, Table
from armarium.harvest.traps.watch import TrapWatch


def test_a_table_forgets_what_was_not_asked_for_longest() -> None:
    table: Table[str, list[int]] = Table(2, list)
    table["a"].append(1)
    table["b"].append(2)
    table["a"].append(3)
    table["c"].append(4)
    assert (len(table), table["a"], table["b"]) == (2, [1, 3], [])


def test_a_few_distinct_numbers_are_counted_exactly() -> None:
    distinct = Distinct()
    for number in [5, 7, 5, 9] * 10:
        distinct.add(number)
    assert len(distinct) == 3


def test_many_distinct_numbers_are_counted_nearly() -> None:
    chance = random.Random(1)
    for count in (1000, 100_000):
        distinct = Distinct()
        for _ in range(count):
            number = chance.getrandbits(64)
            distinct.add(number)
            distinct.add(number)
        assert 0.6 * count < len(distinct) < 1.5 * count


def test_samples_are_the_last_five_and_no_giants() -> None:
    samples = Samples()
    for number in range(9):
        samples.add(f"http://a/{number}")
    samples.add("http://a/" + "x" * 5000)
    assert samples.urls == tuple(f"http://a/{number}" for number in range(4, 9))


def test_a_host_keeps_its_first_addresses_and_its_latest() -> None:
    samples = HostSamples()
    for number in range(1000):
        samples.add(f"http://a/{number}")
    assert "http://a/0" in samples.urls()
    assert "http://a/999" in samples.urls()
    assert len(samples.urls()) == 40


def test_the_watch_keeps_a_bounded_amount_whatever_it_is_shown() -> None:
    chance = random.Random(2)
    watch = TrapWatch()

    def show(count: int) -> None:
        for _ in range(count):
            host = chance.randrange(100_000)
            query = "&".join(f"p{chance.randrange(50)}={chance.randrange(9999)}" for _ in range(6))
            url = f"http://h{host}.org/{chance.randrange(3000)}/{chance.randrange(1, 13)}/x?{query}"
            watch.saw(url, f"d{chance.getrandbits(60)}", "L", 10, 0.0)

    show(25_000)
    first = held(watch)
    show(10_000)
    assert held(watch) < 1.1 * first
    assert first < 60_000_000


def held(thing: object) -> int:
    """The bytes of all that can be reached from here and is no code."""
    seen: dict[int, object] = {}
    waiting = [thing]
    while waiting:
        one = waiting.pop()
        if id(one) not in seen and not isinstance(one, type | ModuleType | FunctionType):
            seen[id(one)] = one
            waiting.extend(gc.get_referents(one))
    return sum(map(sys.getsizeof, seen.values()))
