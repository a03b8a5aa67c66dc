"""What the search box finds here: access rules by address, readers by name, viewings by title or number."""

from collections.abc import Sequence

from armarium.access.accreditation.model import STATES, AccreditationFilter
from armarium.access.accreditation.service import Accreditations
from armarium.access.policy.queries import RuleFilter
from armarium.access.rules.page_data import EFFECTS
from armarium.access.rules.service import Rules
from armarium.access.viewings.model import Person
from armarium.access.viewings.page_data import ADDRESS, state_of
from armarium.access.viewings.service import Viewings
from armarium.accounts.model import Identity, Permission
from armarium.core.message import message
from armarium.core.services import Services
from armarium.web.finding import MOST, Finder, Found, fits

LIMIT = MOST + 1  # one more tells that there are more
LOOKED_AT = 50  # the newest viewings of a person


def rules(services: Services, identity: Identity, words: str) -> Sequence[Found]:  # noqa: ARG001
    found, _ = services.get(Rules).page(RuleFilter(text=words), limit=LIMIT)
    return [Found(one.terms.pattern, f"/access/rules/{one.id}", EFFECTS[one.terms.effect]) for one in found]


def readers(services: Services, identity: Identity, words: str) -> Sequence[Found]:  # noqa: ARG001
    accreditations = services.get(Accreditations)
    found, today = accreditations.page(AccreditationFilter(words), limit=LIMIT)[0], accreditations.today()
    return [
        Found(one.display_name or one.name, f"/access/readers/{one.id}", STATES[one.state(today)][1])
        for one in found
    ]


def viewings(services: Services, identity: Identity, words: str) -> Sequence[Found]:
    who = Person(identity.account.id, everything=identity.may(Permission.ACCESS_EVERYTHING))
    found, _ = services.get(Viewings).page(who, mine=True, limit=LOOKED_AT)
    return [
        Found(one.title, f"{ADDRESS}/{one.id}", state_of(one)[1])
        for one in found
        if fits(words, one.title, one.note, str(one.id))
    ][:LIMIT]


FINDERS = (
    Finder(message("Access rules"), Permission.ACCESS_VIEW, rules, "/access/rules?q="),
    Finder(message("Readers"), Permission.ACCESS_READERS, readers, "/access/readers?q="),
    Finder(message("Quality viewing"), Permission.VIEWER_USE, viewings),
)
