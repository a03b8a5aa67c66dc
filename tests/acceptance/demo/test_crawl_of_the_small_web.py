"""The crawler brings of the small web what `truth.py` says, by the names that a browser uses too."""

from pathlib import Path

import pytest

from armarium.demo.web import Edition, running, write_edition
from armarium.demo.web.building import whole_truth
from tests.acceptance.crawl.crawling import crawl


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Both editions with --all; the later one, which has all that the earlier one has, in every run."""
    editions = list(Edition) if metafunc.config.getoption("--all") else list(Edition)[-1:]
    metafunc.parametrize("edition", editions)


@pytest.mark.timeout(400)
def test_a_crawl_of_everything_brings_the_truth(tmp_path: Path, edition: Edition) -> None:
    write_edition(tmp_path, edition)
    with running(0, tmp_path) as web:
        seeds = [each.url("/", web.port) for each in whole_truth(edition)]
        log = crawl(tmp_path / "out", *seeds, "--delay", "0", timeout=300).log
    got = {columns[3]: int(columns[1]) for columns in log}

    for each in whole_truth(edition):
        wanted = {each.url(path, web.port): status for path, status in each.addresses.items()}
        assert {url: got.get(url) for url in wanted} == wanted
        assert all(got.get(each.url(path, web.port), -9998) == -9998 for path in each.forbidden)
        if each.trap:
            assert 1 < sum(each.url(each.trap, web.port) in url for url in got) < 60
