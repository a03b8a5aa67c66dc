from armarium.access.proxy.archived import Moments

ME, OTHER = b"me", b"other"


def test_parts_are_asked_for_at_the_moment_of_their_page() -> None:
    moments = Moments()
    moments.note(ME, "http://a.test/one", "20100101000000")
    moments.note(ME, "http://a.test/two", "20150101000000")
    assert moments.of(ME, "http://a.test/one") == "20100101000000"


def test_parts_from_elsewhere_are_asked_for_at_the_moment_of_the_last_page_of_the_site() -> None:
    moments = Moments()
    moments.note(ME, "http://a.test/one", "20100101000000")
    assert moments.of(ME, "http://a.test/") == "20100101000000"  # all that a browser says to other sites
    assert moments.of(ME, "http://a.test/style.css") == "20100101000000"


def test_the_pages_of_another_browser_do_not_count() -> None:
    moments = Moments()
    moments.note(OTHER, "http://a.test/", "20100101000000")
    assert moments.of(ME, "http://a.test/") == ""
    assert moments.of(ME, "http://[") == ""


def test_only_so_many_pages_are_remembered() -> None:
    moments = Moments(most=4)
    for number in range(10):
        moments.note(ME, f"http://{number}.test/", "2010")
    assert moments.of(ME, "http://0.test/") == ""
    assert moments.of(ME, "http://9.test/") == "2010"
