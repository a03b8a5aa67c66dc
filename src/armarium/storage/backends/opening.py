"""From what people write down of a replica, judged, to the place that it is."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit, urlunsplit

from armarium.core.errors import Refused
from armarium.core.late import late
from armarium.core.message import Message, message
from armarium.storage.backends.checksums import SumsPlace
from armarium.storage.backends.copies import DataPlace
from armarium.storage.backends.folder import FolderMedium
from armarium.storage.backends.medium import Medium
from armarium.storage.backends.place import Place
from armarium.storage.model import Replica, ReplicaKind

if TYPE_CHECKING:  # a laptop has folders
    from obstore.store import S3Store

    from armarium.storage.backends.bucket import BucketMedium, Clients
else:
    S3Store = late("obstore.store:S3Store")
    BucketMedium = late("armarium.storage.backends.bucket:BucketMedium")
    Clients = late("armarium.storage.backends.bucket:Clients")


S3 = "s3://"
OPTIONS = ("endpoint", "region", "path_style", "allow_http", "timeout", "conditional_copy")
BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
PREFIX_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
HOST = re.compile(r"[A-Za-z0-9.-]+(:[0-9]{1,5})?|\[[0-9a-fA-F:]+\](:[0-9]{1,5})?")
TRUE = frozenset({"yes", "true", "on", "1"})
FALSE = frozenset({"no", "false", "off", "0", ""})
#: How the server is told to copy only to a name that is free: S3 knows the header on copies since 2025; some
#: servers know the condition only where a multipart upload ends.
CONDITIONAL_COPY = {"header": "header:If-None-Match:*", "multipart": "multipart"}
LONGEST_WAIT = 600


@dataclass(frozen=True)
class BucketAddress:
    bucket: str
    prefix: str  # empty, or without slashes at its ends
    endpoint: str  # empty: Amazon
    region: str
    path_style: bool
    allow_http: bool
    timeout: float  # seconds
    conditional_copy: str

    @property
    def url(self) -> str:
        return f"{S3}{self.bucket}/{self.prefix}".rstrip("/")


def in_bucket(kind: ReplicaKind, location: str) -> bool:
    return kind is ReplicaKind.S3 or (kind is ReplicaKind.CHECKSUM and location.startswith(S3))


def check_location(kind: ReplicaKind, location: str, options: Mapping[str, str]) -> None:
    """Refuse what cannot be the location of such a replica; whether it exists, `claim` finds out."""
    if in_bucket(kind, location):
        bucket_address(location, options)
        return
    if options:
        _refuse("options", message("A folder has no options. Leave them empty."))
    parts = PurePosixPath(location).parts
    if not location.strip() or "\0" in location or ".." in parts or parts in ((), ("/",)):
        _refuse(
            "location",
            message(
                "“%(location)s” cannot be the folder of a replica. Enter an absolute path, or one inside "
                "the data folder, without “..”.",
                location=location,
            ),
        )
    if re.match("[A-Za-z][A-Za-z0-9+]*://", location):
        _refuse("location", message("This kind of replica is a folder. Enter a path, not an address."))


def bucket_address(location: str, options: Mapping[str, str]) -> BucketAddress:
    bucket, prefix = _bucket_and_prefix(location)
    for name in options:
        if name not in OPTIONS:
            _refuse(
                "options",
                message(
                    "“%(name)s” is not an option of S3. Known options: %(known)s.",
                    name=name,
                    known=", ".join(OPTIONS),
                ),
            )
    endpoint = options.get("endpoint", "").rstrip("/")
    allow_http = _truth(options, "allow_http", default=False)
    _check_endpoint(endpoint, allow_http=allow_http)
    return BucketAddress(
        bucket=bucket,
        prefix=prefix,
        endpoint=endpoint,
        region=options.get("region", "") or "us-east-1",
        path_style=_truth(options, "path_style", default=bool(endpoint)),
        allow_http=allow_http,
        timeout=_seconds(options.get("timeout", "")),
        conditional_copy=_conditional_copy(options.get("conditional_copy", "")),
    )


def _bucket_and_prefix(location: str) -> tuple[str, str]:
    bucket, _, prefix = location.removeprefix(S3).partition("/")
    prefix = prefix.strip("/")
    if not location.startswith(S3) or not BUCKET.fullmatch(bucket):
        _refuse(
            "location",
            message(
                "“%(location)s” names no bucket. Write s3://bucket or s3://bucket/prefix.", location=location
            ),
        )
    if prefix and not all(PREFIX_PART.fullmatch(part) for part in prefix.split("/")):
        _refuse(
            "location",
            message(
                "“%(prefix)s” cannot be a prefix. Use letters, digits, dots, hyphens and underscores between "
                "single slashes.",
                prefix=prefix,
            ),
        )
    return bucket, prefix


def _check_endpoint(endpoint: str, *, allow_http: bool) -> None:
    if not endpoint:
        return
    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not HOST.fullmatch(parts.netloc) or parts.path:
        _refuse(
            "options",
            message(
                "“%(endpoint)s” is not a server endpoint. Write https://host or https://host:port.",
                endpoint=endpoint,
            ),
        )
    if parts.scheme == "http" and not allow_http:
        _refuse(
            "options",
            message(
                "%(endpoint)s is not encrypted. Use https, or set allow_http to yes if the network is "
                "trusted.",
                endpoint=endpoint,
            ),
        )


def _truth(options: Mapping[str, str], name: str, *, default: bool) -> bool:
    given = options.get(name, "").lower()
    if given not in TRUE | FALSE:
        _refuse("options", message("%(name)s must be yes or no, not “%(given)s”.", name=name, given=given))
    return default if not given else given in TRUE


def _seconds(given: str) -> float:
    if not given:
        return 10.0
    if not given.isdecimal() or not 1 <= int(given) <= LONGEST_WAIT:
        _refuse(
            "options",
            message(
                "timeout must be a number of seconds from 1 to %(most)s, not “%(given)s”.",
                most=LONGEST_WAIT,
                given=given,
            ),
        )
    return float(given)


def _conditional_copy(given: str) -> str:
    if given and given not in CONDITIONAL_COPY:
        _refuse(
            "options", message("conditional_copy must be header or multipart, not “%(given)s”.", given=given)
        )
    return CONDITIONAL_COPY[given or "header"]


def _refuse(field: str, why: Message) -> NoReturn:
    raise Refused(why, field=field)


# Opening it


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
