"""The order for one crawl: what planning, or a person at the command line, hands to the harvester.

It is frozen when the crawl begins and kept with the crawl; what is changed while it runs is kept beside it.
The defaults are those of Heritrix where it has them, so that people find what they know.
"""

import enum
import re
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    FieldSerializationInfo,
    SecretStr,
    field_serializer,
    model_validator,
)

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
LARGEST = 2**63 - 1  # what a database can hold
Count = Annotated[int, Field(ge=0, le=LARGEST)]
Some = Annotated[int, Field(ge=1, le=LARGEST)]

_LITERAL = re.compile(r"[A-Za-z0-9._-]*")
_PLACE = re.compile(r"\{(\w+)\}")
_NEEDED = ("prefix", "time", "serial")  # without them two crawls, or two files of one, would have one name


class _Part(BaseModel):
    # What stands below a key describes it in docs/reference/crawl-order.md, which is made from this source.
    model_config = ConfigDict(frozen=True, extra="forbid")


class ScopeKind(enum.StrEnum):
    """How far a crawl goes from its seeds."""

    PAGE = "page"  # the seed, what it embeds, and `page_hops` links further
    PATH = "path"  # everything below the seed's folder
    HOST = "host"
    DOMAIN = "domain"  # the registered domain with all its hosts
    SUFFIXES = "suffixes"  # every host under a list of suffixes: .fr, .re
    ANY = "any"


class QueueBy(enum.StrEnum):
    """What shares a queue, a budget and a pace."""

    HOST = "host"
    DOMAIN = "domain"
    ADDRESS = "address"  # of the server


class QueueOrder(enum.StrEnum):
    """Which pages of a queue come first."""

    HOPS = "hops"  # those with the fewest links from their seed
    PATH = "path"  # those with the fewest segments in their path
    ARRIVAL = "arrival"  # those that were found first


class RobotsPolicy(enum.StrEnum):
    OBEY = "obey"
    IGNORE = "ignore"
    IGNORE_FOR_EMBEDS = "ignore-for-embeds"


class TlsPolicy(enum.StrEnum):
    """What a certificate must be for a page to be taken."""

    OPEN = "open"  # anything: an archive wants the page, and records that nobody vouches for it
    NORMAL = "normal"  # a chain to a known authority and dates that are right; the name may differ
    STRICT = "strict"  # as a browser


class OverLimit(enum.StrEnum):
    """What becomes of a download that is too large or takes too long."""

    TRUNCATE = "truncate"
    DROP = "drop"


class Seed(_Part):
    url: str
    tag: str = ""
    """What the seed belongs to: the source tag in the log. Empty: the seed itself."""


class Scope(_Part):
    kind: ScopeKind = ScopeKind.HOST
    page_hops: Count = 0
    """For `page`: links followed from each seed; 1 is page+1."""
    suffixes: tuple[str, ...] = ()
    """For `suffixes`: every host under one of them is in, such as `fr` and `re`."""
    max_hops: Count = 20
    """Links and embeds from the seed, together, without redirects. What a page at the limit embeds is in."""
    max_embed_hops: Count = 2
    """Embedded files followed outside the scope; redirects do not count."""
    max_speculative_hops: Count = 1
    """Addresses guessed in scripts that may be among those. Only files, such as pictures and further scripts:
    a page outside the scope is nothing that a page in it needs."""
    widen_redirected_seeds: bool = True
    """A seed that redirects to another host adds exactly that host; for `path`, the folder there."""
    accept: tuple[str, ...] = ()
    """Regular expressions; an address that one finds is in scope, whatever its host."""
    reject: tuple[str, ...] = ()
    """Regular expressions; an address that one finds is out of scope. They are stronger than `accept`."""
    traps: Mapping[str, tuple[str, ...]] = {}
    """Regular expressions that reject, by registered domain or host."""
    contain_traps: bool = True
    """What looks like a trap while the crawl runs is filtered out at once, by the filter that is proposed."""
    max_path_depth: Count = 20
    """Segments of a path, at most."""
    max_repetitions: Count = 2
    """How often a segment of the path, or a run of them, may stand in a row. 0: as often as it likes."""
    max_url_length: Count = 4096
    """Characters of an address, at most."""
    registries: tuple[str, ...] = ()
    """Second-level registries beside the public suffix list: asso.fr, gouv.fr."""


