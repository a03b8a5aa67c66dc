"""What may be said of names, comments and limits, wherever they stand."""

import re

from armarium.core.errors import Refused
from armarium.core.message import message

LONGEST_NAME = 100  # of a seed list or a configuration
LONGEST_COMMENT = 30_000
LARGEST_LIMIT = 2**63 - 1
PLAIN_NAME = re.compile(r"[\w][\w .+-]{0,99}")


def check_plain_name(name: str) -> str:
    name = name.strip()
    if not PLAIN_NAME.fullmatch(name):
        raise Refused(
            message(
                "A name has at most 100 letters, digits, spaces and . + - _; a letter or digit is first."
            ),
            field="name",
        )
    return name


def check_name(name: str, field: str = "name") -> str:
    stripped = " ".join(name.split())
    if not stripped or len(stripped) > LONGEST_NAME:
        raise Refused(message("A name has 1 to %(most)s characters.", most=LONGEST_NAME), field=field)
    return stripped


def check_comments(comments: str) -> str:
    if len(comments) > LONGEST_COMMENT:
        raise Refused(
            message("Comments have at most %(most)s characters.", most=LONGEST_COMMENT), field="comments"
        )
    return comments.strip()


def check_limit(limit: int | None, field: str) -> int | None:
    if limit is not None and not 0 <= limit <= LARGEST_LIMIT:
        raise Refused(message("A limit is a number from 0 on; leave it empty for none."), field=field)
    return limit
