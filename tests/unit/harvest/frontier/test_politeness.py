"""Dialogues about pauses; times are seconds since the crawl began."""

from armarium.core.crawl_order import QueueBy
from armarium.harvest.frontier.servers import BLOCKED_AFTER
from armarium.harvest.model import Status
from tests.unit.harvest.frontier.conftest import BEGINNING, Open

A, B = "http://a.example/", "http://b.example/"


def test_a_queue_rests_after_each_download(crawl: Open) -> None:
    talk = crawl(min_delay=3)
    talk.found(A + "1", A + "2")

    assert talk.asks(at=0) == A + "1"
    assert talk.asks(at=0) is None
    talk.answered(A + "1", at=1)
    assert talk.asks(at=3.9) is None
    assert talk.wakes() == 4
    assert talk.asks(at=4) == A + "2"


def test_another_queue_goes_on_meanwhile(crawl: Open) -> None:
    talk = crawl(min_delay=3)
    talk.found(A + "1", A + "2", B + "1")

    assert [talk.asks(), talk.asks(), talk.asks()] == [A + "1", B + "1", None]


def test_two_hosts_on_one_server_share_its_pauses(crawl: Open) -> None:
    talk = crawl(min_delay=3)
    talk.found(A + "1", B + "1")
    first, second = talk.asks(), talk.asks()
    assert first is not None
    assert second is not None

    assert talk.resolved(first, "192.0.2.1") is True
    assert talk.resolved(second, "192.0.2.1") is False
    assert talk.asks(at=1) is None
    talk.answered(first, at=2)
    assert talk.asks(at=4.9) is None
    assert talk.asks(at=5) == second
    assert talk.resolved(second, "192.0.2.1", at=5) is True


def test_hosts_on_one_server_take_turns(crawl: Open) -> None:
    talk = crawl()
    hosts = [f"http://host-{number}.example/" for number in range(4)]
    talk.found(*[host + str(page) for host in hosts for page in range(3)])
    asked: list[str] = []
    while (url := talk.asks()) is not None:
        if talk.resolved(url, "192.0.2.1"):
            asked.append(url)
            talk.answered(url)

    assert len(asked) == 12
    for start in (0, 4, 8):
        assert len({url[:-1] for url in asked[start : start + 4]}) == 4


def test_a_silent_item_holds_up_others_of_its_server_but_not_of_its_host(crawl: Open) -> None:
    talk = crawl(min_delay=3)
    silent = "http://a.example:81/robots.txt"
    talk.found(silent, A + "1", A + "2", B + "1")
    assert talk.asks() == silent
    assert talk.resolved(silent, "192.0.2.1")
    assert talk.asks() == B + "1"
    assert not talk.resolved(B + "1", "192.0.2.1")
    assert talk.asks() is None

    talk.frontier.step_aside(talk.out[silent])

    assert talk.asks(at=1) == A + "1"
    assert talk.resolved(A + "1", "192.0.2.1", at=1)
    assert talk.asks(at=1) is None, "one at a time"
    talk.answered(A + "1", at=2)
    assert talk.asks(at=4) is None, "after its pause"
    assert talk.asks(at=5) == A + "2"
    talk.answered(A + "2", at=5)
    talk.answered(silent, Status.TIMEOUT, at=6, aside=True)
    assert talk.asks(at=9) == B + "1"


def test_what_is_held_back_comes_when_it_is_let_go_or_after_a_kill(crawl: Open) -> None:
    talk = crawl()
    held, other = "http://a.example:81/", A + "1"
    talk.found(held, other)
    assert talk.asks() == held
    assert talk.frontier.hold_back(talk.out[held], "http://a.example:81", BEGINNING)
    assert talk.asks_all() == [other]
    assert talk.frontier.counts.queued == 1
    talk.frontier.let_go("http://a.example:81")
    assert talk.asks() == held

    assert talk.frontier.hold_back(talk.out[held], "http://a.example:81", BEGINNING)
    talk.frontier.commit()
    talk.killed()
    assert talk.asks() == held


