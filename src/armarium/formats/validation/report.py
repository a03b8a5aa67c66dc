"""The outcome of a validation: the verdict, the findings, and what was looked at."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from armarium.formats.problem import Problem, Severity
from armarium.formats.validation.rule import Rule
from armarium.formats.validation.table import RULES

PER_CODE = 100  # findings of one code that are kept; all are counted
WEIGHTS = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}


@dataclass(slots=True)
class Report:
    """What is known of one file. Its size does not depend on the file's: findings are kept up to a limit."""

    file: str
    format: str = "unknown"  # "warc", "arc", "gzip" or "unknown"
    version: str | None = None  # of the first record: "WARC/1.1", "ARC/1.0"
    compression: str = "none"
    whole_file: bool = False  # compressed as a whole instead of record by record
    records: int = 0
    types: Counter[str] = field(default_factory=Counter)  # records by type
    bytes: int = 0  # of the file, as far as it was read
    digests_checked: int = 0
    digests_matched: int = 0
    strict: bool = False  # warnings count against the file too, as with JHOVE
    limit: int | None = PER_CODE
    problems: list[Problem] = field(default_factory=list)  # in the order of the file
    counts: Counter[str] = field(default_factory=Counter)  # all findings by code
    _severities: dict[str, Severity] = field(default_factory=dict)  # of the codes found

    @property
    def valid(self) -> bool:
        return not self.errors and not (self.strict and self.warnings)

    @property
    def errors(self) -> int:
        return self.count_of(Severity.ERROR)

    @property
    def warnings(self) -> int:
        return self.count_of(Severity.WARNING)

    @property
    def notes(self) -> int:
        return self.count_of(Severity.NOTE)

    def count_of(self, severity: Severity) -> int:
        return sum(self.counts[code] for code, found in self._severities.items() if found is severity)

    @property
    def omitted(self) -> dict[str, int]:
        """How many findings of a code were counted but not kept."""
        kept = Counter(problem.code for problem in self.problems)
        return {code: count - kept[code] for code, count in self.counts.items() if count > kept[code]}

    def add(self, code: str, offset: int, record: int | None, facts: Mapping[str, object]) -> None:
        """Count a finding, and keep it while there are not too many of its code."""
        rule = RULES[code]
        if self._is_kept(rule):
            self.problems.append(rule.problem(offset, record, facts))

    def adopt(self, problem: Problem, code: str, offset: int, record: int | None) -> None:
        """Take over what a parser found, in its words, under the code and with the weight of the table."""
        rule = RULES.get(code) or rule_of(problem)
        if self._is_kept(rule):
            clause = rule.clause if "%(" not in rule.clause else problem.clause
            self.problems.append(
                Problem(code, offset, problem.message, rule.severity, record, clause, rule.hint)
            )

    def _is_kept(self, rule: Rule) -> bool:
        self.counts[rule.code] += 1
        self._severities[rule.code] = rule.severity
        return self.limit is None or self.counts[rule.code] <= self.limit

    def to_json(self) -> dict[str, object]:
        return {
            "file": self.file,
            "format": self.format,
            "version": self.version,
            "records": self.records,
            "valid": self.valid,
            "strict": self.strict,
            "errors": self.errors,
            "warnings": self.warnings,
            "notes": self.notes,
            "compression": self.compression,
            "whole_file": self.whole_file,
            "types": dict(self.types),
            "bytes": self.bytes,
            "digests": {"checked": self.digests_checked, "matched": self.digests_matched},
            "codes": dict(self.counts),
            "omitted": self.omitted,
            "problems": [problem_json(problem) for problem in self.problems],
        }


def rule_of(problem: Problem) -> Rule:
    """A rule for a code that is not in the table: what a parser learnt anew must not stop a report."""
    return Rule(problem.code, problem.severity, problem.clause, problem.message, problem.hint)


