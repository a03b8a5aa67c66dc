"""The settings file of the demonstration."""

from armarium.demo.folder import DemoFolder, Ports
from armarium.demo.ports import HOST

SETTINGS = """\
# The settings of a demonstration, written anew by `armarium demo` each time it is opened: what you change
# here is lost. Nothing here reaches beyond this machine.

[web]
library = "Demonstration"
host = "{host}"
port = {staff}

[access]
host = "{host}"
port = {readers}

[server]
workers = 1
collectors = 2

[collector]
name = "crawler"
slots = 1
min_free_bytes = 0

# The small web is on the loopback, which no look at an address and no crawl would enter otherwise; names
# are asked of its own name server, which knows no others.
[entry]
allowed_ranges = ["{host}/32"]
dns_servers = ["{host}:{names}"]
pause = 0.0
seconds = 60.0
pictures = {pictures}

# A demonstration is over in a minute: jobs are small, and collectors ask often.
[planning]
max_configurations = 12
min_absolute_size_difference = 10000
lease_wait_seconds = 0.5
arrivals_reserve_bytes = 0
operator = "Demonstration of Armarium"
contact = "http://localhost:{web}/"

[processes]
heartbeat_seconds = 2.0
"""

#: What every profile that comes with Armarium gets besides: the loopback, its name server, and no patience.
CRAWLING = {
    "politeness": {"delay_factor": 0.0, "min_delay": 0.0, "max_delay": 0.0, "server_min_delay": 0.0},
    "queues": {"parallel": 2, "parallel_server": 16},
    "retries": {"attempts": 2, "delay": 0.5},
    "limits": {"min_free_disk": 0, "max_seconds": 60.0},
}


def furnish(folder: DemoFolder, ports: Ports, *, pictures: bool = True) -> None:
    text = SETTINGS.format(host=HOST, pictures=str(pictures).lower(), **vars(ports))
    folder.settings.touch(mode=0o600)
    folder.settings.write_text(text)


def fetching(ports: Ports) -> dict[str, object]:
    return {"allowed_ranges": [f"{HOST}/32"], "dns_servers": [f"{HOST}:{ports.names}"]}
