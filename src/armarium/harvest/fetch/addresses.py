"""Which addresses may be visited: the public internet, and what the order or a seed opens.

The rule is asked about the address that is connected to, so a name that resolves to something else the second
time gains nothing.
"""

import ipaddress
from collections.abc import Iterable

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# IANA's special-purpose registries: what the whole internet cannot reach, and what is no host at all.
DENIED = tuple(
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8",  # this host: many systems take 0.0.0.0 for the loopback
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT
        "127.0.0.0/8",
        "169.254.0.0/16",  # link-local; clouds answer there with the machine's own secrets
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",
        "::/128",
        "::1/128",
        "64:ff9b:1::/48",  # NAT64 of a private network
        "100::/64",
        "2001:db8::/32",
        "3fff::/20",
        "5f00::/16",
        "fc00::/7",  # unique local; AWS answers at fd00:ec2::254
        "fe80::/10",
        "fec0::/10",
        "ff00::/8",
    )
)
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
COMPATIBLE = ipaddress.IPv6Network("::/96")
MOST_REMEMBERED = 65_536


class AddressRules:
    """`permitted` is asked for every connection; its answers are remembered until a range is opened."""

    def __init__(self, allowed: Iterable[str] = (), denied: Iterable[str] = ()) -> None:
        """Raises ValueError for what is no network."""
        self._allowed = [ipaddress.ip_network(network, strict=False) for network in allowed]
        self._denied = [ipaddress.ip_network(network, strict=False) for network in denied]
        self._known: dict[str, bool] = {}

    def permitted(self, address: str) -> bool:
        known = self._known.get(address)
        if known is None:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            known = self._known[address] = self._decide(address)
        return known

    def open_range_of(self, address: str) -> None:
        """Open the range in which a seed lies: a harvest inside a network may go on inside that network."""
        try:
            parsed = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return
        for inner in (parsed, *embedded(parsed)):
            for network in DENIED:
                if inner in network and not inner.is_multicast and network not in self._allowed:
                    self._allowed.append(network)
        self._known.clear()

    def _decide(self, address: str) -> bool:
        try:
            parsed = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return False
        return all(self._decide_one(each) for each in (parsed, *embedded(parsed)))

    def _decide_one(self, address: Address) -> bool:
        """What the order denies stays denied; what is opened is no longer denied by default."""
        if any(address in network for network in self._denied):
            return False
        if any(address in network for network in self._allowed):
            return True
        if isinstance(address, ipaddress.IPv6Address) and embedded(address):
            return True  # what it carries is asked about on its own
        return not any(address in network for network in DENIED)


def embedded(address: Address) -> tuple[ipaddress.IPv4Address, ...]:
    """The IPv4 addresses to which an IPv6 address really leads."""
    if not isinstance(address, ipaddress.IPv6Address):
        return ()
    if address.ipv4_mapped is not None:
        return (address.ipv4_mapped,)
    if address.sixtofour is not None:
        return (address.sixtofour,)
    if address.teredo is not None:
        return address.teredo
    if address in NAT64 or (address in COMPATIBLE and int(address) > 1):
        return (ipaddress.IPv4Address(int(address) & 0xFFFFFFFF),)
    return ()
