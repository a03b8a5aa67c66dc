import pytest

from armarium.harvest.frontier.priority import class_and_arrival, class_of, rank


def test_prerequisites_go_before_parts_of_pages_before_pages_by_links_before_guesses() -> None:
    paths = ["LLP", "LLLR", "LLE", "", "L", "LEL", "LLL", "LLX", "I"]

    assert sorted(paths, key=class_of) == paths


def test_an_entry_of_a_sitemap_counts_as_a_link() -> None:
    assert class_of("M") == class_of("L")


def test_a_path_of_any_length_stays_before_guesses() -> None:
    assert class_of("L" * 100_000) < class_of("X")


@pytest.mark.parametrize(("class_", "arrival"), [(0, 1), (7, 10**12), (255, 2**44 - 1)])
def test_a_rank_gives_back_class_and_arrival(class_: int, arrival: int) -> None:
    assert class_and_arrival(rank(class_, arrival)) == (class_, arrival)


def test_a_class_outweighs_any_arrival() -> None:
    assert rank(1, 2**44 - 1) < rank(2, 0)
