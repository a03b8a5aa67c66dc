"""The memory of a crawl with a million addresses in its frontier.

    python -m bench.crawl.memory [--urls 1000000]

A server on loopback names them all in sitemaps. The crawl reads these, and is ended when it has taken them
in.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil

AT_ONCE = 50_000  # the most that a sitemap may name


class Sitemaps(BaseHTTPRequestHandler):
    """robots.txt names the sitemaps, these name the addresses, and those do not exist."""

    urls = 0
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        here = f"http://{self.headers['Host']}"
        status, body = 404, b"nothing"
        if self.path == "/":
            status, body = 200, b"<p>Nothing but sitemaps."
        elif self.path == "/robots.txt":
            maps = (f"Sitemap: {here}/sitemap-{begin}.xml\n" for begin in range(0, self.urls, AT_ONCE))
            status, body = 200, "".join(maps).encode()
        elif self.path.startswith("/sitemap-"):
            begin = int(self.path[len("/sitemap-") : -len(".xml")])
            places = (
                f"<url><loc>{here}/{_path(number)}</loc></url>" for number in range(begin, begin + AT_ONCE)
            )
            status, body = 200, f"<urlset>{''.join(places)}</urlset>".encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if self.path == "/" else "text/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """It is not the server that is measured."""


def _path(number: int) -> str:
    return f"articles/{number % 97}/year-{number % 31}/a-page-with-a-usual-name-{number}.html"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--urls", type=int, default=1_000_000)
    Sitemaps.urls = parser.parse_args().urls
    server = ThreadingHTTPServer(("127.0.0.1", 0), Sitemaps)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        seed = f"http://127.0.0.1:{server.server_address[1]}/"
        facts = _crawled(seed, Path(folder) / "crawl", Sitemaps.urls)
    print(json.dumps(facts, indent=2))  # noqa: T201
    return 0


def _crawled(seed: str, out: Path, urls: int) -> dict[str, float]:
    command = [sys.executable, "-m", "armarium"]
    crawl = subprocess.Popen([*command, "crawl", seed, "--out", str(out), "--delay", "0", "-q"])  # noqa: S603
    process = psutil.Process(crawl.pid)
    most, discovered, begun = 0, 0, time.monotonic()
    while discovered < urls and crawl.poll() is None:
        time.sleep(0.5)
        most = max(most, process.memory_info().rss)
        asked = subprocess.run(  # noqa: S603
            [*command, "harvest", "status", str(out), "--json"], capture_output=True, check=False
        )
        discovered = json.loads(asked.stdout)["discovered"] if asked.returncode == 0 else discovered
    cpu = process.cpu_times()
    facts = {
        "urls": discovered,
        "megabytes": round(most / 1e6, 1),
        "cpu_seconds": round(cpu.user + cpu.system, 1),
        "seconds": round(time.monotonic() - begun, 1),
        "frontier_bytes_per_url": round(
            sum(path.stat().st_size for path in (out / "state").glob("frontier*")) / discovered
        ),
    }
    subprocess.run([*command, "harvest", "terminate", str(out)], check=False, capture_output=True)  # noqa: S603
    crawl.wait()
    return facts


if __name__ == "__main__":
    raise SystemExit(main())
