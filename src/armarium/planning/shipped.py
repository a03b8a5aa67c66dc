"""What comes with Armarium: profiles, schedules and channels to begin with.

Whoever changes one of them keeps the change: a later version of Armarium adds the profiles that are missing
and alters nothing.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.planning.channels.service import channels
from armarium.planning.model import Unit
from armarium.planning.profiles.rules import checked
from armarium.planning.profiles.service import profiles, versions
from armarium.planning.schedules.model import Rhythm
from armarium.planning.schedules.service import schedules


@dataclass(frozen=True)
class ShippedProfile:
    name: str
    description: str
    document: Mapping[str, Any]


def _pages(hops: int) -> dict[str, Any]:
    return {"scope": {"kind": "page", "page_hops": hops}}


#: Crawler settings of the broad crawl of .fr by the Bibliothèque nationale de France in 2007 (Lasfargues,
#: Oury, Wendland: “Legal deposit of the French Web”, IWAW 2008, figure 5; robots.txt: section 2.4).
BROAD = {
    "scope": {"kind": "domain", "max_hops": 100, "max_embed_hops": 3},
    "queues": {"replenish": 100, "max_objects": 10_000},
    "politeness": {"delay_factor": 4.0, "min_delay": 5.0, "max_delay": 10.0},
    "limits": {"max_download_bytes": 100_000_000},
}
#: The front page and the articles that it names: one click deep, and over before the next day's begins.
NEWS = {
    "scope": {"kind": "page", "page_hops": 1},
    "limits": {"max_seconds": 20 * 3600.0},
    "extraction": {"sitemaps": False},
}

PROFILES = (
    ShippedProfile("page", "Each seed with all that it embeds; no link is followed.", _pages(0)),
    ShippedProfile("page+1", "Each seed, and what is one click away.", _pages(1)),
    ShippedProfile("page+2", "Each seed, and what is two clicks away.", _pages(2)),
    ShippedProfile("path", "Everything below the folder of each seed.", {"scope": {"kind": "path"}}),
    ShippedProfile("host", "Everything on the host of each seed.", {"scope": {"kind": "host"}}),
    ShippedProfile("domain", "Everything on all hosts of a domain.", {"scope": {"kind": "domain"}}),
    ShippedProfile(
        "broad",
        "For a whole national domain, with the values of the crawl of .fr by the Bibliothèque nationale de "
        "France in 2007: by domain, 10,000 objects of each, 100 at a turn, 100 hops, 3 embedded, pauses of 4 "
        "times the download between 5 and 10 seconds, files up to 100 MB, robots.txt obeyed.",
        BROAD,
    ),
    ShippedProfile(
        "news-daily",
        "The front page of a newspaper and the articles that it names, every day; ends after 20 hours, so "
        "that two days never overlap.",
        NEWS,
    ),
)
SCHEDULES: Mapping[str, Rhythm] = {
    "once": Rhythm(Unit.ONCE),
    "hourly": Rhythm(Unit.HOUR, minute=0),
    "daily": Rhythm(Unit.DAY, hour=3, minute=0),
    "weekly": Rhythm(Unit.WEEK, weekday=1, hour=3, minute=0),
    "monthly": Rhythm(Unit.MONTH, day=1, hour=3, minute=0),
    # With these, each frequency that selection offers has a schedule of its name.
    "quarterly": Rhythm(Unit.MONTH, 3, day=1, hour=3, minute=0),
    "half-yearly": Rhythm(Unit.MONTH, 6, day=1, hour=3, minute=0),
    "annual": Rhythm(Unit.MONTH, 12, day=1, hour=3, minute=0),
}
CHANNELS: tuple[dict[str, object], ...] = (
    {
        "name": "selective",
        "description": "Selective and event harvests, which must not wait for a broad one.",
        "priority": 100,
        "default_for": "selective event",
    },
    {"name": "broad", "description": "Broad harvests.", "priority": 0, "default_for": "broad"},
)


def ensure(connection: Connection) -> None:
    """Enter what is missing; may be called at every start."""
    for profile in PROFILES:
        _ensure_profile(connection, profile)
    # A site that renamed a schedule or a channel does not want it back under the old name.
    if not schedules.all(connection):
        for name, rhythm in SCHEDULES.items():
            schedules.insert(connection, name=name, **asdict(rhythm))
    if not channels.all(connection):
        for values in CHANNELS:
            channels.insert(connection, **values)


def _ensure_profile(connection: Connection, profile: ShippedProfile) -> None:
    if profiles.by_name(connection, profile.name) is not None:
        return
    values = {"name": profile.name, "description": profile.description, "shipped": True, "version": 1}
    number = profiles.insert(connection, **values)
    if number is not None:
        versions.insert(
            connection,
            profile=number,
            version=1,
            document=checked(profile.document),
            reason="Came with Armarium.",
            by=SYSTEM.name,
            created_at=clock.now(),
        )
