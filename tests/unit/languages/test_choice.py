"""Which language a reader gets."""

import pytest

from armarium.languages.catalogues import choose, closest, preferences
from tests.cost import processor_seconds


def test_a_chosen_language_comes_before_what_the_browser_prefers() -> None:
    assert choose(["de"], "fr") == "de"


def test_the_first_wish_that_has_a_catalogue_wins() -> None:
    assert choose([None, "", "xx", "da", "it"], "fr") == "da"


def test_without_a_wish_the_browser_decides() -> None:
    assert choose([None], "fr-CA, en;q=0.5") == "fr"


def test_without_anything_it_is_english() -> None:
    assert choose([]) == "en"
    assert choose([None, ""], "") == "en"


def test_a_browser_that_prefers_english_gets_english_although_it_would_take_french() -> None:
    assert choose([], "en-GB, fr;q=0.8") == "en"


def test_unknown_languages_are_passed_over() -> None:
    assert choose([], "tlh, x-klingon;q=0.9, it;q=0.1") == "it"


@pytest.mark.parametrize("wish", ["FR", "fr-FR", "fr-latn-ca", "Fr-fr"])
def test_case_region_and_script_do_not_matter(wish: str) -> None:
    assert choose([wish]) == "fr"


def test_a_region_is_served_by_its_own_catalogue_else_by_the_language_else_by_a_relative() -> None:
    assert closest("pt-br", ["en", "pt", "pt-BR"]) == "pt-BR"
    assert closest("pt-AO", ["en", "pt", "pt-BR"]) == "pt"
    assert closest("pt-PT", ["en", "pt-BR"]) == "pt-BR"
    assert closest("p", ["en", "pt", "pt-BR"]) is None


# --- the header


def test_ranges_are_ordered_by_weight_and_equal_ones_keep_their_order() -> None:
    header = "da;q=0.5, fr;q=0.9, de, it;q=0.9, en;q=0.001"
    assert preferences(header) == ["de", "fr", "it", "da", "en"]


def test_weight_zero_means_not_acceptable() -> None:
    assert preferences("fr;q=0, de;q=0.000") == []


def test_the_star_names_no_language() -> None:
    assert preferences("*, fr;q=0.1") == ["fr"]


def test_spaces_and_an_upper_case_q_are_allowed() -> None:
    assert preferences(" fr ; Q = 0.4 ,\tde;q=0.5") == ["de", "fr"]


@pytest.mark.parametrize(
    "weight", ["nan", "inf", "-1", "1e3", "2", "1.001", "0.1234", "", "abc", "٠.٥", "0x1"]
)
def test_a_weight_that_is_none_makes_the_range_unacceptable(weight: str) -> None:
    assert preferences(f"fr;q={weight}, de;q=0.5, it;q=0.7") == ["it", "de"]


@pytest.mark.parametrize(
    "junk",
    [
        ",,,;;;===",
        ";q=1",
        "\x00\xff",
        "q=1",
        "../../etc/passwd",
        "<script>",
        "%00",
        "fr_FR",
        "ﬀr",
        "-",
        "-fr",
    ],
)
def test_junk_leads_to_english(junk: str) -> None:
    assert choose([junk], junk) == "en"


def test_a_hostile_length_costs_nothing() -> None:
    header = "xx;q=0.1," * 200_000 + "fr"
    with processor_seconds(0.5):
        assert choose(["y" * 1_000_000, "-" * 1_000_000], header) == "en"
