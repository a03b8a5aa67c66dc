"""The vote: what follows from the answers, for any answers."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.storage.repairs.rules import Content, Outcome, Verdict, Worth, best, decide

REGISTER = "r" * 64
SUMS = st.sampled_from([REGISTER, "x" * 64, "y" * 64])
NAMES = st.sampled_from(["one", "two", "three", "four", "five"])
VOTES = st.dictionaries(NAMES, st.one_of(st.none(), SUMS))
HOLDERS = st.sets(NAMES)
WHOLE, DAMAGED, NOTHING = Content(Worth.WHOLE, 9), Content(Worth.DAMAGED, 9), Content(Worth.NOTHING, 0)


@pytest.mark.parametrize(
    ("votes", "outcome"),
    [
        ({"one": "r", "two": "x"}, Outcome.CLEAR),  # the register breaks the tie of two replicas
        ({"one": "r", "two": None}, Outcome.CLEAR),  # a missing copy does not vote
        ({"one": "x", "two": None}, Outcome.TIE),
        ({"one": "x", "two": "y"}, Outcome.TIE),
        ({"one": "x", "two": "x"}, Outcome.AGAINST),
        ({"one": "r", "two": "x", "three": "x"}, Outcome.TIE),
        ({"one": "r", "two": "x", "three": "y"}, Outcome.CLEAR),  # no damage ends in a registered SHA-256
        ({"one": "r", "two": "x", "three": "x", "four": "x"}, Outcome.AGAINST),
        ({"one": None, "two": None}, Outcome.LOST),
    ],
)
def test_a_vote_is_what_people_would_say_of_it(votes: dict[str, str | None], outcome: Outcome) -> None:
    assert decide("r", votes).outcome is outcome


def test_a_witness_votes_and_cannot_be_copied_from() -> None:
    verdict = decide("r", {"one": "x", "sums": "r"}, holders={"one"})
    assert verdict.outcome is Outcome.LOST
    assert verdict.healthy == ()


def test_a_register_without_a_vote_leaves_two_replicas_in_a_tie() -> None:
    votes = {"one": "r", "two": "x"}
    assert decide("r", votes, register_votes=False).outcome is Outcome.TIE
    contents = {"r": WHOLE, "x": DAMAGED}
    assert decide("r", {**votes, "three": "r"}, register_votes=False, contents=contents).clear


def test_a_register_that_does_not_know_the_file_yet_has_nothing_against_a_majority() -> None:
    contents = {"x": WHOLE, "y": DAMAGED}
    votes = {"one": "x", "two": "x", "three": "y"}
    assert decide("", votes, register_votes=False, contents=contents).clear
    assert decide("", {"one": "x", "two": "y"}, register_votes=False).outcome is Outcome.TIE


@pytest.mark.parametrize("register", ["", "r", "x"])
@pytest.mark.parametrize(
    "contents",
    [
        {"r": WHOLE, "x": WHOLE},  # no digest inside tells of a flipped bit
        {"r": Content(Worth.DAMAGED, 9, damages=2), "x": Content(Worth.DAMAGED, 9, damages=2)},
        {"r": NOTHING, "x": NOTHING},
        {"x": WHOLE},  # the other could not be read just now
        {},
    ],
)
def test_the_number_of_copies_alone_is_no_proof_where_the_register_has_no_vote(
    contents: dict[str, Content], register: str
) -> None:
    votes = {"one": "r", "two": "x", "three": "x", "four": "x"}
    verdict = decide(register, votes, register_votes=False, contents=contents)
    assert (verdict.outcome, verdict.winner, verdict.healthy) == (Outcome.UNPROVEN, "x", ())


def test_a_witness_is_proof_where_the_register_has_no_vote() -> None:
    """Damage to bytes cannot have reached it."""
    votes = {"one": "r", "two": "x", "sums": "r"}

    def verdict(contents: dict[str, Content]) -> Verdict:
        return decide("", votes, holders={"one", "two"}, register_votes=False, contents=contents)

    assert verdict({"r": WHOLE, "x": WHOLE}).winner == "r"
    # A file may have come in damaged: content alone does not condemn what a witness and a copy agree on.
    assert verdict({"r": DAMAGED, "x": WHOLE}).outcome is Outcome.TIE


@pytest.mark.parametrize("content", [NOTHING, DAMAGED])
@pytest.mark.parametrize("register", ["", "r"])
def test_what_cannot_be_read_never_beats_what_can(content: Content, register: str) -> None:
    votes = {"one": "r", "two": "x", "three": "x", "four": "x"}
    verdict = decide(register, votes, register_votes=bool(register), contents={"r": WHOLE, "x": content})
    assert (verdict.outcome, verdict.winner) == (Outcome.CLEAR, "r")
    assert verdict.healthy == ("one",)
    assert verdict.bad == ("four", "three", "two")


def test_content_never_condemns_what_the_register_and_a_copy_agree_on() -> None:
    """A file may have come into the archive damaged."""
    contents = {"r": DAMAGED, "x": WHOLE, "y": WHOLE}
    assert decide("r", {"one": "r", "two": "x", "three": "y"}, contents=contents).clear
    assert decide("r", {"one": "r", "two": "x", "three": "x"}, contents=contents).outcome is Outcome.TIE


@pytest.mark.parametrize("votes", ["rrx", "rxx"])
def test_a_copy_cut_between_two_records_does_not_beat_one_with_an_old_flaw(votes: str) -> None:
    """Nor the other way round: a person decides."""
    contents = {"r": DAMAGED, "x": Content(Worth.WHOLE, 8)}
    by_name = dict(zip(("one", "two", "three"), votes, strict=True))
    assert decide("", by_name, register_votes=False, contents=contents).outcome is Outcome.TIE
    assert decide("r", by_name, register_votes=False, contents=contents).outcome is Outcome.TIE
    assert best(contents) == ""


def test_two_copies_cut_between_two_records_do_not_outvote_a_longer_one() -> None:
    contents = {"r": WHOLE, "x": Content(Worth.WHOLE, 8)}
    votes = {"one": "r", "two": "x", "three": "x"}
    assert decide("", votes, register_votes=False, contents=contents).outcome is Outcome.TIE
    assert decide("", {**votes, "two": "r"}, register_votes=False, contents=contents).winner == "r"


def test_two_copies_with_more_damage_do_not_outvote_one_with_an_old_flaw() -> None:
    """Real crawlers repeat a record's id; its copies with a byte cut off have that flaw, and one more."""
    contents = {"r": Content(Worth.DAMAGED, 9, damages=1), "x": Content(Worth.DAMAGED, 9, damages=2)}
    votes = {"one": "r", "two": "x", "three": "x"}
    assert decide("", votes, register_votes=False, contents=contents).outcome is Outcome.TIE
    assert decide("", {**votes, "two": "r"}, register_votes=False, contents=contents).winner == "r"


