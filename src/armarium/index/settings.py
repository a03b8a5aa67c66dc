"""Settings of the index."""

from pydantic import SecretStr

from armarium.settings import Section, key


class IndexSettings(Section, name="index"):
    """Where the runs of the index lie, and when they are merged."""

    location: str = key(
        "index", "A folder, absolute or below the data folder, or s3://bucket/prefix.", min_length=1
    )
    endpoint: str = key("", "Address of the S3 server; empty: Amazon's.")
    region: str = key("us-east-1", "Region of the S3 server.")
    access_key: str = key("", "Name of the key for S3.")
    secret_key: SecretStr | None = key(None, "The key for S3.")
    allow_http: bool = key(False, "Talk to the S3 server without encryption.")
    cache_megabytes: int = key(
        256,
        "Memory in which a process that looks captures up keeps the blocks that it read last.",
        ge=1,
        le=1_000_000,
    )
    per_harvest: bool = key(True, "Keep an index of its own for each harvest definition.")
    sample: int = key(
        20, "Lines of an index that came with its file that are compared with the file.", ge=1, le=10_000
    )
    keep_retired_hours: int = key(
        24, "Hours for which a run that was merged is kept for those who read it.", ge=0
    )
    merge_days: int = key(
        7, "Days of runs that may stand beside the big one before they are merged into it.", ge=1
    )
