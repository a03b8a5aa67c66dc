"""S3 servers that no archive should trust: one overwrites whatever it is told not to, one is full."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Careless(BaseHTTPRequestHandler):
    """Knows objects, and takes no notice of `If-None-Match`."""

    protocol_version = "HTTP/1.1"
    objects: dict[str, bytes]
    full = False
    broken: dict[str, int]  # objects that are answered by this status

    def do_GET(self) -> None:
        if self.path in self.broken:
            return self._answer(self.broken[self.path], b"")
        content = self.objects.get(self.path)
        return self._answer(404 if content is None else 200, content or b"")

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_PUT(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        source = self.headers.get("x-amz-copy-source")
        if self.full:
            return self._answer(507, b"<Error><Code>InsufficientStorage</Code></Error>")
        self.objects[self.path] = self.objects["/" + source.lstrip("/")] if source else content
        return self._answer(200, b"<CopyObjectResult><ETag>&quot;1&quot;</ETag></CopyObjectResult>")

    def do_DELETE(self) -> None:
        self.objects.pop(self.path, None)
        self._answer(204, b"")

    def _answer(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", '"1"')
        self.send_header("Last-Modified", "Sun, 15 Nov 2026 10:00:00 GMT")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing to standard error."""


@contextmanager
def careless_s3(
    objects: dict[str, bytes] | None = None, *, full: bool = False, broken: dict[str, int] | None = None
) -> Iterator[str]:
    """The endpoint of such a server; `objects` by bucket and key."""
    world = {"objects": {} if objects is None else objects, "full": full, "broken": broken or {}}
    handler = type("Handler", (Careless,), world)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
