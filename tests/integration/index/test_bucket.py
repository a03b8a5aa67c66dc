"""Runs in a bucket, on a real S3 server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.core.errors import Unavailable
from armarium.formats.cdx.query import Match, Query
from armarium.index.lookup import Lookup
from armarium.index.runs import MissingRun, Run, RunPlace, bucket, merge, open_run_place
from armarium.index.runs.facts import OtherRun
from tests.s3 import S3Server, running_s3
from tests.unit.index.captures import captures, write


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with running_s3(tmp_path_factory.mktemp("s3")) as running:
        yield running


@pytest.fixture
def place(server: S3Server, tmp_path: Path, request: pytest.FixtureRequest) -> RunPlace:
    location = f"s3://archive/index/{request.node.name}"
    return open_run_place(location, home=tmp_path, options=server.options, secrets=server.secrets)


def test_runs_are_published_read_merged_and_deleted(place: RunPlace, tmp_path: Path) -> None:
    lines = captures(5000)
    for name, part in (("a", lines[::2]), ("b", lines[1::2])):
        write(tmp_path / name, part)
        place.publish(name, tmp_path / name)
    runs = [Run(place, name) for name in sorted(place.names())]
    assert merge(runs, tmp_path / "merged") == write(tmp_path / "at-once", lines)
    place.publish("merged", tmp_path / "merged")
    place.delete("a")
    place.delete("a")
    assert sorted(place.names()) == ["b", "merged"]
    lookup = Lookup(lambda: [Run(place, "merged")])
    assert list(lookup.raw(Query(match=Match.RANGE))) == lines


def test_a_place_is_marked_beside_its_runs(place: RunPlace) -> None:
    assert not place.is_marked()
    place.mark()
    place.mark()
    assert place.is_marked()
    assert list(place.names()) == []


def test_a_run_that_was_deleted_is_missing(place: RunPlace) -> None:
    with pytest.raises(MissingRun):
        place.size("gone")
    with pytest.raises(MissingRun):
        place.read("gone", 0, 10)


@pytest.mark.parametrize("single", [0, 1 << 20])
def test_nothing_is_replaced(
    place: RunPlace, tmp_path: Path, single: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once, and in parts as large files are put."""
    monkeypatch.setattr(bucket, "SINGLE", single)
    write(tmp_path / "a", captures(500))
    write(tmp_path / "b", captures(500, seed=2))
    place.publish("run", tmp_path / "a")
    place.publish("run", tmp_path / "a")
    with pytest.raises(OtherRun):
        place.publish("run", tmp_path / "b")
    assert place.read("run", 0, place.size("run")) == (tmp_path / "a").read_bytes()


def test_a_server_that_is_away_is_told_as_such(server: S3Server, tmp_path: Path) -> None:
    options = {**server.options, "endpoint": "http://127.0.0.1:9"}
    away = open_run_place("s3://archive/x", home=tmp_path, options=options, secrets=server.secrets)
    with pytest.raises(Unavailable, match="s3://archive/x"):
        away.size("run")
