"""What a collector reports, made fit for PostgreSQL's jsonb."""

import json
import math
from collections.abc import Mapping
from typing import Any

DEEPEST = 20  # levels: reports have three or four
LONGEST_ANSWER = 100_000  # characters of an answer to a command
LARGEST = 2**63  # whole numbers beyond it break whoever reckons with them


def storable(value: Any, depth: int = 0) -> Any:
    """Without NUL and half characters, which a text cannot hold, and numbers that are none."""
    match value:
        case str():
            return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
        case float():
            return value if math.isfinite(value) else None
        case int():
            return value if -LARGEST <= value < LARGEST else None
        case Mapping() if depth < DEEPEST:
            return {storable(str(name)): storable(one, depth + 1) for name, one in value.items()}
        case list() | tuple() if depth < DEEPEST:
            return [storable(one, depth + 1) for one in value]
        case Mapping() | list() | tuple():
            return None
        case _:
            return value


def shortened(answer: dict[str, Any], most: int = LONGEST_ANSWER) -> dict[str, Any]:
    """An answer to a command that is not too long to be kept: of its longest list only the beginning."""
    answer = dict(answer)
    while len(json.dumps(answer, ensure_ascii=False)) > most:
        lists = [name for name, value in answer.items() if isinstance(value, list) and value]
        if not lists:
            return {"error": f"The answer was longer than {most} characters, and is not kept."}
        longest = max(lists, key=lambda name: len(json.dumps(answer[name], ensure_ascii=False)))
        answer[longest] = answer[longest][: len(answer[longest]) // 2]
        answer["complete"] = False
    return answer
