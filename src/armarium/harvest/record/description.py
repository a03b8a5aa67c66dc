"""The warcinfo record at the head of each file: who harvested, with what, and by which manners."""

import socket

from armarium.core.crawl_order import CrawlOrder, RobotsPolicy

# WARC 1.1 clause 6.2: "classic" means that robots.txt was obeyed.
_ROBOTS = {
    RobotsPolicy.OBEY: "classic",
    RobotsPolicy.IGNORE: "ignore",
    RobotsPolicy.IGNORE_FOR_EMBEDS: "ignore-for-embeds",
}
FORMAT = "WARC File Format 1.1"
HARVEST_INFO_VERSION = "0.6"  # of NetarchiveSuite's harvestInfo.xml
CONFORMS_TO = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"


def host_of_part(host: str, part: int | None) -> str:
    """What the warcinfo records of one process of a crawl name as their host."""
    return host if part is None else f"{host}-{part}"


def description(
    order: CrawlOrder, *, software: str, host: str, address: str, user_agent: str
) -> list[tuple[str, str]]:
    """The fields, in Heritrix's order, then those of NetarchiveSuite; what nobody stated is left out."""
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
        *harvest_info(order),
    ]
    return [(name, " ".join(value.split())) for name, value in fields if value.strip()]


def harvest_info(order: CrawlOrder) -> list[tuple[str, str]]:
    """The harvest, under the names by which NetarchiveSuite writes and reads it; empty without planning."""
    harvest, queues = order.harvest, order.queues
    if harvest.definition is None:
        return []
    fields: dict[str, object] = {
        "version": HARVEST_INFO_VERSION,
        "jobId": harvest.job,
        "channel": harvest.channel,
        "harvestNum": harvest.run,
        "origHarvestDefinitionID": harvest.definition,
        "origHarvestDefinitionName": harvest.name,
        "origHarvestDefinitionComments": harvest.comments,
        "scheduleName": harvest.schedule,
        "maxBytesPerDomain": queues.max_bytes,
        "maxObjectsPerDomain": queues.max_objects,
        "templateName": harvest.profile,
        "harvestFilenamePrefix": order.recording.values.get("prefix", ""),
        "jobSubmitDate": harvest.planned,
        "performer": order.identity.publisher or order.identity.operator,
        "audience": harvest.audience or order.identity.audience,
        "collections": ", ".join(harvest.collections),
    }
    return [(f"harvestInfo.{name}", "" if value is None else str(value)) for name, value in fields.items()]


def crawler_address(bound: str = "") -> str:
    """The address from which this machine reaches the web; empty where it reaches nothing."""
    if bound:
        return bound
    # Nothing is sent: to connect a datagram socket only asks the routing table. RFC 5737, RFC 3849.
    for family, somewhere in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as asking:
                asking.connect((somewhere, 9))
                return str(asking.getsockname()[0])
        except OSError:
            continue
    return ""
