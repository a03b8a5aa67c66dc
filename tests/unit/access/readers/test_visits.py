"""A visit is counted where somebody comes from elsewhere, without a cookie."""

from armarium.access.readers.identification import begins

OWN = ("https://reading.example.org", "https://content.example.org")
PAGE = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


def test_an_address_that_was_typed_begins_a_visit() -> None:
    assert begins({**PAGE, "sec-fetch-site": "none"}, OWN)


def test_a_link_on_another_site_begins_a_visit() -> None:
    assert begins({**PAGE, "sec-fetch-site": "cross-site", "referer": "https://catalogue.example/"}, OWN)


def test_going_from_page_to_page_does_not() -> None:
    assert not begins({**PAGE, "sec-fetch-site": "same-origin"}, OWN)
    assert not begins({**PAGE, "sec-fetch-site": "same-site"}, OWN)
    assert not begins({**PAGE, "sec-fetch-site": "cross-site", "referer": OWN[1] + "/all/"}, OWN)


def test_parts_of_pages_and_programs_do_not() -> None:
    script = {"sec-fetch-mode": "cors", "sec-fetch-dest": "empty", "sec-fetch-site": "cross-site"}
    assert not begins(script, OWN)
    assert not begins({"accept": "*/*"}, OWN)


def test_a_browser_that_does_not_tell_counts_if_no_page_led_it_here() -> None:
    assert begins({"accept": "text/html,*/*"}, OWN)
    assert not begins({"accept": "text/html", "referer": OWN[0] + "/"}, OWN)
