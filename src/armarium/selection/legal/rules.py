"""What names and addresses say about the legal scope. Pure: the facts are given."""

from collections.abc import Sequence

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.languages.speech import say
from armarium.selection.legal.model import Criterion, Found, Located
from armarium.selection.text_fields import lines

LONGEST_TEXT = 10_000


def by_name(host: str, national: Sequence[str]) -> Found:
    """Whether the name ends in one of the country’s."""
    endings = [one.strip(".").lower() for one in national]
    ending = next((one for one in endings if host == one or host.endswith(f".{one}")), None)
    text = (
        say(message("The name %(host)s ends in .%(ending)s.", host=host, ending=ending))
        if ending
        else say(message("The name %(host)s ends in none of the country’s domains.", host=host))
    )
    return Found(
        Criterion.NAME, ending is not None, text, {"host": host, "national_domains": ", ".join(endings)}
    )


def by_servers(host: str, located: Sequence[Located], national: Sequence[str]) -> Found:
    """Whether one of its servers stands in the country."""
    wanted = {one.upper() for one in national}
    inside = sorted({one.country for one in located if one.country in wanted})
    places = ", ".join(f"{one.address} ({one.country or '?'})" for one in located)
    if not located:
        text = say(message("The DNS has no address for %(host)s.", host=host))
    elif inside:
        text = say(
            message("Servers of %(host)s stand in %(countries)s.", host=host, countries=", ".join(inside))
        )
    else:
        text = say(message("No server of %(host)s is known to stand in the country.", host=host))
    return Found(Criterion.SERVER, bool(inside), text, {"host": host, "addresses": places})


def check_text(text: str) -> str:
    kept = lines(text)
    if not kept:
        raise Refused(message("Say what you found, and where."), field="text")
    if len(kept) > LONGEST_TEXT:
        raise Refused(message("Notes have at most %(most)s characters.", most=LONGEST_TEXT), field="text")
    return kept
