"""The warcinfo record at the head of each file: who harvested, with what, and by which manners."""

from armarium.core.crawl_order import CrawlOrder, RobotsPolicy

# WARC 1.1 clause 6.2: "classic" means that robots.txt was obeyed.
_ROBOTS = {
    RobotsPolicy.OBEY: "classic",
    RobotsPolicy.IGNORE: "ignore",
    RobotsPolicy.IGNORE_FOR_EMBEDS: "ignore-for-embeds",
}
FORMAT = "WARC File Format 1.1"
CONFORMS_TO = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"


def description(
    order: CrawlOrder, *, software: str, host: str, address: str, user_agent: str
) -> list[tuple[str, str]]:
    """The fields, in Heritrix's order; what nobody stated is left out."""
    identity = order.identity
    fields = [
        ("software", software),
        ("ip", address),
        ("hostname", host),
        ("format", FORMAT),
        ("conformsTo", CONFORMS_TO),
        ("operator", identity.operator),
        ("publisher", identity.publisher),
        ("audience", identity.audience),
        ("isPartOf", identity.is_part_of or order.name),
        ("description", identity.description),
        ("robots", _ROBOTS[order.robots]),
        ("http-header-user-agent", user_agent),
        ("http-header-from", identity.mail),
    ]
    return [(name, " ".join(value.split())) for name, value in fields if value.strip()]