@pytest.mark.parametrize("votes", ["rrx", "rxx"])
def test_more_records_with_more_damages_are_no_proof(votes: str) -> None:
    """A file with an old flaw that was appended to itself has more of both."""
    contents = {"r": Content(Worth.DAMAGED, 2, damages=1), "x": Content(Worth.DAMAGED, 3, damages=2)}
    by_name = dict(zip(("one", "two", "three"), votes, strict=True))
    assert decide("", by_name, register_votes=False, contents=contents).outcome is Outcome.TIE
    assert decide("", by_name, register_votes=False, contents={**contents, "x": NOTHING}).winner == "r"


def test_a_longer_file_that_lies_in_the_place_of_another_is_no_better_copy_of_it() -> None:
    """One that was cut begins as the whole one does; one that lost its beginning ends like it."""
    whole = Content(Worth.WHOLE, 9, begins="a", ends="z")
    votes = {"one": "x", "two": "r", "three": "r"}

    def winner(other: Content) -> str:
        verdict = decide("", votes, register_votes=False, contents={"r": whole, "x": other})
        return verdict.winner if verdict.clear else ""

    assert winner(Content(Worth.WHOLE, 8, begins="a", ends="y")) == "r"
    assert winner(Content(Worth.DAMAGED, 8, begins="b", ends="z")) == "r"
    assert winner(Content(Worth.NOTHING, 0, begins="", ends="")) == "r"
    assert winner(Content(Worth.WHOLE, 8, begins="b", ends="y")) == ""


