"""Bytes that were changed from behind Armarium's back, and whether they are well again."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.acceptance.planning.archive import Archive

REPLICAS = ("one", "two")
#: Files of which every copy should be well now, and nobody is at any of them.
QUIET = """
    SELECT f.id, f.name, f.size, f.sha256 FROM stored_file f WHERE f.state = 'stored' AND f.size > 0
    AND NOT EXISTS (SELECT FROM repair r WHERE r.file = f.id AND r.state NOT IN ('done', 'void', 'refused'))
    AND (SELECT count(*) FROM file_copy c WHERE c.file = f.id AND c.state = 'accepted') >= 2
    ORDER BY f.id
"""
ANSWERING = "SELECT id, name, kind, sha256 FROM index_run WHERE state IN ('live', 'standing') ORDER BY id"


@dataclass(frozen=True)
class HurtCopy:
    file: int
    name: str
    sha256: str
    replica: str
    how: str


@dataclass
class HurtRun:
    run: int
    name: str
    sha256: str
    how: str
    healed: Callable[[], None]


@dataclass
class Harm:
    archive: Archive
    runs_folder: Path
    copies: list[HurtCopy] = field(default_factory=list)
    runs: list[HurtRun] = field(default_factory=list)
    arrivals: list[str] = field(default_factory=list)  # names
    _open_copies: list[HurtCopy] = field(default_factory=list)
    _open_runs: list[HurtRun] = field(default_factory=list)

    # Copies

    def copy(self, file: dict[str, Any], replica: str) -> Path:
        return self.archive.copies(file["name"])[REPLICAS.index(replica)]

    def harmless(self) -> list[dict[str, Any]]:
        """Files that may be hurt: one copy stays."""
        hurt = {one.file for one in self.open_copies()}
        return [row for row in self.archive.ask(QUIET) if row["id"] not in hurt]

    def is_whole(self, file: dict[str, Any]) -> bool:
        return all(digest(path) == file["sha256"] for path in self.archive.copies(file["name"]))

    def remember_copy(self, file: dict[str, Any], replica: str, how: str) -> None:
        hurt = HurtCopy(file["id"], file["name"], file["sha256"], replica, how)
        self.copies.append(hurt)
        self._open_copies.append(hurt)

    def open_copies(self) -> list[HurtCopy]:
        """Those that are not well yet."""
        self._open_copies = [
            one
            for one in self._open_copies
            if digest(self.archive.copies(one.name)[REPLICAS.index(one.replica)]) != one.sha256
        ]
        return self._open_copies

    # Runs

    def answering(self) -> list[dict[str, Any]]:
        hurt = {one.name for one in self.open_runs()}
        return [row for row in self.archive.ask(ANSWERING) if row["name"] not in hurt]

    def remember_run(self, run: dict[str, Any], how: str, healed: Callable[[], None]) -> None:
        hurt = HurtRun(run["id"], run["name"], run["sha256"], how, healed)
        self.runs.append(hurt)
        self._open_runs.append(hurt)

    def open_runs(self) -> list[HurtRun]:
        """Those that are neither replaced nor well."""
        if not self._open_runs:
            return []
        needed = {row["name"] for row in self.archive.ask(ANSWERING)}
        for one in list(self._open_runs):
            if one.name not in needed or digest(self.runs_folder / one.name) == one.sha256:
                self._open_runs.remove(one)
                one.healed()
        return self._open_runs


def digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return ""
