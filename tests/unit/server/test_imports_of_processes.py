"""Each process imports what it needs: everything waits for the supervisor, and a worker has no pages."""

import subprocess
import sys

import pytest

PAGES = {"fastapi", "jinja2", "armarium.server.site_sections"}
HOUSE = {"armarium.server.assembly", "pyarrow", "ldap3", "xlsxwriter"}


@pytest.mark.parametrize(
    ("module", "without"),
    [
        ("armarium.cli.processes", PAGES | HOUSE | {"sqlalchemy"}),
        ("armarium.server.up", PAGES | HOUSE),
        ("armarium.server.background", PAGES),
        ("armarium.server.task_kinds", PAGES),
        ("armarium.cli.services", PAGES | {"procrastinate", "armarium.planning.harvests.service"}),
        ("armarium.cli.overview", PAGES),
        ("armarium.server.access", {"armarium.server.site_sections"}),
    ],
)
def test_a_process_imports_only_what_it_needs(module: str, without: set[str]) -> None:
    probe = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert module in done.stdout.split()
    assert not without & set(done.stdout.split())