def test_a_queue_need_not_rest_from_silence_that_stands_aside(crawl: Open) -> None:
    talk = crawl(min_delay=3, delay_factor=5, max_delay=300)
    silent = "http://a.example:81/robots.txt"
    talk.found(silent, A + "1")
    assert talk.asks() == silent
    talk.answered(silent, Status.TIMEOUT, at=20, duration=20, aside=True)

    assert talk.asks(at=23) == A + "1"


def test_a_server_takes_as_many_at_once_as_the_order_says(crawl: Open) -> None:
    talk = crawl(parallel_server=2)
    talk.found(A, B, "http://c.example/")

    assert [talk.resolved(talk.asks() or "", "192.0.2.1") for _ in range(3)] == [True, True, False]


def test_a_server_can_rest_longer_than_a_queue(crawl: Open) -> None:
    talk = crawl(min_delay=1, server_min_delay=10)
    talk.found(A + "1", A + "2")
    url = talk.asks() or ""
    talk.resolved(url, "192.0.2.1")
    talk.answered(url)

    assert talk.asks(at=9.9) is None
    assert talk.asks(at=10) == A + "2"


def test_each_503_in_a_row_doubles_the_pause_and_an_answer_resets_it(crawl: Open) -> None:
    talk = crawl(min_delay=3)
    talk.found(*[A + str(number) for number in range(6)])
    now, pauses = 0.0, []
    for status in (503, 429, 503, 200, 503):
        url = talk.asks(at=now) or ""
        talk.resolved(url, "192.0.2.1", at=now)
        talk.answered(url, status, at=now)
        assert talk.asks(at=now) is None
        pauses.append((talk.wakes() or 0) - now)
        now = talk.wakes() or 0

    assert pauses == [6, 12, 24, 3, 6]


def test_retry_after_holds_every_host_of_the_server(crawl: Open) -> None:
    talk = crawl()
    talk.found(A + "1", A + "2", B + "1", B + "2")
    for _ in range(2):
        url = talk.asks() or ""
        talk.resolved(url, "192.0.2.1")
        talk.answered(url, 503 if url.startswith(A) else 200, retry_after=100 if url.startswith(A) else None)
        if url.startswith(A):
            break

    assert talk.asks(at=99) is None or not talk.resolved(B + "1", "192.0.2.1", at=99)
    assert talk.asks(at=100) is not None


def test_a_cap_on_bandwidth_stretches_the_pause(crawl: Open) -> None:
    talk = crawl(max_bytes_per_second=1000)
    talk.found(A + "1", A + "2")
    url = talk.asks() or ""
    talk.resolved(url, "192.0.2.1")
    talk.answered(url, size=10_000, at=2, duration=2)

    assert talk.asks(at=9.9) is None
    assert talk.asks(at=10) == A + "2"


def test_a_server_that_refuses_everything_is_listed_and_tried_seldom(crawl: Open) -> None:
    talk = crawl(min_delay=1)
    talk.found(*[A + str(number) for number in range(BLOCKED_AFTER + 2)])
    now = 0.0
    for _ in range(BLOCKED_AFTER):
        assert not talk.frontier.blocked_servers()
        url = talk.asks(at=now) or ""
        talk.resolved(url, "192.0.2.1", at=now)
        talk.answered(url, 403, at=now)
        now += 1

    (blocked,) = talk.frontier.blocked_servers()
    assert (blocked.address, blocked.refusals, blocked.last_status) == ("192.0.2.1", BLOCKED_AFTER, 403)
    assert talk.asks(at=now + 800) is None
    url = talk.asks(at=now + 900) or ""
    talk.resolved(url, "192.0.2.1", at=now + 900)
    talk.answered(url, 200, at=now + 900)
    assert not talk.frontier.blocked_servers()


