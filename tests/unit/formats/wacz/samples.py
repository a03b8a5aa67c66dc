"""WACZ packages, made by hand as others make them."""

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping

from tests.unit.formats.warc.samples import record

WARC = record() + record(uri="http://example.org/two")
PAGES = (
    b'{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}\n'
    b'{"url": "http://example.org/", "ts": "2026-01-02T03:04:05Z", "title": "Example", "text": "Words"}\n'
)
FILES = {"archive/data.warc": WARC, "pages/pages.jsonl": PAGES}


def wacz(
    files: Mapping[str, bytes] = FILES, *, packed: bool = False, listed: Mapping[str, bytes] | None = None
) -> bytes:
    """A package; `listed` is what the list says is in it, if that is something else."""
    target = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with zipfile.ZipFile(target, "w", method) as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path), content, method)
        resources = [
            {"path": path, "hash": f"sha256:{hashlib.sha256(content).hexdigest()}", "bytes": len(content)}
            for path, content in (files if listed is None else listed).items()
        ]
        facts = {"profile": "data-package", "wacz_version": "1.1.1", "title": "Two pages"}
        text = json.dumps({**facts, "created": "2026-02-03T04:05:06Z", "resources": resources}).encode()
        archive.writestr(zipfile.ZipInfo("datapackage.json"), text, method)
        digest = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(text).hexdigest()}"}
        archive.writestr(zipfile.ZipInfo("datapackage-digest.json"), json.dumps(digest), method)
    return target.getvalue()
