"""Which files may tell what the archive has of a domain: those of the jobs that were to harvest it.

Whatever else holds captures of it was met in passing, or came from outside: a false digest in there would
keep the true page from being stored ever after.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass

from armarium.db.database import Database
from armarium.formats.url import Match, search_range
from armarium.planning.jobs.name_queries import jobs_of_domains
from armarium.workflow import queries

AT_ONCE = 500  # domains that are asked about together
KEPT = 2  # batches: at the border of two, keys go to and fro


@dataclass(frozen=True)
class _Batch:
    jobs: dict[str, frozenset[int]]  # by domain
    files: dict[str, int]  # name → job


@dataclass(frozen=True)
class _FilesOfDomain:
    """Asks only when it is asked: of most domains the archive may have nothing."""

    owner: "OwnFiles"
    domain: str

    def __contains__(self, name: object) -> bool:
        return self.owner.has(self.domain, name)


class OwnFiles:
    """For one reader, from the first key to the last."""

    def __init__(self, database: Database, domains: Sequence[str]) -> None:
        self._database = database
        self.domains = sorted(domains, key=_key)
        self._number = {name: place // AT_ONCE for place, name in enumerate(self.domains)}
        self._batches: dict[int, _Batch] = {}

    def __call__(self, domain: str) -> Container[str]:
        return _FilesOfDomain(self, domain)

    def has(self, domain: str, name: object) -> bool:
        batch = self._batch(self._number[domain])
        return batch.files.get(str(name)) in batch.jobs.get(domain, ())

    def _batch(self, number: int) -> _Batch:
        if number not in self._batches:
            if len(self._batches) == KEPT:
                del self._batches[min(self._batches)]
            self._batches[number] = self._loaded(number)
        return self._batches[number]

    def _loaded(self, number: int) -> _Batch:
        domains = self.domains[number * AT_ONCE : (number + 1) * AT_ONCE]
        with self._database.transaction() as connection:
            jobs = jobs_of_domains(connection, domains)
            return _Batch(jobs, queries.files_of_jobs(connection, frozenset().union(*jobs.values())))


def _key(domain: str) -> str:
    """By which the index is sorted."""
    return search_range(f"http://{domain}/", Match.DOMAIN)[0]
