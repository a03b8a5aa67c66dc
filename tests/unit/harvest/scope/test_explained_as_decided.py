"""The short way of `decide`, which asks each host once, and `explain`, which asks everything, must agree."""

from hypothesis import given
from hypothesis import strategies as st

from armarium.core.crawl_order import Scope as Order
from armarium.core.crawl_order import ScopeKind
from armarium.harvest.model import Candidate
from armarium.harvest.scope import Scope

SEEDS = ["https://www.a.fr/x/y", "http://b.org/"]
SCOPES = {
    kind: Scope(
        Order(
            kind=kind,
            page_hops=1,
            suffixes=("re",),
            max_hops=4,
            accept=("yes",),
            reject=("no",),
            traps={"a.fr": ("trap",)},
            max_path_depth=4,
            max_url_length=60,
        ),
        SEEDS,
    )
    for kind in ScopeKind
}
hosts = st.sampled_from(["a.fr", "www.a.fr", "sub.a.fr", "b.org", "c.re", "d.com:81", "u@b.org", "[::1]", ""])
words = st.sampled_from(["x", "y", "yes", "no", "trap", "", "a.fr", "?", "long" * 9])
urls = st.builds(
    lambda scheme, host, path: f"{scheme}{host}/{path}",
    st.sampled_from(["http://", "https://", "ftp://", "dns:", "mailto:", ""]),
    st.one_of(hosts, st.text(max_size=12)),
    st.lists(words, max_size=7).map("/".join),
)


@given(st.sampled_from(list(ScopeKind)), st.one_of(urls, st.text()), st.text("LEXRPIM", max_size=9))
def test_decide_and_explain_agree(kind: ScopeKind, url: str, hops: str) -> None:
    candidate = Candidate(url, hops, "", "")
    decision = SCOPES[kind].decide(candidate)
    said = next(said for said in SCOPES[kind].explain(candidate) if said.decides)
    assert (said.rule, said.reason, said.verdict == "in") == (
        decision.rule,
        decision.reason,
        decision.accepted,
    )
