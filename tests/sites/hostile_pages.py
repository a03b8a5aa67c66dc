"""Archived pages that want out: to the live web, to the frame around them, to the staff site.

`hostile_attempts.txt` has them, each a script below its name. A script may use `OUTSIDE` (a host of the live
web), `STAFF` (the staff site), and `STUN` (a port that speaks UDP). A page runs one of them.
"""

import re
from pathlib import Path

OUTSIDE = "outside.example"
_FILE = Path(__file__).with_name("hostile_attempts.txt")

ATTEMPTS: dict[str, str] = dict(re.findall(r"^== (.+)\n((?:(?!== ).*\n?)*)", _FILE.read_text(), re.MULTILINE))


def hostile(name: str, *, staff: str, stun: int) -> str:
    """The page that makes one attempt."""
    script = ATTEMPTS[name].replace("OUTSIDE", OUTSIDE).replace("STAFF", staff).replace("STUN", str(stun))
    tried = f"try {{\n{script}\n}} catch (e) {{}}"
    return (
        "<!doctype html><html><head><title>hostile</title></head><body><p>hostile</p><script>\n"
        f"addEventListener('load', () => {{\n{tried}\ndocument.title = 'done';\n}})\n</script></body></html>"
    )
