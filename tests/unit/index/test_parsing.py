"""Questions as people type them."""

import pytest

from armarium.core.errors import Refused
from armarium.formats.cdx.parsing import capture_in
from armarium.formats.cdx.query import Collapse, Filter, Match, Operator
from armarium.index.captures.parsing import Asked, address_of, collapse_of, digits_of, filter_of, filters_of
from tests.unit.index.captures import capture


def test_asterisks_say_how_much_is_wanted() -> None:
    assert address_of(" *.example.org ", "exact") == ("example.org", Match.DOMAIN)
    assert address_of("example.org/a*", "exact") == ("example.org/a", Match.PREFIX)
    assert address_of("example.org/a", "host") == ("example.org/a", Match.HOST)
    with pytest.raises(Refused):
        address_of("example.org", "range")


def test_dates_may_have_marks_between_their_digits() -> None:
    assert digits_of("2026-01-31T12:00:00Z") == "20260131120000"


@pytest.mark.parametrize(("status", "fits"), [("200", True), ("2xx", True), ("404", False), ("-", False)])
def test_a_status_may_be_a_class_of_them(status: str, fits: bool) -> None:
    line = capture_in(capture("org,example)/", "20260101000000"))
    assert line is not None
    assert filters_of(status, "")[0].passes(line) is fits


def test_filters_are_those_of_pywb() -> None:
    assert filter_of("mime:html") == Filter("mime", "html", Operator.CONTAINS)
    assert filter_of("!=status:200") == Filter("status", "200", Operator.EQUALS, negated=True)
    assert filter_of("~url:.*a:b") == Filter("url", ".*a:b", Operator.REGEX)
    assert collapse_of("timestamp:6") == Collapse("timestamp", 6)
    for wrong in ("", "status", ":200", "=:"):
        with pytest.raises(Refused):
            filter_of(wrong)


def test_the_nearest_come_first_whatever_the_order_says() -> None:
    assert Asked("example.org", closest="2026-01", newest=True).query(1).reverse is False
