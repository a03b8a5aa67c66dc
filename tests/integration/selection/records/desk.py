"""The staff site over the small library, with people who sign in and programs that show tokens."""

from dataclasses import dataclass

from armarium.accounts.model import Permission
from armarium.audit.model import Entry, Question
from armarium.core.actor import SYSTEM
from tests.integration.selection.world import World
from tests.site import PASSWORD, Client, RunningSite


@dataclass(frozen=True)
class Desk:
    site: RunningSite
    library: World

    def enter(self, name: str) -> Client:
        """Somebody of the library, signed in."""
        accounts = self.site.house.accounts
        link = accounts.password_link(SYSTEM, self.library.numbers[name])
        accounts.use_link(link.key, PASSWORD, "127.0.0.1")
        client = self.site.client()
        client.sign_in(name)
        return client

    def program(self, name: str, *scopes: Permission) -> Client:
        """A program with a token of somebody of the library."""
        house = self.site.house
        made = house.tokens.create(SYSTEM, house.accounts.named(name), "tests", scopes, None)
        client = self.site.client()
        client.headers["Authorization"] = f"Bearer {made.secret}"
        return client

    def audited(self, action: str) -> list[Entry]:
        """Newest first."""
        found, _ = self.site.house.audit.page(Question(action=action), limit=100)
        return found

    def denied(self) -> list[tuple[str, str, str]]:
        """Who tried what on which thing, the first first."""
        found = self.audited("selection.denied")
        return [(one.actor, one.object_name, str((one.after or {})["deed"])) for one in reversed(found)]
