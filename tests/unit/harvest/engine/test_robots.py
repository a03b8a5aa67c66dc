"""The register of rules: who waits for which file, and what follows from what came."""

from pathlib import Path

import pytest

from armarium.core.crawl_order import RobotsPolicy
from armarium.harvest.engine.robots import LONGEST, RobotsRegister, RobotsStore, is_embed

ORIGIN = "http://example.org"
FILE = f"{ORIGIN}/robots.txt"
RULES = b"User-agent: *\nDisallow: /private\nCrawl-delay: 7\n"


def register(
    folder: Path, policy: RobotsPolicy = RobotsPolicy.OBEY, *, wanted: bool = True, patience: float = 300.0
) -> RobotsRegister:
    store = RobotsStore(folder / "robots.txt")
    return RobotsRegister(policy, "armarium", store, wanted=wanted, patience=patience)


def came(rules: RobotsRegister, status: int, content: bytes = b"", location: str = "") -> str | None:
    rules.expect(ORIGIN, FILE)
    return rules.arrived(FILE, status, location, content, 1000.0)


def test_nothing_is_known_until_the_file_has_come(tmp_path: Path) -> None:
    rules = register(tmp_path)
    assert rules.known(ORIGIN, 1000.0) is None
    rules.expect(ORIGIN, FILE)

    assert rules.awaited(ORIGIN)
    assert rules.is_awaited(FILE)
    assert rules.known(ORIGIN, 1000.0) is None


def test_a_server_of_embedded_files_is_not_asked_for_rules_that_do_not_count(tmp_path: Path) -> None:
    assert register(tmp_path, RobotsPolicy.IGNORE).known(ORIGIN, 1000.0, "LE") is not None
    assert register(tmp_path, RobotsPolicy.IGNORE_FOR_EMBEDS).known(ORIGIN, 1000.0, "LER") is not None
    assert register(tmp_path, RobotsPolicy.IGNORE).known(ORIGIN, 1000.0, "L") is None
    assert register(tmp_path).known(ORIGIN, 1000.0, "LE") is None


def test_rules_hold_for_a_day(tmp_path: Path) -> None:
    rules = register(tmp_path)
    assert came(rules, 200, RULES) is None
    known = rules.known(ORIGIN, 1000.0)

    assert known is not None
    assert known.crawl_delay == 7
    assert not rules.allows(known, f"{ORIGIN}/private/x", "L")
    assert rules.allows(known, f"{ORIGIN}/open", "L")
    assert rules.forbidden_by(known, f"{ORIGIN}/private/x") == "line 2: Disallow: /private"
    assert not rules.awaited(ORIGIN)
    assert rules.known(ORIGIN, 1000.0 + 86_399) is not None
    assert rules.known(ORIGIN, 1000.0 + 86_401) is None


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_a_file_that_is_not_there_forbids_nothing(tmp_path: Path, status: int) -> None:
    rules = register(tmp_path)
    came(rules, status, b"User-agent: *\nDisallow: /")
    known = rules.known(ORIGIN, 1000.0)

    assert known is not None
    assert rules.allows(known, f"{ORIGIN}/x", "L")


@pytest.mark.parametrize("status", [500, 503, -2, -4])
def test_a_file_out_of_reach_forbids_everything_for_a_while(tmp_path: Path, status: int) -> None:
    rules = register(tmp_path)
    came(rules, status)
    known = rules.known(ORIGIN, 1000.0)

    assert known is not None
    assert not known.reachable
    assert not rules.allows(known, f"{ORIGIN}/x", "L")
    assert rules.forbidden_by(known, f"{ORIGIN}/x") == "robots.txt is out of reach"
    assert rules.known(ORIGIN, 1301.0) is None, "then it is asked for again"


def test_a_file_out_of_reach_is_remembered_at_least_until_those_who_wait_have_learnt_it(
    tmp_path: Path,
) -> None:
    rules = register(tmp_path, patience=60.0)
    came(rules, 500)

    assert rules.known(ORIGIN, 1000.0 + 59) is not None


def test_whoever_asked_learns_that_it_is_out_of_reach_however_late(tmp_path: Path) -> None:
    rules = register(tmp_path, patience=60.0)
    rules.expect(ORIGIN, FILE, asker=f"{ORIGIN}/a")
    rules.arrived(FILE, 503, "", b"", 1000.0)
    late = 5000.0

    assert rules.known(ORIGIN, late, "L", f"{ORIGIN}/b") is None
    told = rules.known(ORIGIN, late, "L", f"{ORIGIN}/a")
    assert told is not None
    assert not told.reachable
    assert rules.known(ORIGIN, late, "L", f"{ORIGIN}/a") is None, "the next time it is asked for again"


def test_a_file_out_of_reach_is_asked_for_again_when_its_server_wants_it(tmp_path: Path) -> None:
    rules = register(tmp_path, patience=60.0)
    rules.expect(ORIGIN, FILE)
    rules.arrived(FILE, 503, "", b"", 1000.0, 900.0)

    assert rules.known(ORIGIN, 1899.0) is not None
    assert rules.known(ORIGIN, 1901.0) is None


