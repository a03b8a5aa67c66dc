"""What a server for S3 refuses, said in words that help."""

import pytest
from obstore.exceptions import BaseError, GenericError, NotFoundError, PermissionDeniedError

from armarium.storage.backends.bucket import plainly

XML = '<?xml version="1.0" encoding="UTF-8"?><Error><Code>{}</Code></Error>'


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (PermissionDeniedError(f"403: {XML.format('InvalidKey')}"), PermissionError, "The keys were refused"),
        (NotFoundError(f"404: {XML.format('NoSuchBucket')}"), FileNotFoundError, "There is no such bucket"),
        (GenericError(f"status code: 507: {XML.format('Full')}"), OSError, "status code: 507"),
    ],
)
def test_no_document_of_the_server_is_shown_to_people(
    error: BaseError, kind: type[OSError], said: str
) -> None:
    with pytest.raises(kind, match=said) as told, plainly():
        raise error
    assert "<" not in str(told.value)
