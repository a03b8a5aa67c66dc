"""What every act needs: the house, who acts in it, and patience."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from armarium.accounts.model import Account, Identity
from armarium.accounts.rules import permissions_of
from armarium.core.actor import Actor, Via
from armarium.core.errors import Unavailable
from armarium.core.message import Message
from armarium.core.services import Services
from armarium.demo.folder import DemoFolder, Ports
from armarium.demo.living import LivingHouse
from armarium.selection.permissions import Editor, editor_of

T = TypeVar("T")

LOOK = 0.1  # seconds between two looks
PATIENCE = 300.0  # seconds for one thing to happen; a step that needs longer has failed


@dataclass
class World:
    folder: DemoFolder
    ports: Ports
    living: LivingHouse
    services: Services
    accounts: dict[str, Account] = field(default_factory=dict)  # by name
    collections: dict[str, int] = field(default_factory=dict)  # numbers, by name
    records: int = 0
    harvested: frozenset[str] = frozenset()  # hosts of the records that were validated

    def get(self, kind: type[T]) -> T:
        """A service of the house."""
        return self.services.get(kind)

    def actor(self, name: str) -> Actor:
        """One of the people; the audit log says that it was done at a terminal, which is true."""
        return Actor(name, Via.COMMAND, self.accounts[name].id)

    def editor(self, name: str) -> Editor:
        """The same, in selection, with the rights of their roles and no others."""
        account = self.accounts[name]
        editor = editor_of(Identity(account, permissions_of(account.roles)))
        return replace(editor, actor=self.actor(name))

    @property
    def log(self) -> str:
        """For whoever wants to know why something went wrong."""
        return str(self.folder.log)

    def wait(self, condition: Callable[[], bool], late: Message) -> None:
        """Until it is so. `late`: what is said if it never is."""
        until = time.monotonic() + PATIENCE
        while not condition():
            self.living.check()
            if time.monotonic() > until:
                raise Unavailable(late)
            time.sleep(LOOK)
