"""A plug-in with which pytest repeats, just above its last line, the checks that failed before the tests.

`./test` loads it only then: otherwise a green last line would hide that something else must be mended.
"""

import os

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section("checks that failed before the tests", red=True, bold=True)
    for check in os.environ["ARMARIUM_TEST_FAILED_CHECKS"].splitlines():
        terminalreporter.line(f"FAILED {check}", red=True)
