import pytest

from armarium.core.crawl_order import Scope as Order
from armarium.core.crawl_order import ScopeKind
from armarium.harvest.model import Candidate, Status
from armarium.harvest.scope import RULES, BadFilter, Scope

SEED = "https://www.example.fr/news/2026/index.html"


def candidate(url: str, hops: str = "L") -> Candidate:
    return Candidate(url, hops, "https://www.example.fr/", "seed")


def scope(kind: ScopeKind = ScopeKind.HOST, **settings: object) -> Scope:
    return Scope(Order.model_validate({"kind": kind, **settings}), [SEED])


def rule(of: Scope, url: str, hops: str = "L") -> str:
    return of.decide(candidate(url, hops)).rule


def test_a_seed_is_always_in_even_where_a_filter_rejects_it() -> None:
    of = scope(reject=["news"])
    assert rule(of, SEED, "") == "seed"
    assert rule(of, SEED, "LLL") == "seed"
    assert rule(of, "https://www.example.fr/news/", "L") == "reject-filter"


@pytest.mark.parametrize(
    "url", ["mailto:a@example.fr", "ftp://example.fr/", "javascript:void(0)", "data:,x", "x"]
)
def test_other_schemes_are_out(url: str) -> None:
    decision = scope(ScopeKind.ANY).decide(candidate(url))
    assert (decision.accepted, decision.rule, decision.status) == (False, "scheme", Status.UNFETCHABLE)


def test_names_are_looked_up_as_prerequisites_alone() -> None:
    assert rule(scope(), "dns:www.other.org", "LP") == "prerequisite"
    assert rule(scope(ScopeKind.ANY), "dns:www.other.org", "L") == "scheme"


def test_a_robots_txt_is_in_and_so_is_where_five_redirects_of_it_lead() -> None:
    assert rule(scope(), "https://other.org/robots.txt", "LEP") == "prerequisite"
    assert rule(scope(), "https://third.org/robots.txt", "LEPRRRRR") == "prerequisite"
    assert rule(scope(), "https://third.org/robots.txt", "LPRRRRRR") != "prerequisite"


def test_host_means_with_and_without_www_under_http_and_https_at_any_port() -> None:
    for url in ("http://example.fr/x", "https://www.example.fr/", "http://example.fr:8080/x"):
        assert rule(scope(), url) == "host"
    for url in ("https://blog.example.fr/", "https://example.fr.evil.org/", "https://www.www.example.fr/"):
        assert rule(scope(), url) == "outside"


def test_www_alone_under_a_suffix_is_a_host_of_its_own() -> None:
    of = Scope(Order(), ["http://www.fr/"])
    assert rule(of, "http://fr/") == "outside"
    assert rule(of, "http://www.fr/x") == "host"


def test_a_user_name_in_an_address_is_not_its_host() -> None:
    assert rule(scope(), "https://www.example.fr@evil.org/") == "outside"
    assert rule(scope(), "https://user:word@www.example.fr/") == "host"


def test_path_means_the_folder_of_the_seed() -> None:
    of = scope(ScopeKind.PATH)
    assert rule(of, "http://example.fr/news/2026/other.html?x=/") == "path"
    assert rule(of, "http://example.fr/news/2026/deeper/page") == "path"
    assert rule(of, "http://example.fr/news/2025/index.html") == "outside"
    assert rule(of, "http://example.fr/news/?/news/2026/") == "outside"


def test_a_seed_without_path_means_its_whole_host() -> None:
    of = Scope(Order(kind=ScopeKind.PATH), ["https://example.fr"])
    assert rule(of, "https://example.fr/anything/at/all") == "path"


def test_domain_means_the_registered_domain_with_the_registries_of_the_library() -> None:
    assert rule(scope(ScopeKind.DOMAIN), "https://blog.example.fr/") == "domain"
    assert rule(scope(ScopeKind.DOMAIN), "https://example.org/") == "outside"
    of = Scope(Order(kind=ScopeKind.DOMAIN, registries=("presse.fr",)), ["https://a.presse.fr/"])
    assert rule(of, "https://www.a.presse.fr/") == "domain"
    assert rule(of, "https://b.presse.fr/") == "outside"


def test_the_domain_of_an_address_in_numbers_is_itself() -> None:
    of = Scope(Order(kind=ScopeKind.DOMAIN), ["http://192.0.2.1/"])
    assert rule(of, "http://192.0.2.1:81/x") == "domain"
    assert rule(of, "http://192.0.2.2/") == "outside"


def test_suffixes_take_every_host_under_them_and_the_hosts_of_seeds() -> None:
    of = Scope(Order(kind=ScopeKind.SUFFIXES, suffixes=(".fr", "RE", "*.рф")), ["https://www.example.com/"])
    assert rule(of, "https://anything.asso.fr/") == "suffix"
    assert rule(of, "https://anything.re/") == "suffix"
    assert rule(of, "https://xn--80aswg.xn--p1ai/") == "suffix"
    assert rule(of, "https://example.com/x") == "host"
    assert rule(of, "https://fr.example.org/") == "outside"
    assert rule(of, "https://notfr/") == "outside"


