"""Where a site's servers stand: its addresses by DNS, their countries by a database that the library has."""

from collections.abc import Sequence
from ipaddress import ip_address, ip_network

import dns.exception
import dns.resolver
import maxminddb
from dns.nameserver import Do53Nameserver

from armarium.core.errors import Misconfigured, Unavailable
from armarium.core.message import message
from armarium.core.name_server import NameServer
from armarium.selection.legal.model import Located
from armarium.selection.settings import SelectionSettings

SECONDS = 5.0  # for all questions about one name
#: Where no site of a legal deposit stands: what name servers of the house know of it is nobody's evidence.
INNER = tuple(
    ip_network(one)
    for one in (
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "::1/128",
        "fc00::/7",
        "fe80::/10",
    )
)


class Locator:
    """`name_servers`: those that are asked; none: those of the system."""

    def __init__(self, settings: SelectionSettings, name_servers: Sequence[NameServer] = ()) -> None:
        self._settings = settings
        self._name_servers = tuple(name_servers)

    def addresses(self, host: str) -> list[str]:
        """Public ones of a name; empty: the DNS has none. Raises `Unavailable` if no name server answers."""
        return [one for one in self._found(host) if not _is_inner(one)]

    def _found(self, host: str) -> list[str]:
        try:
            return [str(ip_address(host.strip("[]")))]
        except ValueError:
            pass
        resolver = self._resolver()
        found: list[str] = []
        for kind in ("A", "AAAA"):
            try:
                found += [str(one) for one in resolver.resolve(host, kind, search=False)]
            except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
                continue
            except dns.exception.DNSException as error:
                raise Unavailable(
                    message(
                        "No name server could say where %(host)s is: %(reason)s. Try again later.",
                        host=host,
                        reason=str(error)[:200],
                    )
                ) from error
        return found

    def countries(self, addresses: Sequence[str]) -> list[Located]:
        file = self._settings.location_file
        if file is None:
            return [Located(address, "") for address in addresses]
        try:
            with maxminddb.open_database(file) as database:
                return [Located(address, _country(database.get(address))) for address in addresses]
        except (OSError, maxminddb.InvalidDatabaseError) as error:
            raise Misconfigured(
                message(
                    "The file %(file)s (selection.location_file) is no MMDB database: %(reason)s.",
                    file=str(file),
                    reason=str(error)[:200],
                )
            ) from error

    def _resolver(self) -> dns.resolver.Resolver:
        own = self._name_servers
        resolver = dns.resolver.Resolver(configure=not own)
        if own:
            resolver.nameservers = [Do53Nameserver(one.address, one.port) for one in own]
        resolver.lifetime = SECONDS
        return resolver


def _is_inner(address: str) -> bool:
    found = ip_address(address)
    mapped = getattr(found, "ipv4_mapped", None) or found
    return any(mapped in network for network in INNER)


def _country(entry: object) -> str:
    """As the databases of this form have it: {"country": {"iso_code": "FR"}}."""
    country = entry.get("country") if isinstance(entry, dict) else None
    code = country.get("iso_code") if isinstance(country, dict) else None
    return code if isinstance(code, str) else ""
