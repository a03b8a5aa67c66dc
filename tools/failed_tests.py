"""A plug-in with which pytest runs those tests again, alone, that failed beside others.

`./test` loads it twice. With `--note-failed=FILE`, for the whole run in several processes, it writes into
FILE what failed. With `--only-failed=FILE`, for a second run in one process, it runs exactly that, lists what
passes now, and ends with one line about both runs. If FILE stays empty, a second run would tell nothing.

The options are given with `=`: pytest takes any other path among its arguments for a place of tests.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

MOST = 25  # more than that did not fail because the machine was busy
RESULTS = pytest.StashKey["Results"]()


@dataclass(frozen=True)
class Noted:
    """What the first run leaves for the second."""

    passed: int
    failed: list[str]  # node ids, in the order in which they failed


class Results:
    """The outcome of each test of one run; one that failed at its end only, in a fixture, has failed too."""

    def __init__(self) -> None:
        self.passed: set[str] = set()
        self.failed: dict[str, None] = {}  # in order
        self.unreadable = False  # a file with tests could not even be read

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed[report.nodeid] = None
        elif report.passed and report.when == "call":
            self.passed.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.unreadable |= report.failed

    @property
    def count(self) -> int:
        return len(self.passed - self.failed.keys())


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tests that failed beside others")
    group.addoption("--note-failed", type=Path, help="write into this file what failed")
    group.addoption("--only-failed", type=Path, help="run exactly what failed according to this file")


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):  # one of several processes: the first of them hears of everything
        return
    config.stash[RESULTS] = Results()
    config.pluginmanager.register(config.stash[RESULTS], "results of all tests")
    if noted := _noted(config):
        config.args = noted.failed  # the options stay as they are, what is collected is only this


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    results = session.config.stash.get(RESULTS, None)
    if results is None:
        return
    if noted := _noted(session.config):
        if exitstatus == pytest.ExitCode.OK and len(_flickering(noted, results)) < len(noted.failed):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED  # one that is skipped now has still only failed
    elif exitstatus == pytest.ExitCode.TESTS_FAILED:
        was_whole = not (session.shouldfail or session.shouldstop or results.unreadable)
        if was_whole and 0 < len(results.failed) <= MOST:
            file: Path = session.config.getoption("--note-failed")
            file.write_text(json.dumps(asdict(Noted(results.count, list(results.failed)))))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if not _noted(config) and len(config.stash[RESULTS].failed) > MOST:
        terminalreporter.line(
            f"More than {MOST} tests failed: that is no flicker; none is run again.", red=True
        )


def pytest_unconfigure(config: pytest.Config) -> None:
    """The last lines of all, about both runs: pytest's own is only about the second."""
    noted, results = _noted(config), config.stash.get(RESULTS, None)
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if not (noted and results and reporter):
        return
    flickering = _flickering(noted, results)
    if flickering:
        reporter.line("")
        reporter.line("failed beside others, passed alone: these flicker, mend them today:", yellow=True)
    for test in flickering:
        reporter.line(f"  {test}", yellow=True)
    reporter.line(f"{noted.passed + len(flickering)} passed, {len(noted.failed) - len(flickering)} failed")


def _noted(config: pytest.Config) -> Noted | None:
    file: Path | None = config.getoption("--only-failed")
    return Noted(**json.loads(file.read_text())) if file else None


def _flickering(noted: Noted, results: Results) -> list[str]:
    return [test for test in noted.failed if test in results.passed and test not in results.failed]
