"""Debian's nginx before a site, as a child process, with a server block of the documentation."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.sites.certificates import Authority

PROGRAM = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin")
PATIENCE = 60.0

AROUND = """
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {server}
}}
"""


@contextmanager
def before(folder: Path, documented: str, authority: Authority, backend: int) -> Iterator[int]:
    """The port of the proxy; it speaks for `localhost`, and everything goes on to the port `backend`."""
    if PROGRAM is None:
        pytest.skip("nginx is not installed: sudo apt-get install nginx")
    folder.mkdir()
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = int(free.getsockname()[1])
    certificate = authority.file_for("localhost")
    server = documented.replace("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;")
    for told in ("/etc/ssl/webarchive.pem", "/etc/ssl/webarchive.key"):
        server = server.replace(told, str(certificate))
    for told in ("127.0.0.1:8000", "127.0.0.1:8090"):
        server = server.replace(told, f"127.0.0.1:{backend}")
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder, server=server))
    process = subprocess.Popen([PROGRAM, "-p", str(folder), "-c", str(folder / "nginx.conf")])
    try:
        _wait_for(process, port, folder / "error.log")
        yield port
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _wait_for(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
        except OSError:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < until, "nginx does not listen"
            time.sleep(0.02)
