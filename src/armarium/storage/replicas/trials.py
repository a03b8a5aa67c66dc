"""Whether a place can be reached and used, found out before anything is saved."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from armarium.accounts.vault import Vault
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.db.database import Database
from armarium.storage.backends.base import BasePlace
from armarium.storage.backends.marker import reason_of
from armarium.storage.backends.opening import check_location, in_bucket, open_place
from armarium.storage.backends.place import Away, Foreign, Place
from armarium.storage.model import Replica
from armarium.storage.replicas import queries
from armarium.storage.replicas.model import Setup
from armarium.storage.replicas.opened import OpenedPlaces
from armarium.storage.replicas.rules import check_name, check_role
from armarium.storage.replicas.service import Replicas


class Trials:
    def __init__(self, database: Database, vault: Vault, replicas: Replicas) -> None:
        self._database = database
        self._replicas = replicas
        self._opened = OpenedPlaces(database, vault, replicas.home)

    def known(self, number: int, setup: Setup | None = None) -> Message:
        """A replica as it is set up, or as it would be; raises `Refused` if it is not there."""
        present = self._replicas.get(number)
        chosen = setup or Setup()
        wanted = replace(
            present,
            location=present.location if chosen.location is None else chosen.location,
            options=present.options if chosen.options is None else chosen.options,
        )
        check_location(wanted.kind, wanted.location, wanted.options)
        try:
            self._opened.try_out(wanted, chosen.secrets)
        except Away as away:
            raise Refused(away.message, field="location") from away
        return message("%(name)s answers at %(place)s.", name=wanted.name, place=wanted.location)

    def fresh(self, replica: Replica, secrets: Mapping[str, str]) -> Message:
        """One that is not known yet. In a folder nothing is written; in a bucket a trial, deleted again."""
        check_name(replica.name)
        check_role(replica.kind, replica.role)
        check_location(replica.kind, replica.location, replica.options)
        self._replicas.refuse_ground(replica)
        with self._database.transaction() as connection:
            archive = queries.archive_id(connection)
        place = open_place(replica, home=self._replicas.home, secrets=secrets, archive=archive)
        try:
            self._carries_marker(place, replica, secrets)
        except Away as away:
            if not isinstance(away.__cause__, FileNotFoundError):
                raise Refused(away.message, field="location") from away
        else:
            return message(
                "%(place)s answers, and carries the marker of this replica already.", place=replica.location
            )
        assert isinstance(place, BasePlace), "all places stand on one"
        self._try_writing(replica, place)
        return message("%(place)s answers, and can be claimed for this archive.", place=replica.location)

    def _carries_marker(self, place: Place, replica: Replica, secrets: Mapping[str, str]) -> None:
        try:
            place.check()
        except Foreign as foreign:
            self._opened.refuse_unless_lost(foreign, replica, secrets)

    def _try_writing(self, replica: Replica, place: BasePlace) -> None:
        if not in_bucket(replica.kind, replica.location):
            check_folder(self._replicas.home, replica.location)
            return
        try:
            place.medium.prepare()
        except OSError as error:
            raise Refused(
                message(
                    "%(place)s cannot be used: %(reason)s. Look at the bucket, the endpoint and the keys.",
                    place=replica.location,
                    reason=reason_of(error),
                ),
                field="location",
            ) from error


def check_folder(home: Path, location: str) -> None:
    """Whether it can be written to; below the data folder, folders on the way are made when it is claimed."""
    folder = home / location
    nearest = folder
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    if Path(location).is_absolute() and nearest not in (folder, folder.parent):
        why = message(
            "The folder %(folder)s does not exist, so its disk may not be mounted.", folder=folder.parent
        )
        raise Refused(why, field="location")
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        why = message("Armarium may not write to %(folder)s. Change its owner or its rights.", folder=nearest)
        raise Refused(why, field="location")
