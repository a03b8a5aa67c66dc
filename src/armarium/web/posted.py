"""FastAPI dependency: the form that was sent."""

from typing import Annotated

from fastapi import Depends

from armarium.web.forms import Form, read_form

PostedForm = Annotated[Form, Depends(read_form)]
