"""One rule of the standards: its stable code, its weight, its clause, and what to say when it is broken.

The rules stand in tables, one row per rule (`gzip_rules`, `warc_rules`, …); `table.RULES` is all of them.
Checks name a rule by its code and add the facts.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from armarium.formats.problem import Problem, Severity

# JHOVE numbers its messages by the order of JWAT's diagnosis types: WARC-KB-100 is DUPLICATE, and so on.
JWAT_TYPES = (
    "DUPLICATE",
    "EMPTY",
    "ERROR",
    "ERROR_EXPECTED",
    "INVALID",
    "INVALID_DATA",
    "INVALID_ENCODING",
    "INVALID_EXPECTED",
    "RECOMMENDED",
    "RECOMMENDED_MISSING",
    "REQUIRED_INVALID",
    "REQUIRED_MISSING",
    "RESERVED",
    "UNDESIRED_DATA",
    "UNKNOWN",
)
# JHOVE 1.x has these two modules; ARC is only in JHOVE2, which gives no numbers.
JHOVE_MODULES = {"warc": "WARC-KB", "http": "WARC-KB", "gzip": "GZIP-KB"}
SHOWN = 120  # characters of a value quoted in a message


@dataclass(frozen=True, slots=True)
class Jwat:
    """What JWAT (and with it JHOVE and JHOVE2) calls the same finding."""

    type: str
    entity: str  # may have %(field)s


@dataclass(frozen=True, slots=True)
class Rule:
    code: str  # stable, kebab-case, the family first: gzip-, zstd-, arc-, warc-, http-
    severity: Severity
    clause: str  # of the standard; may have %(clause)s where it depends on the field
    message: str  # with %(fact)s places
    hint: str
    jwat: Jwat | None = None

    @property
    def family(self) -> str:
        return self.code.partition("-")[0]

    @property
    def jhove_id(self) -> str | None:
        module = JHOVE_MODULES.get(self.family)
        if self.jwat is None or module is None:
            return None
        return f"{module}-{JWAT_TYPES.index(self.jwat.type) + 100}"

    def problem(self, offset: int, record: int | None, facts: Mapping[str, object]) -> Problem:
        """The finding, with the facts filled in; values from the file are shortened and made printable."""
        shown = {name: printable(value) for name, value in facts.items()}
        clause = self.clause % shown if "%(" in self.clause else self.clause
        text = self.message % shown if shown else self.message
        return Problem(self.code, offset, text, self.severity, record, clause, self.hint)


def printable(value: object) -> object:
    """A value as a message may quote it: a hostile header must not flood or garble a terminal."""
    if not isinstance(value, str):
        return value
    cut = value if len(value) <= SHOWN else value[: SHOWN - 1] + "…"
    return cut if cut.isprintable() else "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in cut)


def rows(*rules: Rule) -> Mapping[str, Rule]:
    """A table of rules by code; a code declared twice is a mistake in the source."""
    table = {rule.code: rule for rule in rules}
    if len(table) != len(rules):
        raise ValueError("A code is declared twice.")
    return table
