"""Large captures are written beside the loop; nothing else may write between their bytes."""

import subprocess
import sys
from pathlib import Path

from tests.integration.harvest.crawl.harvesting import harvested, ordered, running, soon
from tests.integration.harvest.crawl.website import links, page, website
from tests.sites.name_server import NameServer, name_server

LARGE = page(b"".join(number.to_bytes(4, "big") for number in range(2_000_000)))


def test_names_small_and_large_captures_at_the_same_time_leave_whole_records(tmp_path: Path) -> None:
    hosts = [f"h{number}.example" for number in range(40)]
    zone = [f"{host}. 300 IN A 127.0.1.{number + 1}" for number, host in enumerate(hosts)]
    with (
        website({"/": LARGE}, host="127.0.0.3") as large,
        website({"/": page()}, host="0.0.0.0") as small,  # the names lead to many addresses of the loopback
        name_server(NameServer(zone)) as names,
    ):
        first = [f"{large.address}", f"{large.address}?1", f"{large.address}?2"]
        seeds = [f"http://{host}:{small.port}/" for host in hosts]
        order = ordered(*first, *seeds, fetching={"dns_servers": [names.address]})
        harvest = harvested(tmp_path, order)

    assert harvest.block(large.address) == LARGE
    assert sum(capture.url.startswith("dns:") for capture in harvest.captures) == len(hosts)
    assert whole(harvest.warcs)


def test_a_checkpoint_waits_for_a_large_capture(tmp_path: Path) -> None:
    paths = [f"/{number}" for number in range(6)]
    pages = {"/": links(*paths), **dict.fromkeys(paths, LARGE)}
    with website(pages) as site, running(tmp_path, ordered(site.address)) as live:
        for count in range(2, 6):
            assert soon(lambda count=count: len(site.asked) >= count)  # type: ignore[misc]
            live.ask("checkpoint")
        live.wait()

    harvest = live.harvest
    assert harvest.summary["counts"]["succeeded"] == 7
    assert sum(capture.block == LARGE for capture in harvest.captures) == 6
    assert not [line for line in harvest.log if line.status < 0]
    assert whole(harvest.warcs)


def whole(warcs: list[Path]) -> bool:
    """Whether other people's tool finds every record whole, with its digests."""
    tool = Path(sys.executable).parent / "warcio"
    return subprocess.run([tool, "check", *warcs], capture_output=True).returncode == 0
