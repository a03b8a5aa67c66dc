"""What somebody does wrong who has never used it: each mistake is answered in words that lead on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.harvest.crawl.terminal import armarium, said
from tests.integration.harvest.crawl.website import Website, page, website


@pytest.fixture
def site() -> Iterator[Website]:
    with website({"/": page()}) as site:
        yield site


def test_without_a_seed_an_example_is_shown(tmp_path: Path) -> None:
    done = armarium("crawl", "--out", tmp_path / "x")

    assert done.returncode != 0
    assert "There is no seed to begin with. Example: armarium crawl https://" in said(done)
    assert not (tmp_path / "x").exists()


def test_what_is_no_seed_is_refused_by_name_and_nothing_is_begun(site: Website, tmp_path: Path) -> None:
    wrong = ("ftp://127.0.0.1/", "http://", "/etc/passwd", "javascript:1")
    done = armarium("crawl", *wrong, site.address, "--out", tmp_path / "x")

    assert done.returncode == 2
    assert "These are no seeds, and nothing was begun:" in said(done)
    for one in wrong:
        assert f"{one}: " in said(done)
    assert not site.paths
    assert not (tmp_path / "x").exists()


def test_a_folder_with_a_crawl_in_it_is_not_begun_anew(site: Website, tmp_path: Path) -> None:
    armarium("crawl", site.address, "--out", tmp_path / "x", "--delay", "0", "--max-objects", "1")
    done = armarium("crawl", site.address, "--out", tmp_path / "x")

    assert done.returncode != 0
    assert f"armarium crawl --resume --out {tmp_path / 'x'}" in said(done)


def test_an_empty_folder_cannot_be_resumed(tmp_path: Path) -> None:
    done = armarium("crawl", "--resume", "--out", tmp_path)

    assert done.returncode != 0
    assert "holds no crawl: there is no order.json in it. Begin one with: armarium crawl" in said(done)
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


def test_resume_takes_no_seeds(tmp_path: Path) -> None:
    done = armarium("crawl", "http://127.0.0.1/", "--resume", "--out", tmp_path)

    assert done.returncode != 0
    assert "--resume goes on with the order in the folder" in said(done)


def test_a_wrong_key_in_a_profile_is_named_with_what_was_meant(tmp_path: Path) -> None:
    profile = tmp_path / "profile.toml"
    profile.write_text("[politeness]\nmin_dealy = 1\n[limits]\nmax_objects = -4\n")
    done = armarium("crawl", "http://127.0.0.1/", "--out", tmp_path / "x", "--profile", profile)

    assert done.returncode != 0
    assert "politeness.min_dealy: there is no such key. Did you mean “min_delay”" in said(done)
    assert "limits.max_objects" in said(done), "all that is wrong is said at once"
    assert not (tmp_path / "x" / "order.json").exists()


def test_a_wrong_scope_is_answered_with_those_there_are(tmp_path: Path) -> None:
    done = armarium("crawl", "http://127.0.0.1/", "--out", tmp_path / "x", "--scope", "hots")

    assert done.returncode != 0
    assert "There is no scope 'hots'. There are: page, page+N, path, host, domain, any" in said(done)


UNNOTICED = {
    "proxy": '[fetching]\nproxy = "gopher://x"',
    "name server": '[fetching]\ndns_servers = ["nobody"]',
    "network": '[fetching]\ndenied_ranges = ["everything"]',
    "filter": '[scope]\nreject = ["("]',
    "index": '[recording]\ndigest_index = ["nowhere.cdxj"]',
    "cookies": '[fetching]\ncookie_file = "nowhere"',
    "authorities": '[fetching]\ntls_authorities = "nowhere"',
    "template": '[recording]\ntemplate = "{nothing}"',
}
SETTINGS = {
    "seeds": 'seeds = ["http://127.0.0.1/"]',
    "a seed": 'seeds = "http://127.0.0.1/"',
    "no seed": "seeds = 3",
    "bad seed": '[[seeds]]\nurl = "not an address"',
}


@pytest.mark.parametrize("setting", [*SETTINGS.values(), *UNNOTICED.values()])
def test_a_setting_that_cannot_be_used_is_refused_in_words_and_nothing_is_begun(
    tmp_path: Path, setting: str
) -> None:
    profile = tmp_path / "profile.toml"
    profile.write_text(f"{setting}\n[retries]\nattempts = 1\n")
    done = armarium("crawl", "http://127.0.0.1:9/", "--out", tmp_path / "x", "--profile", profile, "-q")

    assert done.returncode != 0
    assert len(said(done)) > 20
    assert not (tmp_path / "x" / "order.json").exists(), "the same command must work once it is corrected"


@pytest.mark.parametrize("command", [("crawl", "http://127.0.0.1/", "--out"), ("harvest", "status")])
def test_a_file_in_the_place_of_a_folder_is_refused_in_words(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "file").write_text("")
    done = armarium(*command, tmp_path / "file")

    assert done.returncode != 0
    assert str(tmp_path / "file") in said(done)


def test_a_profile_that_is_not_there_or_no_toml_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("= 1")
    for name, reason in (("none.toml", "There is no profile"), ("bad.toml", "is no TOML")):
        words = ("crawl", "http://127.0.0.1/", "--out", tmp_path / "x", "--profile", tmp_path / name)
        done = armarium(*words)
        assert done.returncode != 0
        assert reason in said(done)


def test_a_crawl_that_got_nothing_has_another_exit_code(tmp_path: Path) -> None:
    profile = tmp_path / "profile.toml"
    profile.write_text("[retries]\nattempts = 1\n")
    done = armarium("crawl", "http://127.0.0.1:9/", "--out", tmp_path / "x", "--profile", profile)

    assert done.returncode == 1
    assert "Captured 0" in said(done)
    assert "No seed was harvested. http://127.0.0.1:9/: robots.txt of its server cannot be had." in said(done)
