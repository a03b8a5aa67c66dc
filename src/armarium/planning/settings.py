"""Settings of planning."""

from armarium.settings import Section, key


class PlanningSettings(Section, name="planning"):
    """How jobs are made of domains, and what becomes of them."""

    max_total_size: int = key(8_000_000, "Objects expected in one job, at most.", ge=1)
    max_relative_size_difference: int = key(
        100, "The largest domain of a job may be expected to have so many times the smallest.", ge=1
    )
    min_absolute_size_difference: int = key(
        2000, "Objects; domains that differ by no more than this may share a job, whatever their ratio.", ge=0
    )
    error_factor_previous: int = key(
        10, "A domain harvested completely may have grown by this part of what it had.", ge=1
    )
    error_factor_guess: int = key(
        2, "A domain not yet harvested completely may have this part of what is left to its limit.", ge=1
    )
    average_object_bytes: int = key(
        38_000, "Bytes of an object, where too little was harvested to know better.", ge=1
    )
    unknown_domain_objects: int = key(5000, "Objects expected of a domain never harvested.", ge=1)
    trusted_objects: int = key(50, "Objects from which on a small average size is believed.", ge=0)
    max_configurations: int = key(10_000, "Domains in one job of a broad harvest, at most.", ge=1, le=100_000)
    chunk_size: int = key(10_000, "Configurations read and sorted at a time.", ge=1, le=1_000_000)
    preview_at_once: int = key(
        50_000, "A harvest of more domains is previewed in the background, not while a page waits.", ge=0
    )
    skip_zero_budgets: bool = key(True, "Leave out domains of which nothing may be taken.")
    alias_days: int = key(365, "Days after which an alias has to be confirmed again.", ge=1)
    default_max_bytes: int = key(1_000_000_000, "Byte limit of a new configuration.", ge=0)
    lease_seconds: int = key(
        600, "Seconds without news after which a job is taken from its collector.", ge=5, le=86_400
    )
    max_attempts: int = key(5, "Failures of one job, after which it is given out no more.", ge=1, le=100)
    retry_seconds: int = key(
        60, "Seconds until a job that failed is given out again; doubled for each further failure.", ge=0
    )
    lease_wait_seconds: float = key(
        10.0, "Seconds after which a collector that got no job may ask again.", gt=0, le=3600
    )
    enrolment_minutes: int = key(60, "Minutes for which a code lets a new collector enrol.", ge=1, le=10_080)
    arrivals_reserve_bytes: int = key(
        1_000_000_000, "Bytes of the disk that files from collectors must leave free.", ge=0
    )
    job_days: float = key(7.0, "Days after which a running job is told to end.", gt=0)
    keep_sample_days: int = key(90, "Days for which the progress of jobs is kept in detail.", ge=1)
    file_prefix: str = key(
        "",
        "What names of W/ARC files begin with, before the numbers of job and harvest.",
        pattern="^[A-Za-z0-9_]{0,40}$",
    )
    operator: str = key(
        "", "Who harvests, as W/ARC files say it; a profile may say otherwise.", max_length=200
    )
    contact: str = key(
        "",
        "Address on the web where webmasters read who harvests; a profile may say otherwise.",
        max_length=500,
    )
    mail: str = key("", "Mail address that servers are told; a profile may say otherwise.", max_length=255)
    late_minutes: int = key(
        60, "Minutes after which a run that could not begin counts as missed.", ge=1, le=10_080
    )
    yearly_budget_bytes: int = key(
        0, "Bytes that harvests may bring in a year, for the line in the calendar; 0: no budget.", ge=0
    )
    objects_per_hour: int = key(
        20_000, "Objects that a crawler takes in an hour, where no history tells better.", ge=1
    )
