"""The index of rules, against a model that reads every rule."""

from hypothesis import given, settings
from hypothesis import strategies as st

from armarium.access.model import Effect, Reader
from armarium.access.policy.model import AddressMatch, Audience, Period, Rule, RuleEffect
from armarium.accounts.model import Role
from armarium.formats.url import surt
from tests.unit.access.policy.writing import NOW, decided, rule

HOSTS = ("example.org", "a.example.org", "b.a.example.org", "example.org:8080", "example.net")
PATHS = ("/", "/a", "/a/", "/a/b", "/a/b/", "/ab", "/a?x=1", "/a/?x=1", "/a?y=1", "/b/c")
PATTERNS = (
    ["*", "*.org", "*.example.org", "*.a.example.org", *HOSTS]
    + [f"{host}{path}" for host in HOSTS[:4] for path in PATHS[1:]]
    + [f"{host}{path}*" for host in HOSTS[:4] for path in PATHS]
)
audiences = st.builds(
    Audience,
    accredited=st.booleans(),
    roles=st.frozensets(st.sampled_from([Role.READER, Role.LIBRARIAN]), max_size=1),
    accounts=st.frozensets(st.sampled_from([7, 8]), max_size=1),
    networks=st.frozensets(st.sampled_from([3, 4]), max_size=2),
)
readers = st.builds(
    Reader,
    account=st.sampled_from([None, 7, 8]),
    roles=st.frozensets(st.sampled_from([Role.READER, Role.LIBRARIAN]), max_size=1),
    networks=st.frozensets(st.sampled_from([3, 4]), max_size=1),
    accredited=st.booleans(),
)


@st.composite
def rule_lists(draw: st.DrawFn) -> list[Rule]:
    found = []
    for number in range(draw(st.integers(0, 14))):
        effect = draw(st.sampled_from([*RuleEffect]))
        take_down = effect in (RuleEffect.HIDE, RuleEffect.RESTRICT) and draw(st.integers(0, 9)) == 0
        more = {
            "audience": Audience() if take_down or draw(st.booleans()) else draw(audiences),
            "captured_to": draw(st.sampled_from(["", "", "2019", "20200131"])),
            "embargo": Period(years=draw(st.sampled_from([1, 8]))),
            "one_reader": draw(st.booleans()),
            "no_downloads": draw(st.booleans()),
            "take_down": take_down,
        }
        found.append(rule(number + 1, effect.value, draw(st.sampled_from(PATTERNS)), **more))
    return found


def covers(one: Rule, url: str) -> tuple[int, int, bool] | None:
    """How specifically a rule speaks of an address; None: not at all. Written with nothing of the index."""
    key, match = surt(url), one.terms.match
    if match is AddressMatch.EVERYTHING:
        return (0, 0, False)
    mine, path = one.terms.key.split(")", 1)
    host, rest = key.split(")", 1)
    port = mine.partition(":")[2]
    name, name_of_capture = mine.partition(":")[0], host.partition(":")[0]
    if port and port != host.partition(":")[2]:
        return None
    below = name_of_capture == name or name_of_capture.startswith(f"{name},")
    if match is AddressMatch.DOMAIN:
        return (1, len(name), bool(port)) if below else None
    if name != name_of_capture:
        return None
    if match is AddressMatch.HOST:
        return (2, 0, bool(port))
    if match is AddressMatch.EXACT:
        return (4, 0, bool(port)) if path == rest else None
    folder = path.endswith("/") and (rest == path[:-1] or rest.startswith(path[:-1] + "?"))
    return (3, len(path), bool(port)) if rest.startswith(path) or folder else None


def naive(
    rules: list[Rule], reader: Reader, url: str, timestamp: str
) -> tuple[Effect, int | None, bool, bool]:
    strictness = [RuleEffect.ALLOW, RuleEffect.EMBARGO, RuleEffect.RESTRICT, RuleEffect.HIDE]
    found = []
    for one in rules:
        terms, specific = one.terms, covers(one, url)
        late = terms.captured_to and timestamp[: len(terms.captured_to)] > terms.captured_to
        over = terms.effect is RuleEffect.EMBARGO and int(timestamp[:4]) + terms.embargo.years <= NOW.year
        if specific is None or late or over or not terms.audience.fits(reader):
            continue
        level = (terms.take_down, specific, terms.audience.weight, strictness.index(terms.effect))
        flags = terms.effect is RuleEffect.ALLOW
        asks = (flags and terms.one_reader, flags and terms.no_downloads)
        found.append((level, asks, one.id))
    if not found:
        return Effect.ALLOWED, None, False, False
    best = max(found)
    tied = [asks for level, asks, _ in found if level == best[0]]
    effects = [Effect.ALLOWED, Effect.RESTRICTED, Effect.RESTRICTED, Effect.HIDDEN]
    return effects[best[0][3]], best[2], any(one for one, _ in tied), any(two for _, two in tied)


@settings(max_examples=400, deadline=None)
@given(
    rules=rule_lists(),
    reader=readers,
    url=st.builds(lambda host, path: f"http://{host}{path}", st.sampled_from(HOSTS), st.sampled_from(PATHS)),
    timestamp=st.sampled_from(["19990101000000", "20200131120000", "20240601000000"]),
)
def test_the_shelf_decides_as_one_who_reads_every_rule(
    rules: list[Rule], reader: Reader, url: str, timestamp: str
) -> None:
    found = decided(rules, url, reader, timestamp)
    told = (found.effect, found.rule, found.one_reader, found.no_downloads)
    assert told == naive(rules, reader, url, timestamp)
