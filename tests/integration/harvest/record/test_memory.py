"""A download larger than memory is recorded in constant memory."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[4]
SCRIPT = """
import resource, sys
from pathlib import Path
from tests.unit.harvest.record.exchanges import exchange, message
from tests.unit.harvest.record.recording import LINKED, recorder

folder = Path(sys.argv[1])
writing = recorder(folder)
capture = exchange(folder, message(b"x" * 2_000_000))
for _ in range(100):
    capture.response.add(bytes(1_000_000))
writing.record(capture, item_facts=LINKED)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(150):
    capture.response.add(bytes(1_000_000))
recorded = writing.record(capture, item_facts=LINKED)
writing.close()
assert recorded.length > 250_000_000
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_a_larger_response_needs_no_more_memory(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 8_000  # KB; the response grew by 150,000
