"""What strangers and colleagues write stays text on every page that shows it."""

import re
from pathlib import Path
from typing import Any

import pytest

from armarium.core.actor import SYSTEM
from armarium.core.errors import Refused
from armarium.db.database import Database
from armarium.selection.bulk.model import Changes
from armarium.selection.collections.model import Choices
from armarium.selection.exchange.model import Mode
from armarium.selection.exchange.service import Imports
from armarium.selection.findings.service import Findings
from armarium.selection.legal.model import Criterion
from armarium.selection.legal.service import LegalScope
from armarium.selection.model import RecordState
from armarium.selection.nominations.model import Proposal, checked
from armarium.selection.records.model import Further
from armarium.selection.search.model import Question, Shared, Sharing
from armarium.selection.search.service import Searches
from armarium.selection.settings import SelectionSettings
from armarium.server.assembly import TASK_KINDS
from armarium.tasks.service import Tasks
from tests.integration.selection.bulk.desk import edits, these
from tests.integration.selection.records.desk import Desk
from tests.integration.selection.world import world
from tests.site import running_site

EVIL = """x"'><script>alert(1)</script><b onclick='a'>{{7*7}}%(name)s"""


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", " JavaScript:alert(1)", "data:text/html,x", "java\tscript:a", "file:///x"],
)
def test_no_nomination_links_to_a_script(address: str) -> None:
    with pytest.raises(Refused):
        checked(Proposal(address))


def test_hostile_texts_are_only_ever_shown(database: Database, tmp_path: Path) -> None:
    library = world(database)
    with running_site(database, tmp_path) as site:
        desk = Desk(site, library)
        addresses = written(desk)
        cora = desk.enter("cora")
        for address in addresses:
            answer = cora.get(address)
            assert answer.status_code in {200, 422}, address
            assert "<script>alert" not in answer.text, address
            assert "<b onclick" not in answer.text, address
            assert not re.search(r"(href|src|action)=.?\s*(javascript|data):", answer.text), address
            assert "alert(1)" in answer.text, address  # it is there, as text


def written(desk: Desk) -> list[str]:
    """Write it wherever somebody may; the pages that show it."""
    here = desk.library
    here.collections.change(SYSTEM, here.press.id, Choices(EVIL[:90], open_to_nominations=True))
    place = f"https://evil.example/?q={EVIL}"
    values: dict[str, Any] = {
        "title": EVIL,
        "keywords": (EVIL,),
        "content_notes": EVIL,
        "technical_notes": EVIL,
        "further": (Further(place, EVIL),),
        "responsible": here.numbers["cora"],
    }
    record = here.record(place, **values)
    here.records.comment(here.ben, record.id, EVIL)
    Findings(here.database).add(here.ben, record.id, EVIL, EVIL)
    LegalScope(here.database, SelectionSettings()).note(here.cora, record.id, Criterion.OTHER, True, EVIL)
    second = here.record("https://other.example/", title=EVIL, responsible=here.numbers["cora"])
    here.records.decide(here.cora, [second.id], RecordState.REFUSED, EVIL)
    saved = Searches(here.database).save(
        here.ada, EVIL, Question(q=EVIL, keyword=(EVIL,)), Sharing(Shared.EVERYBODY)
    )
    bulk = edits(here.database).preview(here.cora, these(record), Changes(content_notes=EVIL))
    imports = Imports(here.database, Tasks(here.database, TASK_KINDS), SelectionSettings())
    text = f'address;theme;{EVIL.replace(";", "")}\n"{EVIL.replace(chr(34), chr(34) * 2)}";x;y\n'
    kept = imports.keep(here.cora, EVIL, [text.encode()], Mode.TRIAL, here.press.id)
    imports.run(kept.id)
    stranger = desk.site.client()
    proposal = {"address": place, "title": EVIL, "reason": EVIL, "name": EVIL}
    assert "alert(1)" in stranger.submit("/nominate", proposal, page="/nominate").text
    base = f"/selection/records/{record.id}"
    return [
        "/selection/records",
        f"/selection/records?{saved.query}",
        *(
            base + part
            for part in ("", "/edit", "/move", "/history", "/findings", "/scope", "/panels/findings")
        ),
        "/selection/findings",
        "/selection/tray",
        "/selection/nominations",
        "/selection/nominations/1",
        "/selection/searches",
        f"/selection/searches/{saved.id}",
        "/selection/import",
        f"/selection/import/{kept.id}",
        f"/selection/bulk/{bulk.id}",
        f"/selection/bulk/new?which=all&search={saved.query.replace('&', '%26')}",
        "/selection/collections",
        f"/selection/collections/{here.press.id}",
        "/selection/enter",
        "/nominate",
        "/selection/transfer",
    ]