def test_a_suffix_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match=r"scope\.suffixes"):
        Scope(Order(kind=ScopeKind.SUFFIXES, suffixes=("fr/",)), [])


def test_any_takes_everything() -> None:
    assert rule(scope(ScopeKind.ANY), "https://other.org/") == "any"


def test_page_takes_the_seed_and_what_it_embeds_and_follows_redirects_for_nothing() -> None:
    of = scope(ScopeKind.PAGE)
    assert rule(of, "https://www.example.fr/style.css", "E") == "page"
    assert rule(of, "https://www.example.fr/font.woff", "EEEE") == "page"
    assert rule(of, "https://cdn.org/a.png", "EE") == "embed"
    assert rule(of, "https://cdn.org/a.png", "EEE") == "embed-hops"
    assert rule(of, "https://new.org/", "R") == "page"
    assert rule(of, "https://new.org/a.png", "RE") == "embed"
    assert rule(of, "https://www.example.fr/other.html", "L") == "outside"
    assert rule(of, "https://www.example.fr/other.png", "LE") == "outside"
    assert rule(of, "https://www.example.fr/listed.html", "IM") == "outside"


def test_page_and_one_takes_the_pages_one_link_further_wherever_they_are() -> None:
    of = scope(ScopeKind.PAGE, page_hops=1)
    assert rule(of, "https://other.org/", "L") == "page"
    assert rule(of, "https://other.org/", "RLR") == "page"
    assert rule(of, "https://cdn.org/a.png", "LE") == "embed"
    assert rule(of, "https://other.org/2", "LL") == "outside"
    assert rule(of, "https://www.example.fr/2", "LRLR") == "outside"


def test_hops_count_without_redirects_and_the_embeds_of_the_last_page_come_in() -> None:
    of = scope(max_hops=3)
    assert rule(of, "https://example.fr/x", "LLRLR") == "host"
    assert rule(of, "https://example.fr/x.png", "LLLEE") == "host"
    assert rule(of, "https://cdn.org/x.png", "LLLE") == "embed"
    decision = of.decide(candidate("https://example.fr/x", "LLLL"))
    assert (decision.rule, decision.status) == ("hops", Status.TOO_MANY_HOPS)
    assert rule(of, "https://example.fr/x.png", "LLLEEE") == "hops"
    assert rule(of, "https://example.fr/x", "LMEL") == "hops"


def test_embeds_outside_are_in_up_to_the_limit_of_embeds_and_of_guesses() -> None:
    of = scope(max_embed_hops=2, max_speculative_hops=1)
    assert rule(of, "https://cdn.org/a", "LE") == "embed"
    assert rule(of, "https://cdn.org/a", "LERER") == "embed"
    assert rule(of, "https://cdn.org/a.js?v=1", "LEX") == "embed"
    assert rule(of, "https://cdn.org/favicon.ico", "LEI") == "embed"
    too_many = of.decide(candidate("https://cdn.org/a", "LEEE"))
    assert (too_many.rule, too_many.status) == ("embed-hops", Status.TOO_MANY_EMBED_HOPS)
    assert rule(of, "https://cdn.org/a", "LXX") == "embed-hops"
    assert rule(of, "https://other.org/page", "LEL") == "outside"


def test_a_guess_that_leaves_the_scope_must_be_a_file() -> None:
    of = scope()
    assert rule(of, "https://cdn.org/lib/a.woff2", "LX") == "embed"
    for page in (
        "https://cdn.org/",
        "https://cdn.org/lib/a",
        "https://cdn.org/help.html",
        "https://cdn.org/x.php?y",
    ):
        assert rule(of, page, "LX") == "outside"
        assert rule(of, page, "LE") == "embed"
        assert rule(of, page, "LXR") == "outside"
    assert rule(of, "https://example.fr/some/page", "LX") == "host"


def test_a_link_that_redirects_elsewhere_is_not_followed_there() -> None:
    assert rule(scope(), "https://other.org/", "LR") == "outside"
    assert rule(scope(), "https://other.org/next", "LRL") == "outside"


def test_a_redirected_seed_adds_exactly_its_new_host() -> None:
    of = scope(ScopeKind.DOMAIN)
    assert rule(of, "https://new.example.org/page", "RL") == "outside"
    assert of.widen("https://new.example.org/", "R")
    assert rule(of, "https://new.example.org/page", "RL") == "widened"
    assert rule(of, "https://example.org/page", "RL") == "outside"
    assert not of.widen("https://new.example.org/again", "RR")


def test_six_redirects_or_a_link_among_them_do_not_widen() -> None:
    of = scope()
    assert not of.widen("https://new.org/", "RRRRRR")
    assert not of.widen("https://new.org/", "LR")
    assert not of.widen("https://new.org/", "")
    assert not scope(widen_redirected_seeds=False).widen("https://new.org/")
    assert of.widen("https://new.org/", "RRRRR")


