import pytest

from armarium.core.crawl_order import QueueOrder, Queues
from armarium.harvest.frontier.intake import Ranking, class_and_arrival, class_of, rank


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


def paths(queues: Queues, *found: tuple[str, str]) -> list[str]:
    """The paths of these addresses, (path, hops), in the order of the queue."""
    ranking = Ranking(queues)
    return sorted(
        (path for path, _ in found),
        key=lambda path: ranking.class_of(f"http://a.example{path}", dict(found)[path]),
    )


def test_pages_go_by_links_by_the_depth_of_their_path_or_as_they_come() -> None:
    found = (("/a/b/c", "L"), ("/x", "LLL"), ("/a/b", "LL"), ("/y.png", "LE"), ("/guess", "X"))
    assert paths(Queues(), *found) == ["/y.png", "/a/b/c", "/a/b", "/x", "/guess"]
    assert paths(Queues(order=QueueOrder.PATH), *found) == ["/y.png", "/x", "/a/b", "/a/b/c", "/guess"]
    assert paths(Queues(order=QueueOrder.ARRIVAL), *found) == ["/y.png", "/a/b/c", "/x", "/a/b", "/guess"]


def test_rules_put_pages_before_all_others_and_anything_behind_them() -> None:
    queues = Queues(first=(r"/news/",), last=(r"[.]mp4$", r"/archive/"))
    found = (
        ("/archive/news/1", "L"), ("/film.mp4", "E"), ("/", ""), ("/news/today", "LLL"), ("/robots.txt", "P"),
        ("/a.png", "E"), ("/guess", "X"),
    )  # fmt: skip
    assert paths(queues, *found) == [
        "/robots.txt", "/a.png", "/news/today", "/", "/archive/news/1", "/film.mp4", "/guess",
    ]  # fmt: skip


def test_a_class_outweighs_any_arrival() -> None:
    assert rank(1, 2**44 - 1) < rank(2, 0)