def test_best_are_only_bytes_that_beat_all_others() -> None:
    assert best({"r": WHOLE, "x": DAMAGED, "y": NOTHING}) == "r"
    assert best({"r": WHOLE, "x": DAMAGED, "y": WHOLE}) == best({"r": WHOLE}) == best({}) == ""


def test_content_alone_is_not_enough_against_a_witness() -> None:
    votes = {"one": "x", "two": "x", "sums": "r"}
    verdict = decide("", votes, holders={"one", "two"}, register_votes=False, contents={"x": NOTHING})
    assert verdict.outcome is Outcome.TIE
    whole = decide("", votes, holders={"one", "two"}, register_votes=False, contents={"x": WHOLE})
    assert whole.outcome is Outcome.UNPROVEN


def test_bytes_that_nobody_could_look_at_are_not_condemned() -> None:
    votes = {"one": "r", "two": "x", "three": "x"}
    assert decide("r", votes, contents={"r": WHOLE}).outcome is Outcome.TIE
    assert decide("", votes, register_votes=False, contents={"r": WHOLE}).outcome is Outcome.UNPROVEN


@given(VOTES, HOLDERS)
def test_only_what_the_register_and_a_copy_say_more_often_than_anything_else_is_repaired(
    votes: dict[str, str | None], holders: set[str]
) -> None:
    verdict = decide(REGISTER, votes, holders=holders)
    cast = Counter([REGISTER, *(vote for vote in votes.values() if vote)])
    leads = all(cast[REGISTER] > count for vote, count in cast.items() if vote != REGISTER)
    has_source = any(vote == REGISTER and name in holders for name, vote in votes.items())
    assert verdict.clear == (leads and has_source)


@given(VOTES, HOLDERS)
def test_a_copy_is_only_made_from_replicas_that_said_the_winner(
    votes: dict[str, str | None], holders: set[str]
) -> None:
    verdict = decide(REGISTER, votes, holders=holders)
    assert all(votes[name] == verdict.winner and name in holders for name in verdict.healthy)
    assert all(votes[name] not in (None, verdict.winner) for name in verdict.bad)
    assert not set(verdict.healthy) & set(verdict.bad)


@given(VOTES, NAMES)
def test_silence_changes_no_verdict(votes: dict[str, str | None], silent: str) -> None:
    spoken = {name: vote for name, vote in votes.items() if name != silent}
    assert decide(REGISTER, {**spoken, silent: None}) == decide(REGISTER, spoken)


@given(VOTES)
def test_no_other_winner_has_half_of_the_votes_or_less(votes: dict[str, str | None]) -> None:
    verdict = decide(REGISTER, votes)
    cast = [REGISTER, *(vote for vote in votes.values() if vote)]
    if verdict.clear:
        return
    if verdict.winner:
        assert 2 * cast.count(verdict.winner) > len(cast)
    else:
        assert verdict.outcome is Outcome.TIE
        assert max(Counter(cast).values()) * 2 <= len(cast)


@given(VOTES)
def test_one_more_vote_for_the_register_never_turns_a_clear_vote(votes: dict[str, str | None]) -> None:
    if decide(REGISTER, votes).clear:
        assert decide(REGISTER, {**votes, "one more": REGISTER}).clear