class Budget(_Part):
    """Of one queue, of one source, or of a job. None: that of all queues counts, or there is none."""

    max_objects: Count | None = None
    max_bytes: Count | None = None


class Queues(_Part):
    by: QueueBy = QueueBy.HOST
    order: QueueOrder = QueueOrder.HOPS
    """Which pages come first: those with the fewest links from the seed, those with the shortest path, or as
    they are found. What a page embeds is asked for with it."""
    first: tuple[str, ...] = ()
    """Regular expressions; pages that one finds come before all others of their queue."""
    last: tuple[str, ...] = ()
    """Regular expressions; what one finds comes after all pages of its queue, embedded files too. They are
    stronger than `first`."""
    replenish: Some = 3000
    """Objects taken from a queue before another one has its turn."""
    max_objects: Count | None = None
    """Budget of each queue, in objects."""
    max_bytes: Count | None = None
    """Budget of each queue, in bytes received."""
    budgets: Mapping[str, Budget] = {}
    """Budgets of single queues, by host or, with `by = "domain"`, by registered domain, in lower case and
    ASCII. They are stronger than the two above."""
    error_penalty: Count = 0
    """What a failure costs a queue besides the one object."""
    parallel: Some = 1
    """Downloads from one queue at the same time."""
    parallel_server: Some = 1
    """Downloads from one server address at the same time, whatever the queues."""
    active: Some = 5000
    """Queues in rotation at the same time; the others wait."""


class Politeness(_Part):
    delay_factor: Annotated[float, Field(ge=0, le=1000)] = 5.0
    """The pause after a download, as a multiple of its duration."""
    min_delay: Seconds = 3.0
    """Seconds; no pause is shorter."""
    max_delay: Seconds = 30.0
    """Seconds; no pause is longer, unless the server asks for it."""
    server_min_delay: Seconds | None = None
    """The least pause between downloads from one server address. None: as `min_delay`."""
    max_crawl_delay: Seconds = 300.0
    """A Crawl-delay of robots.txt is kept up to this."""
    max_retry_after: Seconds = 3600.0
    """A Retry-After of a server is kept up to this."""
    max_bytes_per_second: Count | None = None
    """From one server."""


class Limits(_Part):
    max_objects: Count | None = None
    """Objects captured in the whole crawl; robots.txt, name look-ups and favicons do not count."""
    max_bytes: Count | None = None
    """Bytes received in the whole crawl."""
    sources: Mapping[str, Budget] = {}
    """Budgets by the tag of seeds: what may be collected from these seeds, wherever they lead; robots.txt,
    name look-ups and favicons do not count. In a crawl of whole sites, what lies in the domain of another tag
    counts for that one."""
    share: Budget = Budget()
    """What the crawl may collect of a budget that it shares with others. There it waits: whoever knows the
    others tells it of more, or ends it."""
    max_seconds: Seconds | None = None
    """Seconds of crawling, those before an interruption included."""
    max_download_bytes: Count | None = 10_000_000_000
    """Of one response: some have no end."""
    max_download_seconds: Seconds = 1200.0
    """Of one download."""
    over_limit: OverLimit = OverLimit.TRUNCATE
    no_response_seconds: Seconds | None = None
    """The crawl ends when nothing was received for so long."""
    inactivity_seconds: Seconds | None = None
    """The crawl ends when no queue was active for so long."""
    min_free_disk: Count = 1_000_000_000
    """Bytes; below it the crawl pauses until there is more."""


class Credential(_Part):
    """For a domain and all its hosts, and never sent to any other."""

    domain: str
    kind: Annotated[str, Field(pattern="^(basic|digest|form)$")]
    realm: str = ""
    """For basic and digest: only for this realm. Empty: any."""
    user: str = ""
    password: SecretStr = SecretStr("")
    login_url: str = ""
    """For forms: the page with the form, or where it is sent to; asked before all else of the domain."""
    fields: Mapping[str, SecretStr] = {}
    """For forms: what is filled in. Hidden fields and tokens are sent as the page holds them."""

    @field_serializer("password", "fields", when_used="json")
    def _in_the_crawl_folder_only(
        self, value: SecretStr | Mapping[str, SecretStr], info: FieldSerializationInfo
    ) -> object:
        """Secrets are masked wherever an order is shown or archived; the crawl itself has to keep them."""
        if (info.context or {}).get("secrets"):
            if isinstance(value, SecretStr):
                return value.get_secret_value()
            return {name: one.get_secret_value() for name, one in value.items()}
        return str(value) if isinstance(value, SecretStr) else {name: str(one) for name, one in value.items()}


