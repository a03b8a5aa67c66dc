"""A plug-in with which pytest ends by saying what the tests cost the processor: each level, then the dearest.

The time of a test is that of its process and of all below it, such as PostgreSQL and the parts of Chromium;
what fixtures do counts with the test that made or ended them.
"""

import os
import resource
from collections import defaultdict
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path, PurePath

import pytest

DEAREST = 20
COST = "processor_seconds"  # of a report: own and those of children
COSTS = pytest.StashKey["Costs"]()
TICKS = os.sysconf("SC_CLK_TCK")  # of a second
SPENT = pytest.StashKey[tuple[float, float]]()  # when the last report was made


class Costs:
    """What was reported of each test, by all processes that run tests."""

    def __init__(self) -> None:
        self.own: defaultdict[str, float] = defaultdict(float)
        self.children: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        own, children = getattr(report, COST, (0.0, 0.0))
        self.own[report.nodeid] += own
        self.children[report.nodeid] += children

    def by_level(self) -> dict[str, list[str]]:
        levels: dict[str, list[str]] = {}
        for test in self.own:
            levels.setdefault(_level(test), []).append(test)
        return dict(sorted(levels.items()))

    def dearest(self) -> list[tuple[float, str]]:
        return sorted(((self.own[test] + self.children[test], test) for test in self.own), reverse=True)[
            :DEAREST
        ]


def _level(test: str) -> str:
    """The folder in tests/ that it lies in."""
    _, *folders = PurePath(test.split("::")[0]).parent.parts
    return folders[0] if folders else "tests"


def spent() -> tuple[float, float]:
    """Seconds of the processor: of this process, and of all below it."""
    own, ended = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime, ended.ru_utime + ended.ru_stime + sum(map(_living, _children("self")))


def _living(process: str) -> float:
    """Seconds of this process, of those below it, and of all of them that ended."""
    with suppress(OSError):  # it ended just now
        times = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:15]
        return sum(map(int, times)) / TICKS + sum(map(_living, _children(process)))
    return 0.0


def _children(process: str) -> list[str]:
    """None where there is no such folder, as outside of Linux."""
    found: list[str] = []
    with suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            found += (thread / "children").read_text().split()
    return found


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    now = spent()
    before = item.config.stash.get(SPENT, now)
    item.config.stash[SPENT] = now
    # What nobody waited for at its end took its time with it.
    setattr(report, COST, tuple(max(0.0, after - then) for after, then in zip(now, before, strict=True)))
    return report


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SPENT] = spent()
    if not hasattr(config, "workerinput"):  # one of several processes tells the first of them
        config.stash[COSTS] = Costs()
        config.pluginmanager.register(config.stash[COSTS], "costs of all tests")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    costs = config.stash[COSTS]
    terminalreporter.section("processor time")
    for level, tests in costs.by_level().items():
        own, children = (sum(map(which.__getitem__, tests)) / 60 for which in (costs.own, costs.children))
        spent_by_all = f"{own + children:6.1f} min, of these {children:5.1f} in children"
        terminalreporter.line(f"{level:13} {len(tests):6} tests {spent_by_all}")
    terminalreporter.line(f"The {DEAREST} dearest, in seconds:")
    for seconds, test in costs.dearest():
        terminalreporter.line(f"{seconds:8.1f}  {test}")
