"""FastAPI dependency: the form that was sent."""

from typing import Annotated

from fastapi import Depends

from armarium.web.forms import Form, read_form, read_upload

PostedForm = Annotated[Form, Depends(read_form)]
PostedUpload = Annotated[Form, Depends(read_upload)]
