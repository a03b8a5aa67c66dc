"""Every file of a job says which harvest it is of, in the words of NetarchiveSuite and Heritrix."""

import ipaddress
from xml.etree import ElementTree

from armarium.core.crawl_order import CrawlOrder, Harvest, Queues, Recording
from armarium.harvest.record.description import crawler_address, description
from armarium.harvest.reports.metadata_warc import harvest_ids, harvest_parts

HARVEST = Harvest(
    definition=12,
    name="Élections & <co>",
    comments="two\nlines",
    run=3,
    job=40,
    planned="2026-11-15T07:30:01+00:00",
    channel="selective",
    schedule="weekly",
    profile="host",
    collections=("elections", "politics"),
    aliases={"twin.example": "a.example"},
    duplicate_jobs=(7, 9),
)
ORDER = CrawlOrder(
    name="job-40",
    harvest=HARVEST,
    queues=Queues(max_bytes=500),
    recording=Recording(values={"prefix": "40-12"}, digest_index=("digests.cdxj",)),
)


def described(order: CrawlOrder) -> dict[str, str]:
    found = description(order, software="armarium", host="h", address="192.0.2.7", user_agent="agent")
    return dict(found)


def test_the_warcinfo_names_harvest_run_and_job() -> None:
    fields = described(ORDER)
    assert (fields["ip"], fields["isPartOf"]) == ("192.0.2.7", "job-40")
    told = {name: fields[f"harvestInfo.{name}"] for name in ("jobId", "harvestNum", "scheduleName")}
    assert told == {"jobId": "40", "harvestNum": "3", "scheduleName": "weekly"}
    assert fields["harvestInfo.origHarvestDefinitionID"] == "12"
    assert fields["harvestInfo.origHarvestDefinitionName"] == "Élections & <co>"
    assert fields["harvestInfo.origHarvestDefinitionComments"] == "two lines"
    assert fields["harvestInfo.collections"] == "elections, politics"
    assert fields["harvestInfo.maxBytesPerDomain"] == "500"
    assert "harvestInfo.maxObjectsPerDomain" not in fields


def test_the_metadata_file_has_harvest_aliases_and_the_jobs_that_were_not_stored_again() -> None:
    parts = {name: content for name, content, _ in harvest_parts(ORDER)}
    told = ElementTree.fromstring(parts["harvestInfo.xml"])
    assert told.tag == "harvestInfo"
    assert (told.findtext("version"), told.findtext("jobId"), told.findtext("harvestNum")) == (
        "0.6",
        "40",
        "3",
    )
    assert told.findtext("origHarvestDefinitionName") == "Élections & <co>"
    assert parts["aliases"] == b"twin.example is an alias for a.example\n"
    assert parts["duplicatereductionjobs"] == b"7,9"
    assert harvest_ids(ORDER) == [("harvestid", "12"), ("harvestnum", "3"), ("jobid", "40")]


def test_a_crawl_without_the_index_says_nothing_of_jobs_that_it_could_not_use() -> None:
    without = ORDER.model_copy(update={"recording": Recording()})
    assert "duplicatereductionjobs" not in [name for name, _, _ in harvest_parts(without)]


def test_a_crawl_that_nobody_planned_says_what_it_knows() -> None:
    alone = CrawlOrder(name="by-hand")
    assert not [name for name in described(alone) if name.startswith("harvestInfo.")]
    assert described(alone)["isPartOf"] == "by-hand"
    assert (list(harvest_parts(alone)), harvest_ids(alone)) == ([], [])


def test_the_address_of_the_crawler_is_one() -> None:
    assert crawler_address("192.0.2.9") == "192.0.2.9"
    if found := crawler_address():  # empty on a machine without a network
        assert not ipaddress.ip_address(found).is_unspecified
