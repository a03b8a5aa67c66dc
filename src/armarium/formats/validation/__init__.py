"""Validation of WARC and ARC files: every check of JWAT, JHOVE, jwarc, gowarc and warcio, and those none has.

Comes in: an open binary file, its name, and what is known of its surroundings.
Goes out: a `Report`: the verdict, and findings with stable codes, clauses, offsets and hints (`RULES`).
It must never change a file, hold more than a piece of it in memory, or fail because of what is in it.

    validator   the pass over the file
    warc_record, arc_record   one record after the other
    header, record_types, policy, values, arc   the header against the standard
    content, http_body, digests   the block against the header
    relations, pairs, segments, archive   the records against each other
    table, rule, *_rules   what each code means
    report   the outcome, for people and for programs
"""

from armarium.formats.validation.inputs import Archive, Original
from armarium.formats.validation.report import Report, Row, summary, table_rows
from armarium.formats.validation.table import RULES, TABLES
from armarium.formats.validation.validator import Options, validate

__all__ = [
    "RULES",
    "TABLES",
    "Archive",
    "Options",
    "Original",
    "Report",
    "Row",
    "summary",
    "table_rows",
    "validate",
]
