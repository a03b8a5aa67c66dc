"""Where a crawl keeps the facts that it must know when it is resumed."""

from typing import Protocol


class Memory(Protocol):
    """The frontier: facts are committed together with what they speak of."""

    def remember(self, name: str, value: str | int) -> None: ...
    def recall(self, name: str) -> str | int | None: ...
