"""What a crawl order refuses."""

import pytest
from pydantic import ValidationError

from armarium.core.crawl_order import CrawlOrder


@pytest.mark.parametrize(
    "template",
    [
        "../../../escaped-{prefix}-{time}-{serial}",
        "{prefix}/{time}-{serial}",
        "{prefix}-{time}-{serial} ",
        "{prefix}-{time}-{serial}-{",
        "constant",
        "{time}-{serial}",
        "{prefix}-{serial}",
        "{prefix}-{time}",
        "{prefix}-{time}-{serial}" + "x" * 150,
    ],
)
def test_a_template_names_a_file_of_this_crawl_and_no_other(template: str) -> None:
    with pytest.raises(ValidationError):
        CrawlOrder.model_validate({"recording": {"template": template}})


@pytest.mark.parametrize("section", ["limits", "queues"])
def test_no_number_is_larger_than_a_database_can_hold(section: str) -> None:
    CrawlOrder.model_validate({section: {"max_objects": 2**63 - 1}})
    with pytest.raises(ValidationError):
        CrawlOrder.model_validate({section: {"max_objects": 2**63}})
