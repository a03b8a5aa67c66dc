"""Whether a process can do its work: named checks, each passing or giving its reason."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from armarium.core.errors import ArmariumError

# A check passes by returning, and fails by raising an ArmariumError with the reason: `Database.check` is one.
Check = Callable[[], object]


@dataclass(frozen=True)
class Readiness:
    checks: Mapping[str, str | None]  # the reason of each that failed

    @property
    def ready(self) -> bool:
        return not any(self.checks.values())

    def as_json(self) -> dict[str, object]:
        return {"ready": self.ready, "checks": {name: reason or "ok" for name, reason in self.checks.items()}}


def examine(checks: Mapping[str, Check]) -> Readiness:
    return Readiness({name: _failure(check) for name, check in checks.items()})


def _failure(check: Check) -> str | None:
    try:
        check()
    except ArmariumError as error:
        return str(error) or type(error).__name__
    return None
