"""Runs in a bucket of an S3-compatible server."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError
from obstore.store import S3Store

from armarium.core.errors import Unavailable
from armarium.index.runs.folder import MARKED, NAME, checked, missing, other

if TYPE_CHECKING:
    from obstore.store import ClientConfig, S3Config

SINGLE = 64 << 20  # bytes put at once, only if there is none of the name; larger files go in parts
AT_A_TIME = 8  # requests for what was prepared
MOST_PREPARED = 64
_PIECE = 8 << 20
_MOST_PARTS = 9_000  # S3 takes 10,000
_MARKER = "_armarium-index"  # no name of a run begins so
_PATIENCE = timedelta(seconds=15)
_NONE = (NotFoundError, FileNotFoundError)


class BucketPlace:
    """Each read is a request; the reader of a run keeps what it needs often."""

    def __init__(
        self, bucket: str, prefix: str, options: Mapping[str, str], secrets: Mapping[str, str]
    ) -> None:
        self.where = f"s3://{bucket}/{prefix}"
        self._store = S3Store(
            bucket,
            prefix=prefix or None,
            config=_config(options, secrets),
            client_options=_client(options),
            retry_config={"max_retries": 3, "retry_timeout": _PATIENCE},
        )
        self._threads = ThreadPoolExecutor(AT_A_TIME, thread_name_prefix="index-s3")
        self._prepared: OrderedDict[tuple[str, int, int], Future[bytes]] = OrderedDict()
        self._lock = Lock()

    def read(self, name: str, start: int, length: int) -> bytes:
        with self._lock:
            prepared = self._prepared.pop((name, start, length), None)
        with self._told(name):
            return self._fetch(name, start, length) if prepared is None else prepared.result()

    def prepare(self, name: str, start: int, length: int) -> None:
        with self._lock:
            self._prepared[name, start, length] = self._threads.submit(self._fetch, name, start, length)
            while len(self._prepared) > MOST_PREPARED:  # some were found elsewhere meanwhile
                self._prepared.popitem(last=False)

    def size(self, name: str) -> int:
        with self._told(name):
            return obstore.head(self._store, checked(name))["size"]

    def publish(self, name: str, path: Path) -> None:
        """A large file is put in parts, which S3 shows as a whole at the end, but cannot refuse at the end.

        Two who publish other bytes under one name in the same minutes would not notice each other: the chain
        gives each run a name of its own.
        """
        size = path.stat().st_size
        with self._told(checked(name)):
            put = self._put(name, path) if size <= SINGLE else self._put_in_parts(name, path)
        if not put and not self._same(name, path, size):
            raise other(name, self.where)

    def delete(self, name: str) -> None:
        with self._told(name):
            try:
                obstore.delete(self._store, checked(name))
            except _NONE:
                return

    def release(self, name: str) -> None:
        with self._lock:
            for key in [key for key in self._prepared if key[0] == name]:
                del self._prepared[key]

    def names(self) -> Iterator[str]:
        with self._told("the list of runs"):
            for some in obstore.list(self._store, chunk_size=1000):
                yield from (each["path"] for each in some if NAME.match(each["path"]))

    def is_marked(self) -> bool:
        with self._told("the marker of the index"):
            try:
                obstore.head(self._store, _MARKER)
            except _NONE:
                return False
        return True

    def mark(self) -> None:
        with self._told("the marker of the index"):
            obstore.put(self._store, _MARKER, MARKED)

    def clear(self, before: float) -> None:
        """Nothing of an upload that was broken off has a name; S3 lets it go by the rules of the bucket."""

    def _fetch(self, name: str, start: int, length: int) -> bytes:
        return bytes(obstore.get_range(self._store, checked(name), start=start, length=length))

    @contextmanager
    def _told(self, name: str) -> Iterator[None]:
        """The errors of the store in our words."""
        try:
            yield
        except _NONE as error:
            raise missing(name, self.where) from error
        except (BaseError, OSError) as error:
            raise Unavailable(
                f"{name} cannot be had from {self.where} or put there at the moment: {error}"
            ) from error

    def _put(self, name: str, path: Path) -> bool:
        try:
            obstore.put(self._store, name, path.read_bytes(), mode="create")
        except (AlreadyExistsError, FileExistsError):
            return False
        return True

    def _put_in_parts(self, name: str, path: Path) -> bool:
        try:
            obstore.head(self._store, name)
        except _NONE:
            obstore.put(self._store, name, path, chunk_size=_part(path.stat().st_size), max_concurrency=4)
            return True
        return False

    def _same(self, name: str, path: Path, size: int) -> bool:
        if self.size(name) != size:
            return False
        with path.open("rb") as file:
            for start in range(0, size, _PIECE):
                piece = file.read(_PIECE)
                if self.read(name, start, len(piece)) != piece:
                    return False
        return True


def _part(size: int) -> int:
    return max(_PIECE, -(-size // _MOST_PARTS))


def _config(options: Mapping[str, str], secrets: Mapping[str, str]) -> "S3Config":
    config: S3Config = {
        "region": options.get("region") or "us-east-1",
        "virtual_hosted_style_request": not _truth(
            options, "path_style", default=bool(options.get("endpoint"))
        ),
    }
    if options.get("endpoint"):
        config["endpoint"] = options["endpoint"]
    if secrets.get("access_key"):
        config["access_key_id"] = secrets["access_key"]
        config["secret_access_key"] = secrets.get("secret_key", "")
    return config


def _client(options: Mapping[str, str]) -> "ClientConfig":
    return {
        "allow_http": _truth(options, "allow_http", default=False),
        "connect_timeout": "5s",
        "timeout": "120s",
    }


def _truth(options: Mapping[str, str], name: str, *, default: bool) -> bool:
    written = options.get(name, "").strip().lower()
    return written in ("yes", "true", "on", "1") if written else default
