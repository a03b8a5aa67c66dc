"""What must be true when all is over."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from armarium.storage.backends.checksums import BOTH, written
from armarium.storage.backends.transfer import digest_pieces
from armarium.storage.files.copies import NoGoodCopy
from tests.acceptance.storage.archive import HOLDERS, REPLICAS, Archive
from tests.acceptance.storage.damage import Damage, Fate, Hurt, sha256
from tests.acceptance.storage.shelves import Mark, key_of, prefix_of

FOLDERS = ("one", "two", "sums")  # can be looked into at any time


@dataclass
class Witness:
    """Looks into the folders again and again: what once has a name keeps it, and is never written anew."""

    archive: Archive
    seen: dict[tuple[str, str], Mark] = field(default_factory=dict)
    faults: set[str] = field(default_factory=set)
    looked: float = 0.0

    def look_again(self) -> None:
        """Once a second: there may be many."""
        if time.monotonic() - self.looked >= 1:
            self.look()
            self.looked = time.monotonic()

    def look(self) -> None:
        for replica in FOLDERS:
            found = self.archive.shelves[replica].marks(prefix_of(replica))
            for key, mark in found.items():
                if self.seen.setdefault((replica, key), mark) != mark:
                    self.faults.add(f"{key} was written anew in {replica}")
            gone = {key for where, key in self.seen if where == replica} - set(found)
            self.faults |= {f"{key} is gone from {replica}" for key in gone}


def unread(archive: Archive, truth: Mapping[str, bytes], names: Iterable[str], folder: Path) -> list[str]:
    """Files of which wrong bytes are given out, or none although a good copy is there."""
    folder.mkdir(exist_ok=True)
    found = []
    for name in names:
        target = folder / name
        good = [
            replica
            for replica in HOLDERS
            if archive.shelves[replica].read(key_of(replica, name)) == truth[name]
        ]
        try:
            archive.house.storage.reader.fetch(name, target)
        except NoGoodCopy:
            if good or target.exists():
                found.append(f"{name} was not given out, and is well in {good}")
            continue
        if target.read_bytes() != truth[name]:
            found.append(f"{name} was given out with wrong bytes")
        target.unlink()
    return found


@dataclass
class Proof:
    archive: Archive
    truth: Mapping[str, bytes]
    damage: Damage
    marks: dict[tuple[str, str], Mark] = field(default_factory=dict)  # of copies that are well
    figures: Counter[str] = field(default_factory=Counter)
    last_check: int = 0  # before the damage
    now: dict[tuple[str, str], bytes | None] = field(default_factory=dict)  # what lies in the replicas

    # After storing

    def faults_of_storing(self, witness: Witness) -> list[str]:
        witness.look()
        found = sorted(witness.faults)
        for replica in REPLICAS:
            shelf = self.archive.shelves[replica]
            keys = set(shelf.marks(prefix_of(replica)))
            wanted = {key_of(replica, name) for name in self.truth}
            found += [f"{key} lies in {replica}, and nobody knows it" for key in keys - wanted]
            found += [f"{key} is not in {replica}" for key in wanted - keys]
            found += [f"{key} lies aside in {replica}" for key in shelf.marks("aside")]
            if replica in HOLDERS:
                found += [
                    f"{name} is not what it was in {replica}"
                    for name, content in self.truth.items()
                    if shelf.read(key_of(replica, name)) != content
                ]
        found += [f"{path.name} was not cleared away" for path in (self.archive.home / "arrivals").iterdir()]
        return found + self._events_of_storing()

    def _events_of_storing(self) -> list[str]:
        rows = self.archive.ask(
            "SELECT e.kind, count(*) AS number FROM storage_event e WHERE e.file IS NOT NULL GROUP BY e.kind"
        )
        figures = {row["kind"]: row["number"] for row in rows}
        wanted = dict.fromkeys(("registered", "stored", "cleaned"), len(self.truth))
        found = [] if figures == wanted else [f"events of storing: {figures}, not {wanted}"]
        if not self._away():
            found.append("nobody noticed that the bucket was away")
        checks = self._count("SELECT outcome FROM file_check", "outcome")
        if set(checks) != {"ok"}:
            found.append(f"checks of storing: {dict(checks)}")
        return found

    # After the damage

    def begin(self) -> None:
        """Remember what is well now; whatever is not stays remembered by the damage."""
        for replica in REPLICAS:
            marks = self.archive.shelves[replica].marks(prefix_of(replica))
            for name in self.truth:
                if (replica, name) not in self.damage.done:
                    self.marks[replica, name] = marks[key_of(replica, name)]
        self.last_check = self.archive.number("SELECT max(id) FROM file_check")

    def faults(self) -> list[str]:
        for replica in REPLICAS:
            shelf = self.archive.shelves[replica]
            self.now |= {(replica, name): shelf.read(key_of(replica, name)) for name in self.truth}
        self._repairs = self._rows("SELECT * FROM repair")
        self._events = self._rows("SELECT * FROM storage_event WHERE details ? 'repair'")
        return [
            *self._of_checks(),
            *self._of_good_copies(),
            *self._of_hurt_copies(),
            *self._of_asides(),
            *self._of_events(),
            *self._of_people(),
            *unread(self.archive, self.truth, self.truth, self.archive.folder / "read"),
        ]

    @property
    def told(self) -> str:
        return ", ".join(f"{number} {what}" for what, number in sorted(self.figures.items()))

    def _away(self) -> int:
        """How often somebody noticed that the bucket is away."""
        return self.archive.number(
            "SELECT count(*) FROM storage_event e JOIN replica r ON r.id = e.replica"
            " WHERE e.kind = 'away' AND r.name = 'far'"
        )

    def _right(self, replica: str, name: str) -> bytes:
        """What has to lie there, every byte of it."""
        content = self.truth[name]
        return content if replica in HOLDERS else written(name, digest_pieces([content], BOTH))

    def _is_whole(self, replica: str, name: str) -> bool:
        return self.now[replica, name] == self._right(replica, name)

    def _rows(self, query: str) -> dict[tuple[str, str], list[dict[str, Any]]]:
        """By replica and name."""
        found = defaultdict(list)
        for row in self.archive.ask(
            f"SELECT t.*, r.name AS place, f.name AS name FROM ({query}) t"
            " JOIN replica r ON r.id = t.replica JOIN stored_file f ON f.id = t.file ORDER BY t.id"
        ):
            found[row["place"], row["name"]].append(row)
        return found

    def _count(self, query: str, column: str) -> Counter[str]:
        return Counter(row[column] for row in self.archive.ask(query))

    def _of_checks(self) -> list[str]:
        """Every copy was read since, every damage found, and nothing else called damage."""
        checks = self._rows(f"SELECT * FROM file_check WHERE id > {self.last_check}")
        found = []
        for replica in REPLICAS:
            for name in self.truth:
                rows = checks[replica, name]
                bad = {row["outcome"] for row in rows} - {"ok"}
                hurt = self.damage.done.get((replica, name))
                if hurt is None and bad:
                    found.append(f"{name} is well in {replica}, and was called {bad}")
                if hurt is not None and hurt.outcome not in bad:
                    found.append(f"{name} is {hurt.harm} in {replica}, and that was not found: {bad}")
                if not any(row["kind"] == "checksum" for row in rows):
                    found.append(f"{name} was not read in {replica}")
        self.figures["checks"] = sum(map(len, checks.values()))
        return found

    def _of_good_copies(self) -> list[str]:
        """What was well has the same bytes, and nobody has written them again."""
        found = []
        for replica in REPLICAS:
            shelf = self.archive.shelves[replica]
            marks = shelf.marks(prefix_of(replica))
            for name in self.truth:
                before = self.marks.get((replica, name))
                if before is not None and marks.get(key_of(replica, name)) != before:
                    found.append(f"{name} was well in {replica}, and was touched")
                if before is not None and not self._is_whole(replica, name):
                    found.append(f"{name} was well in {replica}, and is not any more")
        return found

    def _of_hurt_copies(self) -> list[str]:
        """Restored where there is a majority, else left as it was."""
        found = []
        for (replica, name), hurt in self.damage.done.items():
            fate, whole = self.damage.fate(name), self._is_whole(replica, name)
            states = [row["state"] for row in self._repairs[replica, name]]
            self.figures["copies restored" if whole else "copies left for people"] += 1
            if fate is Fate.RESTORED and not whole:
                found.append(f"{name} has a majority, and was not restored in {replica}: {states}")
            if fate is Fate.WAITS and whole:
                found.append(f"{name} has no majority, and was changed in {replica}: {states}")
            if not whole and self.now[replica, name] != hurt.now:
                found.append(f"{name} is neither whole nor as it was damaged in {replica}: {states}")
            if states.count("done" if whole else "undecided") != 1 or states.count("undecided") > (not whole):
                found.append(f"{name} in {replica} has repairs {states}")
        strange = set(self._repairs) - set(self.damage.done)
        void = [key for key in strange if any(row["state"] != "void" for row in self._repairs[key])]
        return found + [f"{key} was repaired, and nothing was wrong with it" for key in void]

    def _of_asides(self) -> list[str]:
        """Every bad copy that made room lies aside with its bytes, and nothing else does."""
        found = []
        for replica in REPLICAS:
            shelf = self.archive.shelves[replica]
            there = Counter(sha256(shelf.read(key) or b"") for key in shelf.marks("aside"))
            wanted = Counter(sha256(hurt.now) for hurt in self._moved(replica) if hurt.now is not None)
            self.figures["bad copies aside"] += there.total()
            if there != wanted:
                found.append(f"aside in {replica} lie {there - wanted}, and {wanted - there} do not")
        return found

    def _moved(self, replica: str) -> list[Hurt]:
        done = self.damage.done.items()
        return [hurt for (where, name), hurt in done if where == replica and self._is_whole(where, name)]

    def _of_events(self) -> list[str]:
        """Each action has its event, and says where the bad copy is."""
        found = []
        for (replica, name), hurt in self.damage.done.items():
            rows = self._events[replica, name]
            kinds = Counter(row["kind"] for row in rows)
            wanted = {"repair-proposed"}
            if self._is_whole(replica, name):
                wanted |= {"repair-begun", "repaired"} | ({"aside"} if hurt.now is not None else set())
            else:
                wanted |= {"repair-undecided"}
            if not wanted <= set(kinds) or kinds["repaired"] > 1:
                found.append(f"{name} in {replica} has events {dict(kinds)}, not {wanted}")
            for row in rows:
                if row["kind"] == "aside":
                    content = self.archive.shelves[replica].read(row["details"]["key"])
                    if content is None or content != hurt.now:
                        found.append(f"{row['details']['key']} in {replica} is not the bad copy of {name}")
        return found

    def _of_people(self) -> list[str]:
        """Somebody was called to whatever waits for a decision."""
        keys = self._count("SELECT key FROM notification", "key")
        waiting = self.archive.ask(
            "SELECT DISTINCT r.id, r.name FROM repair p JOIN replica r ON r.id = p.replica"
            " WHERE p.state = 'undecided'"
        )
        self.figures |= {"notifications": keys.total(), "absences of the bucket noticed": self._away()}
        self.figures["tasks lost their worker"] = self.archive.log.count('"task lost its worker"')
        return [
            f"nobody was called to {row['name']}"
            for row in waiting
            if not keys[f"repairs-undecided:{row['id']}"]
        ]