def problem_json(problem: Problem) -> dict[str, object]:
    """One finding for programs, with the name that JWAT and JHOVE have for it."""
    rule = RULES.get(problem.code) or rule_of(problem)
    return {
        "offset": problem.offset,
        "code": problem.code,
        "message": problem.message,
        "severity": str(problem.severity),
        "record": problem.record,
        "clause": problem.clause,
        "hint": problem.hint,
        "jwat": rule.jwat.type if rule.jwat else None,
        "jhove": rule.jhove_id,
    }


class Row(NamedTuple):
    """One line of the table for people; `message` alone for the line that says how many more there are."""

    severity: str
    code: str
    offset: int | None
    record: int | None
    message: str
    hint: str = ""


def table_rows(report: Report, per_code: int = 5) -> Iterator[Row]:
    """The findings grouped by code, the gravest first, each code cut off with "and N more"."""
    groups: dict[str, list[Problem]] = {}
    for problem in report.problems:
        groups.setdefault(problem.code, []).append(problem)
    for code, problems in sorted(groups.items(), key=lambda item: WEIGHTS[item[1][0].severity]):
        severity = str(problems[0].severity)
        for number, problem in enumerate(problems[:per_code]):
            hint = problem.hint if number == 0 else ""
            yield Row(severity, code, problem.offset, problem.record, problem.message, hint)
        more = report.counts[code] - min(len(problems), per_code)
        if more:
            yield Row(severity, code, None, None, f"and {more} more")


def summary(report: Report) -> str:
    """The verdict in one line."""
    verdict = "valid" if report.valid else "not valid"
    found = ", ".join(
        f"{count} {word if count == 1 else word + 's'}"
        for count, word in ((report.errors, "error"), (report.warnings, "warning"), (report.notes, "note"))
        if count
    )
    what = report.version or report.format
    return f"{report.file}: {verdict} ({what}, {report.records} records; {found or 'nothing found'})"


# --- The reader's words for damage, under the codes of the table.
#
# The reader says "record-truncated" of WARC and ARC alike; a report tells the two formats apart, so that each
# finding has the clause of its own standard.


# The reader's code → the code for a WARC file, the code for an ARC file.
CODES = {
    "archive-empty": ("warc-empty-file", "arc-empty-file"),
    "archive-unknown-compression": ("warc-format-unknown", "warc-format-unknown"),
    "archive-byte-order-mark": ("warc-byte-order-mark", "arc-data-before"),
    "archive-garbage": ("warc-data-before", "arc-data-before"),
    "archive-blank-lines": ("warc-empty-lines-before", "arc-empty-lines-before"),
    "archive-compression-changes": ("warc-compression-changes", "warc-compression-changes"),
    "record-truncated": ("warc-block-truncated", "arc-block-truncated"),
    "record-header-truncated": ("warc-header-truncated", "arc-header-truncated"),
    "record-header-too-long": ("warc-header-too-long", "arc-header-truncated"),
    "record-length-too-large": ("warc-length-too-large", "arc-length-too-large"),
    "record-length-too-small": ("warc-length-too-small", "arc-length-too-small"),
    "record-separator-wrong": ("warc-trailer", "arc-trailer"),
    "record-header-line-feed": ("warc-line-end", "arc-line-end"),
    "record-header-double-cr": ("warc-line-stray-cr", "arc-line-end"),
    "record-over-several-members": ("gzip-record-over-members", "gzip-record-over-members"),
    "arc-separator-wrong": ("arc-trailer", "arc-trailer"),
    "problems-too-many": ("warc-problems-too-many", "warc-problems-too-many"),
}
# What is judged here more closely, by the header or the file as a whole.
COVERED = frozenset(
    {
        "archive-not-record-at-a-time",
        "record-length-missing",
        "record-length-invalid",
        "record-header-malformed-line",
        "record-uri-in-brackets",
        "record-version-unknown",
        "arc-url-with-space",
    }
)


def translated(code: str, *, arc: bool) -> str | None:
    """The code of the table; None for what another check says."""
    if code in COVERED:
        return None
    return CODES.get(code, (code, code))[arc]
