"""A reading room without a house: whoever has the files may see them, and nothing is counted."""

from armarium.access.model import OPEN, Collection, Decision, Reader
from armarium.access.requests.site import Caller, Guest
from armarium.formats.cdx import CdxLine


class OpenPolicy:
    def decide(self, reader: Reader, collection: Collection, line: CdxLine) -> Decision:  # noqa: ARG002
        return OPEN


class Everybody:
    def of(self, asking: Caller) -> Guest:  # noqa: ARG002
        return Guest(Reader(sees_everything=True))


class NoFigures:
    def note(
        self, kind: str, outcome: str, *, collection: str, reader: Reader, size: int = 0, domain: str = ""
    ) -> None:
        """Nobody asks for them."""


class NoLocks:
    def take(self, key: str, reader: Reader) -> bool:  # noqa: ARG002
        return True

    def release(self, reader: Reader, key: str | None = None) -> None:
        """None was taken."""
