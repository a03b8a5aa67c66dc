"""The table of rules, complete and well formed."""

import re
from pathlib import Path

import pytest

import armarium.formats
from armarium.formats.gzip.member import DAMAGE as GZIP_DAMAGE
from armarium.formats.problem import Severity
from armarium.formats.validation import RULES, TABLES
from armarium.formats.validation.policy import MATRIX_1_0, MATRIX_1_1, TYPES
from armarium.formats.validation.report import translated
from armarium.formats.warc.damage import DAMAGE
from armarium.formats.zstd.frames import DAMAGE as ZSTD_DAMAGE

FORMATS = Path(armarium.formats.__path__[0])
# Codes that are put together from a family and a fault ("warc-date-" + "zone").
COMPOSED = ("warc-date-", "warc-uri-", "warc-ip-", "warc-payload-digest-")


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_each_rule_has_a_code_a_message_and_a_hint(rule: object) -> None:
    found = RULES[getattr(rule, "code")]  # noqa: B009
    assert re.fullmatch(r"(gzip|zstd|arc|warc|http)(-[a-z0-9]+)+", found.code)
    assert found.message.endswith(".")
    assert found.hint.endswith((".", "?"))
    assert found.severity in Severity


def test_no_code_is_declared_twice() -> None:
    assert len(RULES) == sum(len(table) for table in TABLES.values())


def test_every_rule_is_used_by_a_check() -> None:
    source = "".join(
        file.read_text() for file in FORMATS.rglob("*.py") if not file.name.endswith("_rules.py")
    )
    unused = [code for code in RULES if f'"{code}"' not in source and not code.startswith(COMPOSED)]
    assert unused == []


@pytest.mark.parametrize("code", [*DAMAGE.kinds, *GZIP_DAMAGE.kinds, *ZSTD_DAMAGE.kinds])
@pytest.mark.parametrize("arc", [False, True])
def test_everything_the_reader_finds_is_in_the_table(code: str, arc: bool) -> None:
    known = translated(code, arc=arc)
    assert known is None or known in RULES


def test_the_matrix_has_a_cell_for_each_type() -> None:
    for row in (*MATRIX_1_0.values(), *MATRIX_1_1.values()):
        assert len(row.replace(" ", "")) == len(TYPES)