class Fetching(_Part):
    connections: Annotated[int, Field(ge=1, le=10_000)] = 100
    """Downloads at the same time."""
    connect_seconds: Seconds = 20.0
    silence_seconds: Seconds = 20.0
    """A server that sends nothing for so long is given up."""
    max_head_bytes: Annotated[int, Field(ge=1024)] = 256 * 1024
    max_decoded_bytes: Count = 32 * 1024 * 1024
    """Of one response, for the search for links: what a compressed body may grow to."""
    tls: TlsPolicy = TlsPolicy.OPEN
    tls_authorities: str = ""
    """A file of certificates (PEM) that are trusted beside those of the system."""
    proxy: str = ""
    """http://[user:password@]host:port or socks5://…; empty: none."""
    proxy_resolves: bool = False
    """The proxy is given names, not addresses: for networks in which only it knows them. The rules for
    addresses are then the proxy's own."""
    dns_servers: tuple[str, ...] = ()
    """Addresses, with `:port` if need be. Empty: those of the system."""
    dns_seconds: Seconds = 10.0
    dns_records: bool = True
    """Whether answers of name servers are recorded."""
    ip_version: Annotated[str, Field(pattern="^(any|4|6)$")] = "any"
    bind_address: str = ""
    allowed_ranges: tuple[str, ...] = ()
    """Networks that may be visited although they are denied by default."""
    seeds_open_ranges: bool = True
    """A seed in a network that is denied by default opens it. In planned harvests only `allowed_ranges`
    opens anything: whoever owns the name of a seed says where it leads."""
    denied_ranges: tuple[str, ...] = ()
    """Networks that must not be visited, beside the loopback, private and link-local ones."""
    accept: str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    accept_language: str = ""
    accept_encoding: str = "gzip, deflate, br"
    """What servers are told we can decode; recorded bytes are as sent. `identity` asks for none."""
    headers: tuple[tuple[str, str], ...] = ()
    """Further request headers."""
    send_referer: bool = True
    cookies: bool = True
    cookie_file: str = ""
    """Cookies to begin with, in Netscape's format; servers do not overwrite them."""
    credentials: tuple[Credential, ...] = ()
    max_redirects: Count = 20
    """In a row."""

    @field_serializer("proxy", when_used="json")
    def _without_password(self, value: str, info: FieldSerializationInfo) -> str:
        """User and password of a proxy are nobody's business but the crawl's."""
        scheme, there, rest = value.partition("://")
        if (info.context or {}).get("secrets") or "@" not in rest:
            return value
        return f"{scheme}{there}***@{rest.rpartition('@')[2]}"


class Retries(_Part):
    attempts: Some = 4
    """For what may pass: names that do not resolve, refused and lost connections, 429, 503. Of a host that
    cannot be reached less is expected: addresses guessed in scripts are tried once; where a name server says
    that there is no such name, embedded files once, linked pages twice, and seeds this often. As long as
    nobody has answered, the name of a seed is looked up three times at most (but for jobs of planning), and
    twice if there is none."""
    delay: Seconds = 300.0
    """Before the second attempt; doubled for each further one. For names of seeds that do not resolve, at
    most 30 as long as nobody has answered."""
    robots_delay: Seconds | None = None
    """Before a robots.txt that was out of reach is asked for again; meanwhile what it speaks for waits, and
    nothing else: neither other ports nor the other scheme of the host. None: as `delay`, but at least 60."""


class Recording(_Part):
    template: Annotated[str, Field(max_length=150)] = "{prefix}-{time}-{serial}-{host}"
    """How files are named: `{prefix}`, `{time}` and `{serial}` are needed; between them letters, digits and
    `.`, `_`, `-`."""
    values: Mapping[str, str] = {"prefix": "ARMARIUM"}
    max_file_bytes: Some = 1_000_000_000
    digest: Annotated[str, Field(pattern="^(sha1|sha256|blake3)$")] = "sha1"
    metadata: bool = True
    """A metadata record for each capture: how it was found, how long it took, its links."""
    log_places: bool = True
    """crawl.log has a thirteenth column: where each capture stands, as JSON. Without it the annotations are
    the last column, as older scripts expect, and no index is made of the log."""
    duplicates: Annotated[str, Field(pattern="^(none|url|digest)$")] = "url"
    """What makes a capture a repeated one: the same address and digest, the digest alone, or nothing does."""
    duplicates_within: bool = True
    """Whether captures of this very crawl count too."""
    digest_index: tuple[str, ...] = ()
    """CDXJ files of earlier harvests."""
    duplicates_skip_text: bool = False
    """Text is recorded whole each time."""
    min_duplicate_bytes: Count = 0
    conditional_requests: bool = False
    """Ask only for what changed since the captures of the digest index."""


