"""The parts of a frozen order, and the order that they give together."""

import pytest

from armarium.core.crawl_order import CrawlOrder
from armarium.core.errors import Refused
from armarium.planning.generation.chunks import DomainsPart, Frame, first_part
from armarium.planning.generation.filling import Candidate
from armarium.planning.orders import assembled, unpacked

FRAME = Frame(harvest=7, max_objects=None, max_bytes=None, max_seconds=None, reject=("/cart/",))


def part_of(name: str, max_objects: int | None = None, traps: tuple[str, ...] = ()) -> bytes:
    part = DomainsPart()
    seeds = (f"http://{name}/", f"http://www.{name}/")
    part.add(Candidate(1, 1, name, 1, "{}", 10, 38_000, max_objects, None, "c-", seeds, traps))
    return part.packed()


def test_parts_give_one_order() -> None:
    parts = [first_part(12, {"scope": {"kind": "domain", "reject": ["/x/"]}}, {"robots": "ignore"}, FRAME)]
    parts += [part_of("a.example", 5), part_of("b.example", traps=("/t/",))]
    order = CrawlOrder.model_validate(assembled(parts))

    assert [seed.tag for seed in order.seeds] == ["a.example"] * 2 + ["b.example"] * 2
    assert list(order.limits.sources) == ["a.example"]
    assert order.scope.traps == {"b.example": ("/t/",)}
    assert order.scope.reject == ("/x/", "/cart/")
    assert (order.robots, order.name, order.recording.values["prefix"]) == ("ignore", "job-12", "12-7")


def test_the_first_part_is_whole_so_that_later_defaults_do_not_alter_it() -> None:
    frozen = unpacked(first_part(1, {}, {}, FRAME))["order"]

    assert frozen["politeness"] == CrawlOrder().politeness.model_dump(mode="json")
    assert "seeds" not in frozen
    assert "credentials" not in frozen["fetching"]


def test_a_profile_that_names_an_operator_is_stronger_than_the_settings() -> None:
    frame = Frame(7, None, None, None, (), identity={"operator": "settings", "mail": "a@b.example"})
    frozen = unpacked(first_part(1, {"identity": {"operator": "profile"}}, {}, frame))["order"]

    assert (frozen["identity"]["operator"], frozen["identity"]["mail"]) == ("profile", "a@b.example")


def test_overrides_that_give_no_order_are_refused() -> None:
    with pytest.raises(Refused):
        first_part(1, {}, {"scope": {"max_hops": -1}}, FRAME)


def test_the_seeds_of_a_planned_order_open_no_network_whatever_its_profile_says() -> None:
    profile = {"fetching": {"seeds_open_ranges": True, "allowed_ranges": ["10.1.0.0/16"]}}
    frozen = unpacked(first_part(1, profile, {"fetching": {"seeds_open_ranges": True}}, FRAME))["order"]

    assert frozen["fetching"]["seeds_open_ranges"] is False
    assert frozen["fetching"]["allowed_ranges"] == ["10.1.0.0/16"]
