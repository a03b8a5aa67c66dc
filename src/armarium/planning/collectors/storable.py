"""What a collector reports, made fit for PostgreSQL's jsonb."""

import math
from collections.abc import Mapping
from typing import Any

DEEPEST = 20  # levels: reports have three or four


def storable(value: Any, depth: int = 0) -> Any:
    """Without NUL and half characters, which a text cannot hold, and numbers that are none."""
    match value:
        case str():
            return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
        case float():
            return value if math.isfinite(value) else None
        case Mapping() if depth < DEEPEST:
            return {storable(str(name)): storable(one, depth + 1) for name, one in value.items()}
        case list() | tuple() if depth < DEEPEST:
            return [storable(one, depth + 1) for one in value]
        case Mapping() | list() | tuple():
            return None
        case _:
            return value
