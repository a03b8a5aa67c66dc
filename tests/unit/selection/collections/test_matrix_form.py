"""The matrix as a form, and what a new one would change."""

import pytest

from armarium.core.errors import Refused
from armarium.selection.collections import forms
from armarium.selection.collections.model import EVERYTHING, Collection, Matrix, key_of
from armarium.selection.model import Budget, Combination, Depth, Frequency
from armarium.web.forms import Form, parse_form

B, F, D = Budget, Frequency, Depth
DAILY = Combination(B.LARGE, F.DAILY, D.DOMAIN)
WEEKLY = Combination(B.LARGE, F.WEEKLY, D.DOMAIN)
PAGE = Combination(B.LARGE, F.ONCE, D.PAGE)
KNOWN = Matrix({DAILY: "Too much."})


def sent(refused: set[Combination], **values: str) -> Form:
    pairs = [f"may={key_of(one).replace('+', '%2B')}" for one in EVERYTHING if one not in refused]
    pairs += [f"{name}={value}" for name, value in {"seen": KNOWN.mark, **values}.items()]
    return parse_form("&".join(pairs).replace(" ", "%20").encode())


def test_what_is_not_ticked_is_refused_for_the_old_or_the_new_reason() -> None:
    form = sent({DAILY, WEEKLY}, **{"reason-1": "Far too much.", "reason": "Still much."})
    assert forms.matrix_of(form, KNOWN) == {DAILY: "Far too much.", WEEKLY: "Still much."}


def test_the_form_as_it_comes_changes_nothing() -> None:
    typed = forms.typed_matrix(KNOWN)
    assert len(typed["may"]) == len(EVERYTHING) - 1  # type: ignore[arg-type]
    assert forms.matrix_of(sent({DAILY}, **{"reason-1": "Too much."}), KNOWN) == KNOWN.refused


def test_a_form_of_another_matrix_is_refused() -> None:
    with pytest.raises(Refused):
        forms.matrix_of(sent({DAILY}), Matrix({}))


def test_a_review_tells_what_is_new_and_whom_it_concerns() -> None:
    collection = Collection(
        "Press", default_budget=B.LARGE, default_frequency=F.WEEKLY, default_depth=D.DOMAIN
    )
    refused = {WEEKLY: "Still much.", PAGE: "Still much."}
    review = forms.review(KNOWN, refused, {WEEKLY: 3, DAILY: 4}, [collection])
    assert [part.words for part in review.fresh] == [["Large · Weekly · Domain"], ["Large · Once · Page"]]
    assert [block.words for block in review.allowed] == ["Large · Daily · Domain"]
    assert review.concerned == ((WEEKLY, 3),)
    assert review.records == 3
    assert review.usual == (collection,)


def test_a_review_is_sent_back_as_it_was_shown() -> None:
    refused = {DAILY: "Far too much.", WEEKLY: "Still much.", PAGE: "Still much."}
    review = forms.review(KNOWN, refused, {}, [])
    assert review.reworded == (("Too much.", "Far too much."),)
    values = {f"cells-{part.place}": part.keys for part in review.parts}
    values |= {f"reason-{part.place}": part.reason for part in review.parts}
    assert forms.reviewed(sent(set(), **values), KNOWN) == refused