def test_a_redirected_seed_of_a_path_adds_a_folder_but_not_all_of_its_own_host() -> None:
    of = scope(ScopeKind.PATH)
    assert not of.widen("https://www.example.fr/")
    assert of.widen("https://www.example.fr/actualites/")
    assert of.widen("https://new.org/blog/start")
    assert rule(of, "https://www.example.fr/actualites/1") == "path"
    assert rule(of, "https://new.org/blog/2") == "path"
    assert rule(of, "https://new.org/shop/") == "outside"


def test_filters_that_reject_are_stronger_than_those_that_accept() -> None:
    of = scope(accept=[r"^https://docs\.org/"], reject=[r"\.zip$"])
    assert rule(of, "https://docs.org/a") == "accept-filter"
    rejected = of.decide(candidate("https://docs.org/a.zip"))
    assert (rejected.rule, rejected.reason, rejected.status) == ("reject-filter", r"\.zip$", Status.BLOCKED)


def test_a_trap_filter_holds_for_its_domain_or_host_only() -> None:
    of = scope(ScopeKind.ANY, traps={"example.fr": ["calendar"], "news.shop.org": ["sort="]})
    assert rule(of, "https://blog.example.fr/calendar/1") == "trap-filter"
    assert rule(of, "https://other.fr/calendar/1") == "any"
    assert rule(of, "https://news.shop.org/?sort=1") == "trap-filter"
    assert rule(of, "https://cdn.shop.org/?sort=1") == "any"


def test_filters_added_while_the_crawl_runs_hold_from_then_on() -> None:
    of = scope()
    assert rule(of, "https://example.fr/calendar/1") == "host"
    of.add_filter("calendar", domain="example.fr")
    assert rule(of, "https://example.fr/calendar/1") == "trap-filter"
    of.add_filter("private")
    assert rule(of, "https://example.fr/private/1") == "reject-filter"
    of.add_filter("other[.]org", accept=True)
    assert rule(of, "https://other.org/") == "accept-filter"
    of.add_seed("https://late.org/")
    assert rule(of, "https://late.org/x") == "host"


def test_a_wrong_filter_changes_nothing() -> None:
    of = scope()
    for domain in ("", "example.fr"):
        with pytest.raises(BadFilter):
            of.add_filter("(", domain=domain)
    with pytest.raises(ValueError, match="only rejects"):
        of.add_filter("x", accept=True, domain="example.fr")
    assert rule(of, "https://example.fr/(") == "host"


def test_an_address_may_be_as_long_and_as_deep_as_the_limits_and_no_more() -> None:
    of = scope(max_url_length=60, max_path_depth=3)
    assert rule(of, "https://example.fr/" + "x" * 41) == "host"
    assert rule(of, "https://example.fr/" + "x" * 42) == "length"
    assert rule(of, "https://example.fr/a/b/c?/d/e/f/g") == "host"
    assert rule(of, "https://example.fr/a/b/c/") == "host"
    assert rule(of, "https://example.fr/a/b/c/d") == "path-depth"


@pytest.mark.parametrize(
    "path", ["a/a/a", "a/a/a/", "x/a/b/a/b/a/b", "a/b/a/b/a/b/end.html", "////", "a/a/a?b"]
)
def test_a_path_that_repeats_itself_is_out(path: str) -> None:
    assert rule(scope(), f"https://example.fr/{path}") == "repetition"


@pytest.mark.parametrize(
    "path", ["a/a/b", "a/b/a/b/", "a/x/a/y/a/z", "a/a?x=/a/a/a", "example.fr/example.fr"]
)
def test_a_path_that_repeats_itself_a_little_is_in(path: str) -> None:
    assert rule(scope(), f"https://example.fr/{path}") == "host"


def test_no_limit_of_repetitions_is_none() -> None:
    assert rule(scope(max_repetitions=0), "https://example.fr/a/a/a/a") == "host"
    assert rule(scope(max_repetitions=1), "https://example.fr/a/a?x") == "repetition"


def test_the_explanation_names_what_every_rule_says_and_which_decides() -> None:
    explanation = scope(reject=["zip"]).explain(candidate("https://example.fr/a.zip", "LL"))
    assert [said.rule for said in explanation] == [rule.id for rule in RULES]
    said = {said.rule: said.verdict for said in explanation if said.verdict != "–"}
    assert said == {"reject-filter": "out", "host": "in", "outside": "out"}
    assert [said.rule for said in explanation if said.decides] == ["reject-filter"]
    lines = str(explanation).splitlines()
    assert len(lines) == len(RULES)
    assert lines[4].startswith("> reject-filter  What a filter rejects is out.")
    assert lines[4].endswith("out  zip")


def test_rules_have_ids_and_sentences_of_their_own() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert all(rule.sentence.endswith(".") and len(rule.sentence) < 80 for rule in RULES)


def test_what_is_not_normal_is_decided_without_confusion_of_hosts() -> None:
    of = scope()
    assert rule(of, "https://www.example.fr") == "host"
    assert rule(of, "https://www.example.f/") == "outside"
    assert rule(of, "https://other.org?https://www.example.fr/") == "outside"
    assert rule(of, "") == "scheme"