def test_a_redirect_is_followed_on_behalf_of_all_who_wait(tmp_path: Path) -> None:
    rules = register(tmp_path)
    target = "http://www.example.org/robots.txt"
    other = "https://example.org"
    rules.expect(ORIGIN, FILE)
    rules.expect(other, f"{other}/robots.txt")

    assert rules.arrived(FILE, 301, target, b"", 1000.0) == target
    assert rules.arrived(f"{other}/robots.txt", 301, target, b"", 1000.0) == target
    assert rules.awaited(ORIGIN)
    assert rules.awaited(other)

    assert rules.arrived(target, 200, "", RULES, 1000.0) is None
    for origin in (ORIGIN, other):
        known = rules.known(origin, 1000.0)
        assert known is not None
        assert not rules.allows(known, f"{origin}/private", "L")


def test_redirects_in_a_circle_come_to_an_end(tmp_path: Path) -> None:
    rules = register(tmp_path)
    rules.expect(ORIGIN, FILE)
    url: str | None = FILE
    steps = 0
    while url is not None:
        url = rules.arrived(url, 302, "/there" if url == FILE else "/robots.txt", b"", 1000.0)
        steps += 1

    assert steps == 6
    assert rules.known(ORIGIN, 1000.0) is not None


@pytest.mark.parametrize("location", ["", "ftp://example.org/robots.txt", "http://", FILE])
def test_a_redirect_to_nowhere_is_none(tmp_path: Path, location: str) -> None:
    rules = register(tmp_path)

    assert came(rules, 302, b"", location) is None
    assert not rules.awaited(ORIGIN)
    assert rules.known(ORIGIN, 1000.0) is not None


def test_what_nobody_awaits_changes_nothing(tmp_path: Path) -> None:
    rules = register(tmp_path)

    assert rules.arrived(FILE, 200, "", RULES, 1000.0) is None
    assert rules.known(ORIGIN, 1000.0) is None


def test_where_robots_txt_is_ignored_it_is_read_only_for_its_sitemaps(tmp_path: Path) -> None:
    careless = register(tmp_path, RobotsPolicy.IGNORE, wanted=False)
    curious = register(tmp_path, RobotsPolicy.IGNORE, wanted=True)

    assert careless.known(ORIGIN, 0.0) is not None
    assert curious.known(ORIGIN, 0.0) is None
    came(curious, 500)
    known = curious.known(ORIGIN, 1000.0)
    assert known is not None
    assert curious.allows(known, f"{ORIGIN}/x", "L")


@pytest.mark.parametrize(
    ("hops", "embedded"),
    [
        ("", False),
        ("L", False),
        ("E", True),
        ("LE", True),
        ("LER", True),
        ("EL", False),
        ("X", True),
        ("LR", False),
    ],
)
def test_what_is_part_of_a_page(hops: str, *, embedded: bool) -> None:
    assert is_embed(hops) is embedded


def test_a_resumed_crawl_knows_the_rules(tmp_path: Path) -> None:
    came(register(tmp_path), 200, RULES)
    resumed = register(tmp_path)
    resumed.resume(2000.0, {FILE}.__contains__)
    known = resumed.known(ORIGIN, 2000.0)

    assert known is not None
    assert known.crawl_delay == 7
    assert resumed.known(ORIGIN, 1000.0 + 86_401) is None, "a resume makes nothing younger"


def test_rules_whose_capture_was_lost_are_asked_for_again(tmp_path: Path) -> None:
    came(register(tmp_path), 200, RULES)
    resumed = register(tmp_path)
    resumed.resume(2000.0, set[str]().__contains__)

    assert resumed.known(ORIGIN, 2000.0) is None


def test_a_file_out_of_reach_is_not_kept(tmp_path: Path) -> None:
    came(register(tmp_path), 500)
    resumed = register(tmp_path)
    resumed.resume(1000.0, {FILE}.__contains__)

    assert resumed.known(ORIGIN, 1000.0) is None


def test_a_line_that_was_cut_off_does_not_count(tmp_path: Path) -> None:
    came(register(tmp_path), 200, RULES)
    file = tmp_path / "robots.txt"
    whole = file.read_bytes()
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        assert list(RobotsStore(file).kept(0.0)) == [], f"cut at byte {length}"
    file.write_bytes(b"\xff\xfe garbage\n" + whole)
    assert len(list(RobotsStore(file).kept(0.0))) == 1


def test_a_line_after_one_that_was_cut_off_is_read(tmp_path: Path) -> None:
    came(register(tmp_path), 200, RULES)
    file = tmp_path / "robots.txt"
    file.write_bytes(file.read_bytes()[:-5])
    came(register(tmp_path), 200, RULES)

    assert len(list(RobotsStore(file).kept(0.0))) == 1


def test_a_very_long_file_is_asked_for_again(tmp_path: Path) -> None:
    came(register(tmp_path), 200, b"#" * (LONGEST + 1))

    assert list(RobotsStore(tmp_path / "robots.txt").kept(0.0)) == []
