"""Answers of collectors, short enough to be kept."""

import json

from armarium.planning.collectors.model import shortened


def test_an_answer_of_usual_length_stays_as_it_is() -> None:
    answer = {"lines": ["a", "b"], "complete": True}
    assert shortened(answer) == answer


def test_of_a_long_one_the_beginning_of_its_longest_list_stays() -> None:
    lines = [str(n) * 50 for n in range(1000)]
    answer = {"lines": lines, "samples": ["x"], "complete": True}
    found = shortened(answer, most=1000)
    assert len(json.dumps(found, ensure_ascii=False)) <= 1000
    assert found["lines"] == lines[: len(found["lines"])] != []
    assert (found["samples"], found["complete"]) == (["x"], False)


def test_one_without_a_list_is_not_kept() -> None:
    assert "not kept" in shortened({"text": "x" * 2000}, most=1000)["error"]
