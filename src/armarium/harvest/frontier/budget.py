"""What a queue may spend, and what an outcome costs it."""

from typing import NamedTuple

from armarium.harvest.model import DISREGARDED

_FREE = frozenset(int(status) for status in DISREGARDED)


class Budget(NamedTuple):
    """None: no limit."""

    objects: int | None = None
    bytes: int | None = None

    def is_spent(self, objects: int, bytes_: int) -> bool:
        return (self.objects is not None and objects >= self.objects) or (
            self.bytes is not None and bytes_ >= self.bytes
        )

    def allows(self, objects: int, bytes_: int, in_flight: int) -> bool:
        """Whether one more may be taken while others are still under way."""
        return (self.objects is None or objects + in_flight < self.objects) and (
            self.bytes is None or bytes_ < self.bytes
        )


def is_success(status: int) -> bool:
    """A server answered, whatever it said, or a name was resolved."""
    return status > 0


def is_disregarded(status: int) -> bool:
    return status in _FREE


def cost(status: int, error_penalty: int) -> int:
    """In objects."""
    if is_disregarded(status):
        return 0
    return 1 if is_success(status) else 1 + error_penalty
