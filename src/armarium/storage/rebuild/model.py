"""What was found when the register was made anew from the replicas."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from armarium.core.message import Message, message
from armarium.core.text import storable
from armarium.storage.backends.place import Stranger, Sums
from armarium.storage.model import Replica
from armarium.storage.repairs.rules import Content
from armarium.storage.replicas.model import holds_bytes


@dataclass(frozen=True)
class Vote:
    """What one replica says of a file."""

    replica: Replica
    sums: Sums | None  # none: it has no copy, or cannot read it
    unreadable: bool = False
    error: str = ""
    content: Content | None = None  # None: all replicas say the same, so nobody had to look


@dataclass(frozen=True)
class Found:
    """A file that some replica has, with what all of them say of it."""

    name: str
    votes: tuple[Vote, ...]
    withdrawal: bytes | None = None  # a note in some replica that the file was withdrawn

    @property
    def checksums(self) -> Mapping[str, str | None]:
        return {vote.replica.name: vote.sums.sha256 if vote.sums else None for vote in self.votes}

    @property
    def agreed(self) -> bool:
        """Whether all replicas that were asked say the same, and more than one was."""
        said = set(self.checksums.values())
        return len(said) == 1 and None not in said and len(self.votes) > 1

    @property
    def contents(self) -> Mapping[str, Content]:
        return {vote.sums.sha256: vote.content for vote in self.votes if vote.sums and vote.content}


@dataclass(frozen=True)
class Trouble:
    name: str
    what: str


@dataclass
class Report:
    voters: tuple[Replica, ...] = ()
    met: int = 0  # files in any replica
    known: int = 0  # that were in the register
    clear: int = 0  # entered, as most replicas have them
    undecided: int = 0  # entered, and waiting for a person
    withdrawn: int = 0  # of those that were entered
    damaged: int = 0  # copies that differ, are missing or cannot be read
    strange: int = 0  # things in the replicas that are no copies, or lie where none belongs
    bytes: int = 0
    troubles: list[Trouble] = field(default_factory=list)  # the first of them

    MOST = 1000

    @property
    def doubtful(self) -> bool:
        """Whether a replica that nobody has added yet could say more."""
        return self.undecided > 0 or sum(holds_bytes(voter) for voter in self.voters) < 2

    def tell_strange(self, replica: str, stranger: Stranger) -> None:
        self.strange += 1
        self.tell(storable(stranger.key), f"In {replica}, where no copy belongs: it was passed over.")

    def tell(self, name: str, what: str) -> None:
        if len(self.troubles) < self.MOST:
            self.troubles.append(Trouble(name, what))


Progress = Callable[[Report], None]


def silent(_report: Report) -> None:
    """Nobody looks on."""


ACTIONS: dict[str, Message] = {
    "archive.adopted": message("Replicas of another archive adopted"),
    "register.rebuilt": message("Register rebuilt from the replicas"),
}
WORDS: dict[str, Message] = {
    "archive": message("Archive"),
    "register": message("Register"),
    "clear": message("Entered"),
    "undecided": message("Undecided"),
    "damaged": message("Damaged copies"),
}
