"""Every file of a crawl says where it comes from."""

from pathlib import Path

from tests.integration.harvest.crawl.harvesting import harvested, ordered
from tests.integration.harvest.crawl.website import page, website


def test_all_files_of_a_job_name_its_harvest_and_the_address_of_the_crawler(tmp_path: Path) -> None:
    facts = {"definition": 12, "name": "Elections", "run": 3, "job": 40, "aliases": {"b.test": "a.test"}}
    with website({"/": page(b"page")}) as site:
        seed = f"http://127.0.0.1:{site.port}/"
        order = ordered(seed, name="job-40", harvest=facts, fetching={"bind_address": "127.0.0.1"})
        harvest = harvested(tmp_path, order)
    told = [record.block for record in harvest.all_records if record.kind == "warcinfo"]
    assert len(told) == 2
    for block in told:
        assert b"\r\nip: 127.0.0.1\r\n" in block
        assert b"\r\nharvestInfo.origHarvestDefinitionName: Elections\r\n" in block
        assert b"\r\nharvestInfo.harvestNum: 3\r\n" in block
    base, query = "metadata://armarium/crawl/setup", "?crawl=job-40&harvestid=12&harvestnum=3&jobid=40"
    parts = {record.url: record.block for record in harvest.all_records}
    assert parts[f"{base}/aliases{query}"] == b"b.test is an alias for a.test\n"
    assert b"<jobId>40</jobId>" in parts[f"{base}/harvestInfo.xml{query}"]
    assert b'"Elections"' in parts[f"{base}/order.json{query}"]
