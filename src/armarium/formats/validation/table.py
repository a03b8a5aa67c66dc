"""Every rule, once: the table behind the findings, the reference page and the comparison with other tools."""

from collections.abc import Mapping

from armarium.formats.validation.arc_rules import ARC_RULES
from armarium.formats.validation.gzip_rules import GZIP_RULES
from armarium.formats.validation.http_rules import HTTP_RULES
from armarium.formats.validation.rule import Rule
from armarium.formats.validation.warc_record_rules import (
    WARC_DIGEST_RULES,
    WARC_STRUCTURE_RULES,
    WARC_TYPE_RULES,
)
from armarium.formats.validation.warc_relation_rules import WARC_RELATION_RULES
from armarium.formats.validation.warc_rules import WARC_HEADER_RULES
from armarium.formats.validation.zstd_rules import ZSTD_RULES

TABLES: Mapping[str, Mapping[str, Rule]] = {
    "Compression: gzip": GZIP_RULES,
    "Compression: zstd": ZSTD_RULES,
    "WARC: the file and its records": WARC_STRUCTURE_RULES,
    "WARC: the header": WARC_HEADER_RULES,
    "WARC: the record types": WARC_TYPE_RULES,
    "WARC: digests": WARC_DIGEST_RULES,
    "WARC: records among each other": WARC_RELATION_RULES,
    "ARC": ARC_RULES,
    "HTTP messages": HTTP_RULES,
}
RULES: Mapping[str, Rule] = {code: rule for table in TABLES.values() for code, rule in table.items()}
