"""Writes down what people and programs see of this checkout, so that two states can be compared.

    .venv/bin/python tools/surface.py HOME FOLDER

HOME is the data folder of a demonstration (`./run demo --no-stay`); a copy of it is opened, and it is not
changed. FOLDER gets the description of the API, and the pages that an administrator reaches by links, without
what differs in each answer: tokens, versions of files, how long ago something was. Do the same with the other
checkout and the same HOME, then `diff -r` the two folders. Commands are compared by
docs/reference/command-line.md.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import httpx

ARMARIUM = (sys.executable, "-m", "armarium")
OF_A_KIND = 2  # pages whose addresses differ in numbers and parameters only
LEAVES = ("/sign-out", "/static/", "/events", "/api/")
ANSWERS = re.compile(r'name="csrf_token" value="[^"]*"|\?v=[0-9a-f]+|data-since="[^"]*"')
MOMENTS = re.compile(r"\b\d+(?:\.\d+)? (?:seconds?|minutes?|hours?) ago\b|\b\d\d?:\d\d(?::\d\d)?\b|just now")
LINK = re.compile(r'(?:href|src)="([^"]+)"')


def write(folder: Path, name: str, text: str) -> None:
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


@contextmanager
def site(home: Path) -> Iterator[str]:
    """`armarium web` with a copy of this data folder; what runs by itself is not needed."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = str(probe.getsockname()[1])
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "home"
        shutil.copytree(home, copy, ignore=shutil.ignore_patterns("run", "postmaster.pid"))
        environment = {**os.environ, "ARMARIUM_HOME": str(copy), "ARMARIUM_WEB_PORT": port}
        with (Path(folder) / "log").open("wb") as log:
            started = subprocess.Popen([*ARMARIUM, "web"], env=environment, stdout=log, stderr=log)  # noqa: S603
        try:
            wait_for(f"http://127.0.0.1:{port}/sign-in", started)
            yield f"http://127.0.0.1:{port}"
        finally:
            started.terminate()
            started.wait(60)


def wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(1200):
        assert process.poll() is None, "the site has ended"
        try:
            httpx.get(address)
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(address)


def sign_in(client: httpx.Client, password: str) -> None:
    token = re.search(r'name="csrf_token" value="([^"]*)"', client.get("/sign-in").text)
    assert token
    form = {"name": "administrator", "password": password, "next": "/", "csrf_token": token[1]}
    assert client.post("/sign-in", data=form).status_code == 303


def write_pages(client: httpx.Client, folder: Path) -> int:
    base = str(client.base_url)
    waiting, seen, kinds = deque([f"{base}/"]), {f"{base}/"}, Counter[str]()
    while waiting:
        address = waiting.popleft()
        answer = client.get(address)
        path = address.removeprefix(base)
        if "text/html" not in answer.headers.get("content-type", ""):
            write(folder, f"other{re.sub('[^a-zA-Z0-9/._-]', '_', path)}.type", repr(answer))
            continue
        text = MOMENTS.sub("…", ANSWERS.sub("…", answer.text)).replace(base, "")
        write(folder, f"pages/{re.sub('[^a-zA-Z0-9._-]', '_', path)}.html", f"{answer.status_code}\n{text}")
        for link in LINK.findall(answer.text):
            target = urldefrag(urljoin(address, link.replace("&amp;", "&")))[0]
            kind = re.sub(r"\d+", "0", re.sub(r"=[^&]*", "=", target))
            if target in seen or not target.startswith(f"{base}/") or kinds[kind] == OF_A_KIND:
                continue
            if not target.removeprefix(base).startswith(LEAVES):
                seen.add(target)
                kinds[kind] += 1
                waiting.append(target)
    return len(seen)


def main() -> None:
    home, folder = Path(sys.argv[1]), Path(sys.argv[2])
    password = json.loads((home / "demonstration.json").read_text())["password"]
    with site(home) as address, httpx.Client(base_url=address, timeout=60) as client:
        sign_in(client, password)
        described = client.get("/api/openapi.json").json()
        write(folder, "api.json", json.dumps(described, indent=1, sort_keys=True))
        print(f"{write_pages(client, folder)} pages")


if __name__ == "__main__":
    main()
