"""What the search box finds in storage: files by the beginning of their names, replicas, imports."""

from collections.abc import Iterator, Sequence

from armarium.accounts.model import Identity, Permission
from armarium.core.message import message
from armarium.core.services import Services
from armarium.db.database import Database
from armarium.languages.speech import byte_size
from armarium.storage.files.catalogue import Catalogue
from armarium.storage.files.pages import ADDRESS as FILES
from armarium.storage.intake.pages import ADDRESS as IMPORTS
from armarium.storage.intake.service import Intake
from armarium.storage.replicas.model import KINDS
from armarium.storage.replicas.pages import ADDRESS as REPLICAS
from armarium.storage.replicas.service import Replicas
from armarium.web.finding import MOST, Finder, Found, fits

VIEW = Permission.STORAGE_VIEW


def files(services: Services, _: Identity, words: str) -> Sequence[Found]:
    found = Catalogue(services.get(Database)).named_like(words, MOST + 1)
    return [Found(one.name, f"{FILES}/{one.id}", byte_size(one.size)) for one in found]


def replicas(services: Services, _: Identity, words: str) -> Sequence[Found]:
    return list(_fitting_replicas(services.get(Replicas), words))


def _fitting_replicas(known: Replicas, words: str) -> Iterator[Found]:
    for one in known.all():
        if fits(words, one.name, one.location):
            yield Found(one.name, f"{REPLICAS}/{one.id}", KINDS[one.kind])


def imports(services: Services, _: Identity, words: str) -> Sequence[Found]:
    found, _total = services.get(Intake).page(words, limit=MOST + 1)
    return [Found(one.accession.name, f"{IMPORTS}/{one.accession.id}") for one in found]


FINDERS = (
    Finder(message("Files"), VIEW, files, f"{FILES}?q="),
    Finder(message("Replicas"), VIEW, replicas),
    Finder(message("Imports"), VIEW, imports, f"{IMPORTS}?q="),
)
