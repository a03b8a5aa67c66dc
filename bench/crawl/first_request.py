"""What a crawl costs before its first request: CPU seconds of `armarium crawl` of one address on loopback.

python -m bench.crawl.first_request [--rounds 7]
"""

import argparse
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median


def seconds_of(process: int) -> float:
    """User and system time so far (proc(5): the 14th and 15th field)."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(folder: Path) -> float:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/"
        command = [sys.executable, "-m", "armarium", "crawl", address, "--out", str(folder), "--quiet"]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)  # noqa: S603
        try:
            connection, _ = server.accept()
            with connection:
                connection.recv(1)
                return seconds_of(process.pid)
        finally:
            process.kill()
            process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.crawl.first_request", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        all_ = [measured(Path(folder) / str(number)) for number in range(rounds)]
    sys.stdout.write(f"least {min(all_):.2f}, median {median(all_):.2f} CPU s\n")


if __name__ == "__main__":
    main()
