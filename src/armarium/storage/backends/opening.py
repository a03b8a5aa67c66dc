"""From the description of a replica to the place that it is."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from armarium.core.late import late
from armarium.storage.backends.data import DataPlace
from armarium.storage.backends.folder import FolderMedium
from armarium.storage.backends.location import BucketAddress, bucket_address, check_location, in_bucket
from armarium.storage.backends.medium import Medium
from armarium.storage.backends.place import Place
from armarium.storage.backends.sums import SumsPlace
from armarium.storage.model import Replica, ReplicaKind

if TYPE_CHECKING:  # a laptop has folders
    from obstore.store import S3Store

    from armarium.storage.backends.bucket import BucketMedium, Clients
else:
    S3Store = late("obstore.store:S3Store")
    BucketMedium = late("armarium.storage.backends.bucket:BucketMedium")
    Clients = late("armarium.storage.backends.bucket:Clients")

__all__ = ["check_location", "open_place"]

QUICK = 3.0  # seconds in which a server that is there answers
PATIENCE = 30  # times the time-out is how long a copy inside the server may take
DAY = timedelta(days=1)
# A hiccup is answered by another try; an outage is reported, and whoever asked comes again later.
RETRIES = 2
RETRY_FOR = timedelta(seconds=5)


def open_place(replica: Replica, *, home: Path, secrets: Mapping[str, str], archive: str = "") -> Place:
    """Open once for a process: the limit of bytes a second, and what was learned of the replica, are its own.

    Nothing is asked yet; the first verb may say `Away`. Without `archive`, the marker is compared with the
    replica's name alone.
    """
    check_location(replica.kind, replica.location, replica.options)
    medium = _medium(replica, home, secrets)
    if replica.kind is ReplicaKind.CHECKSUM:
        return SumsPlace(replica, medium, archive=archive)
    return DataPlace(replica, medium, archive=archive)


def _medium(replica: Replica, home: Path, secrets: Mapping[str, str]) -> Medium:
    if in_bucket(replica.kind, replica.location):
        address = bucket_address(replica.location, replica.options)
        return BucketMedium(_clients(address, secrets), address.url)
    folder = Path(replica.location)
    return FolderMedium(home.absolute() / folder, with_parents=not folder.is_absolute())


def _clients(address: BucketAddress, secrets: Mapping[str, str]) -> "Clients":
    return Clients(
        quick=_client(address, secrets, min(QUICK, address.timeout), retries=0),
        steady=_client(address, secrets, address.timeout),
        patient=_client(address, secrets, address.timeout * PATIENCE),
    )


def _client(
    address: BucketAddress, secrets: Mapping[str, str], seconds: float, retries: int = RETRIES
) -> "S3Store":
    wait = timedelta(seconds=seconds)
    return S3Store(
        address.bucket,
        prefix=address.prefix or None,
        endpoint=_endpoint(address),
        region=address.region,
        virtual_hosted_style_request=not address.path_style,
        copy_if_not_exists=address.conditional_copy,
        conditional_put="etag",
        disable_bulk_delete=True,  # one object at a time, by the request that every server knows
        access_key_id=secrets.get("access_key", ""),
        secret_access_key=secrets.get("secret_key", ""),
        skip_signature=not secrets.get("access_key"),
        client_options={
            "allow_http": address.allow_http,
            "connect_timeout": min(wait, timedelta(seconds=QUICK)),
            "read_timeout": wait,  # of silence
            "timeout": DAY,
        },
        retry_config={"max_retries": retries, "retry_timeout": RETRY_FOR},
    )


def _endpoint(address: BucketAddress) -> str | None:
    """Where the bucket is part of the host name, obstore wants it to be in the endpoint already."""
    if not address.endpoint:
        return None
    if address.path_style:
        return address.endpoint
    parts = urlsplit(address.endpoint)
    return urlunsplit(parts._replace(netloc=f"{address.bucket}.{parts.netloc}"))