def test_many_dead_ports_do_not_make_a_server_that_refuses(crawl: Open) -> None:
    talk = crawl(min_delay=1)
    dead = [f"http://a.example:{7000 + number}/" for number in range(BLOCKED_AFTER + 2)]
    talk.found(*dead, A)
    for now, url in enumerate(dead):
        assert talk.asks(at=now) == url
        talk.resolved(url, "192.0.2.1", at=now)
        talk.answered(url, Status.CONNECT_FAILED, at=now)

    assert not talk.frontier.blocked_servers()
    assert talk.asks(at=len(dead)) == A


def test_trouble_that_is_set_aside_lengthens_no_pause_of_the_server(crawl: Open) -> None:
    talk = crawl(min_delay=1)
    talk.found(A + "1", A + "2")
    item = talk.frontier.next(BEGINNING)
    assert item is not None
    talk.frontier.server(item, "192.0.2.1", BEGINNING)
    talk.frontier.finish(item, 503, 0, duration=0.0, now=BEGINNING, retry_after=500.0, aside=True)

    assert talk.asks(at=1) == A + "2"


def test_what_was_never_asked_of_the_server_costs_no_pause(crawl: Open) -> None:
    talk = crawl(min_delay=3)
    talk.found(A + "1", A + "2")

    talk.answered(talk.asks() or "", Status.ROBOTS_PRECLUDED)
    assert talk.asks() == A + "2"


def test_pauses_outlive_the_process(crawl: Open) -> None:
    talk = crawl(min_delay=30)
    talk.found(A + "1", A + "2")
    talk.answered(talk.asks() or "")
    talk.frontier.commit()
    talk.killed()

    assert talk.asks(at=29) is None
    assert talk.asks(at=30) == A + "2"


def test_the_hosts_of_a_domain_share_a_queue_but_not_a_server(crawl: Open) -> None:
    talk = crawl(by=QueueBy.DOMAIN, registries=("asso.fr",), parallel=2, parallel_server=1)
    talk.found("http://a.club.asso.fr/", "http://b.club.asso.fr/", "http://a.club.asso.fr/2")
    first, second = talk.asks() or "", talk.asks() or ""

    assert talk.resolved(first, "192.0.2.1") is True
    assert talk.resolved(second, "192.0.2.2") is True
    assert [queue.name for queue in talk.frontier.biggest(5)] == ["club.asso.fr"]
    assert talk.asks() is None


def test_queues_by_address_gather_the_hosts_of_a_server(crawl: Open) -> None:
    talk = crawl(by=QueueBy.ADDRESS, min_delay=3)
    talk.found(A + "1", A + "2", B + "1", B + "2")
    first, second = talk.asks() or "", talk.asks() or ""
    assert talk.resolved(first, "192.0.2.1") is True
    assert talk.resolved(second, "192.0.2.1") is False
    talk.found(B + "3")
    talk.answered(first)

    (queue,) = talk.frontier.biggest(5)
    assert (queue.name, queue.queued, queue.finished) == ("192.0.2.1", 4, 1)
    talk.frontier.commit()
    talk.killed()
    talk.found(A + "3")
    assert talk.frontier.biggest(5)[0].queued == 5
    assert talk.frontier.counts.queued == 5
    assert talk.frontier.wake() is None or talk.frontier.next(BEGINNING + 60) is not None


def test_a_host_that_joins_the_queue_of_its_address_hides_nothing_that_waits_there(crawl: Open) -> None:
    talk = crawl(by=QueueBy.ADDRESS)
    talk.found(A + "1", A + "2", B + "1")
    first, second = talk.asks() or "", talk.asks() or ""
    talk.resolved(first, "192.0.2.1")
    assert talk.resolved(second, "192.0.2.1") is False
    talk.answered(first)

    assert sorted(talk.asks_all()) == [A + "2", B + "1"]
