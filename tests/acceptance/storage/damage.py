"""Damage chosen by chance and remembered, and what follows from it by the rule of the vote."""

import hashlib
import random
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from armarium.storage.backends.checksums import written
from armarium.storage.backends.place import Sums
from tests.acceptance.storage.archive import HOLDERS, REPLICAS
from tests.acceptance.storage.shelves import Shelf, key_of

SHARE = 0.45  # of the files are damaged somewhere
MISSING, CORRUPT, UNREADABLE = "missing", "corrupt", "unreadable"


class Harm(StrEnum):
    FLIPPED = "flipped"  # one bit
    REMOVED = "removed"
    CUT = "cut"
    SWAPPED = "swapped"  # with the copy of another file
    FALSE = "false"  # other bytes, the same in every replica that is hurt so; a false note in the witness


class Fate(StrEnum):
    RESTORED = "restored"
    WAITS = "waits"  # for a person
    EITHER = "either"  # it is clear only as long as the bucket, whose vote is false, is away


H = Harm
#: So that nothing depends on luck: a bad copy each, a majority in spite of two, ties, and none left.
RECIPES: tuple[dict[str, Harm], ...] = (
    {"one": H.FLIPPED},
    {"two": H.REMOVED},
    {"far": H.FLIPPED},
    {"far": H.REMOVED},
    {"sums": H.FALSE},
    {"sums": H.FLIPPED},
    {"one": H.CUT, "far": H.CUT},
    {"one": H.REMOVED, "two": H.REMOVED},
    {"one": H.FLIPPED, "two": H.REMOVED, "sums": H.REMOVED},
    {"one": H.FALSE, "two": H.FALSE, "sums": H.FLIPPED},
    {"two": H.FALSE, "far": H.REMOVED, "sums": H.FALSE},
    {"one": H.FALSE, "two": H.FALSE, "far": H.FALSE},
    {"one": H.REMOVED, "two": H.REMOVED, "far": H.REMOVED},
    {"one": H.FLIPPED, "two": H.REMOVED, "far": H.REMOVED},
    {"one": H.SWAPPED, "two": H.SWAPPED, "far": H.SWAPPED},
)


@dataclass(frozen=True)
class Hurt:
    """A copy that is not what it was."""

    name: str
    replica: str
    harm: Harm
    now: bytes | None  # None: there is nothing
    outcome: str  # which a check has to find
    vote: str | None  # that the replica casts from now on


@dataclass
class Damage:
    truth: Mapping[str, bytes]
    shelves: Mapping[str, Shelf]
    chance: random.Random
    done: dict[tuple[str, str], Hurt] = field(default_factory=dict)  # by replica and name

    def strike(self) -> None:
        names = sorted(self.truth)
        chosen = self.chance.sample(names, max(len(RECIPES) + 5, round(SHARE * len(names))))
        for place, name in enumerate(chosen):
            recipe = RECIPES[place] if place < len(RECIPES) else self._recipe()
            for replica, harm in recipe.items():
                if (replica, name) not in self.done:
                    self._hurt(replica, name, harm, chosen[len(RECIPES) :])

    def _recipe(self) -> dict[str, Harm]:
        replicas = self.chance.sample(REPLICAS, self.chance.choice((1, 1, 1, 1, 2, 2, 3, 4)))
        return {replica: self.chance.choice(list(Harm)) for replica in replicas}

    def _hurt(self, replica: str, name: str, harm: Harm, others: list[str]) -> None:
        key, shelf = key_of(replica, name), self.shelves[replica]
        content = shelf.read(key)
        assert content is not None, f"{key} is not in {replica} before anything was done to it"
        if harm is Harm.SWAPPED:
            whole = [other for other in others if other != name and (replica, other) not in self.done]
            if whole:
                self._swap(replica, name, self.chance.choice(whole))
                return
            harm = Harm.FLIPPED
        if harm is Harm.REMOVED:
            shelf.remove(key)
            self._remember(replica, name, harm, None)
            return
        changed = self._changed(replica, name, harm, content)
        shelf.write(key, changed)
        self._remember(replica, name, harm, changed)

    def _swap(self, replica: str, one: str, other: str) -> None:
        shelf, keys = self.shelves[replica], (key_of(replica, one), key_of(replica, other))
        contents = [shelf.read(key) for key in keys]
        for name, key, content in zip((one, other), keys, reversed(contents), strict=True):
            assert content is not None
            shelf.write(key, content)
            self._remember(replica, name, Harm.SWAPPED, content)

    def _changed(self, replica: str, name: str, harm: Harm, content: bytes) -> bytes:
        if harm is Harm.CUT:
            return content[: self.chance.randrange(len(content))]
        if harm is Harm.FLIPPED:
            changed = bytearray(content)
            changed[self.chance.randrange(len(content))] ^= 1 << self.chance.randrange(8)
            return bytes(changed)
        false = self.truth[name][::-1]  # as long as the true ones
        if replica in HOLDERS:
            return false
        return written(name, Sums(len(false), sha256(false), "0" * 64))

    def _remember(self, replica: str, name: str, harm: Harm, now: bytes | None) -> None:
        vote, outcome = None, MISSING
        if now is not None and replica in HOLDERS:
            vote, outcome = sha256(now), CORRUPT
        elif now is not None and harm is Harm.FALSE:
            vote, outcome = sha256(self.truth[name][::-1]), CORRUPT
        elif now is not None:
            outcome = UNREADABLE  # the note does not agree with itself, or with its name
        self.done[replica, name] = Hurt(name, replica, harm, now, outcome, vote)

    # What follows

    @property
    def names(self) -> set[str]:
        return {name for _, name in self.done}

    def fate(self, name: str) -> Fate:
        if self._is_clear(name, REPLICAS):
            return Fate.RESTORED
        without = [replica for replica in REPLICAS if replica != "far"]
        return Fate.EITHER if self._is_clear(name, without) else Fate.WAITS

    def _is_clear(self, name: str, voters: Collection[str]) -> bool:
        """Counted here once more, and not by the rule that is put to the test."""
        true, false = sha256(self.truth[name]), sha256(self.truth[name][::-1])
        votes = {replica: self._vote(replica, name, true) for replica in voters}
        held = {votes[replica] for replica in voters if replica in HOLDERS}
        cast = Counter(vote for vote in [*votes.values(), true] if vote is not None)
        if false in held:
            del cast[false]  # nobody can read these bytes, and the true ones can be read
        others = max((count for vote, count in cast.items() if vote != true), default=0)
        return true in held and cast[true] > others

    def _vote(self, replica: str, name: str, true: str) -> str | None:
        hurt = self.done.get((replica, name))
        return hurt.vote if hurt else true

    @property
    def told(self) -> str:
        harms = Counter(f"{hurt.harm.value} in {hurt.replica}" for hurt in self.done.values())
        fates = Counter(self.fate(name).value for name in self.names)
        return f"{len(self.done)} copies of {len(self.names)} files: {_list(harms)}; fates: {_list(fates)}"


def _list(figures: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {what}" for what, number in sorted(figures.items()))


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
