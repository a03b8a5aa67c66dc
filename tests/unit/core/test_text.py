import os

from armarium.core.text import storable


def test_a_text_that_postgresql_takes_stays_as_it_is() -> None:
    assert storable("Bücher, 書\n") == "Bücher, 書\n"


def test_what_postgresql_refuses_is_dropped_or_spelt_out() -> None:
    assert storable("a\0b" + os.fsdecode(b"\xe9")) == r"ab\udce9"
