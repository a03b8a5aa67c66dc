"""One stretch of time: who loads the house meanwhile, what they saw, what it cost, what collectors stored."""

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.load import costs
from bench.load.generator import LAST_WAIT, Plan
from bench.load.house import Site


@dataclass(frozen=True)
class Stretch:
    seconds: float
    spent: Mapping[str, float]  # CPU seconds by kind of process
    captures: int
    stored_bytes: int
    told: Mapping[str, Any]  # by the generator; empty where there was none

    @property
    def generator_share(self) -> float:
        """Of one core. A generator that has none left measures itself."""
        return float(self.told["cpu"]) / self.seconds if self.told else 0.0


def quiet(site: Site, seconds: float) -> Stretch:
    """Collectors alone."""
    before, (captures, size), began = costs.spent(site), site.stored(), time.monotonic()
    time.sleep(seconds)
    after, (captures_after, size_after) = costs.spent(site), site.stored()
    taken = time.monotonic() - began
    return Stretch(taken, costs.between(before, after), captures_after - captures, size_after - size, {})


def loaded(site: Site, plan: Plan) -> Stretch:
    before, (captures, size) = costs.spent(site), site.stored()
    told = generate(plan, site.folder)
    after, (captures_after, size_after) = costs.spent(site), site.stored()
    spent = costs.between(before, after)
    return Stretch(told["seconds"], spent, captures_after - captures, size_after - size, told)


def generate(plan: Plan, folder: Path) -> dict[str, Any]:
    """Run the generator by the plan, as a process of its own."""
    file = folder / "plan.json"
    file.write_text(json.dumps(asdict(plan)))
    command = [sys.executable, "-m", "bench.load.generator", str(file)]
    ran = subprocess.run(  # noqa: S603
        command, capture_output=True, text=True, timeout=plan.seconds + 2 * LAST_WAIT, check=False
    )
    if ran.returncode:
        raise SystemExit(f"The generator failed:\n{ran.stderr[-3000:]}")
    told: dict[str, Any] = json.loads(ran.stdout)
    return told
