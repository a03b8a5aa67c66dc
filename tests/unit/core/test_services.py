import pytest

from armarium.core.services import Services


def test_a_service_is_found_by_its_class() -> None:
    assert Services([5, "text"]).get(str) == "text"


def test_a_service_that_nobody_assembled_is_named() -> None:
    with pytest.raises(LookupError, match="No dict was assembled"):
        Services([]).get(dict)