class Extraction(_Part):
    javascript: bool = True
    max_links: Count = 6000
    """Addresses taken from one document, each once, whatever their fragments. What is beyond is counted in
    crawl.log (`dol:`), and `armarium harvest why` tells of it."""
    max_pdf_bytes: Count = 10_000_000
    favicon: bool = True
    """Ask for /favicon.ico where a seed answered, after everything else of its host, whether or not a page
    names it: browsers do, too. It counts as no object."""
    sitemaps: bool = True
    """Read robots.txt and the sitemaps it names for addresses, even where robots.txt is not obeyed."""
    follow_nofollow: bool = True


class Identity(_Part):
    user_agent: str = "Mozilla/5.0 (compatible; armarium/{version}{contact})"
    """`{version}` and `{contact}` are filled in; the contact with ` +` before it."""
    product: str = "armarium"
    """The name for which robots.txt is read."""
    contact: str = ""
    """An address on the web where webmasters read who crawls."""
    mail: str = ""
    """Sent as From."""
    operator: str = ""
    publisher: str = ""
    audience: str = ""
    description: str = ""
    is_part_of: str = ""


class Harvest(_Part):
    """What the crawl is a part of; planning says it of its jobs."""

    definition: Some | None = None
    """The number of the harvest."""
    name: str = ""
    kind: str = ""
    comments: str = ""
    audience: str = ""
    run: Count | None = None
    """Which run of the harvest it is: 1, 2, …"""
    job: Some | None = None
    planned: str = ""
    """When the job was made."""
    channel: str = ""
    schedule: str = ""
    profile: str = ""
    profile_version: Count | None = None
    collections: tuple[str, ...] = ()
    """Collections to which its captures belong: of selection, and of the archive."""
    aliases: Mapping[str, str] = {}
    """Domains that are not harvested themselves, each with the domain that stands for it."""
    duplicate_jobs: tuple[int, ...] = ()
    """Jobs whose captures are in the digest index."""


class CrawlOrder(_Part):
    """One crawl, whole."""

    name: Annotated[str, Field(max_length=150)] = "crawl"
    """Stands in reports and in the name of the metadata file."""
    seeds: tuple[Seed, ...] = ()
    """Tables with `url` and, if wanted, `tag`; those of the command line are added."""
    robots: RobotsPolicy = RobotsPolicy.OBEY
    scope: Scope = Scope()
    queues: Queues = Queues()
    politeness: Politeness = Politeness()
    limits: Limits = Limits()
    fetching: Fetching = Fetching()
    retries: Retries = Retries()
    recording: Recording = Recording()
    extraction: Extraction = Extraction()
    identity: Identity = Identity()
    harvest: Harvest = Harvest()

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.scope.kind is ScopeKind.SUFFIXES and not self.scope.suffixes:
            raise ValueError(
                "scope.kind is 'suffixes', but scope.suffixes names none; for example ['fr', 're']."
            )
        if self.politeness.min_delay > self.politeness.max_delay:
            raise ValueError(
                f"politeness.min_delay ({self.politeness.min_delay}) is more than "
                f"politeness.max_delay ({self.politeness.max_delay})."
            )
        self._check_template()
        return self

    def _check_template(self) -> None:
        template = self.recording.template
        missing = [f"{{{name}}}" for name in _NEEDED if name not in _PLACE.findall(template)]
        if missing:
            raise ValueError(f"recording.template lacks {' and '.join(missing)}: files would share a name.")
        if not _LITERAL.fullmatch(_PLACE.sub("", template)):
            raise ValueError(
                "recording.template may hold letters, digits and . _ - beside its places in braces: "
                "it names a file, not a folder."
            )


def merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`under` with everything that `over` says; tables are merged key by key."""
    result = dict(under)
    for key, value in over.items():
        before = result.get(key)
        both = isinstance(before, Mapping) and isinstance(value, Mapping)
        result[key] = merged(before, value) if both else value  # type: ignore[arg-type]
    return result
