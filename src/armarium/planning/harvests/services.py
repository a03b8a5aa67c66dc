"""The services of harvests, as pages and the API ask for them."""

from typing import Annotated

from fastapi import Depends

from armarium.accounts.model import Permission
from armarium.planning.fields.service import ExtendedFields
from armarium.planning.harvests.calendar import Calendar
from armarium.planning.harvests.events import EventHarvests
from armarium.planning.harvests.members import HarvestDomains
from armarium.planning.harvests.service import Harvests
from armarium.web.guard import needs
from armarium.web.services import service

HarvestsService = Annotated[Harvests, Depends(service(Harvests))]
DomainsOfHarvests = Annotated[HarvestDomains, Depends(service(HarvestDomains))]
EventsService = Annotated[EventHarvests, Depends(service(EventHarvests))]
CalendarService = Annotated[Calendar, Depends(service(Calendar))]
FieldsService = Annotated[ExtendedFields, Depends(service(ExtendedFields))]

VIEW = [Depends(needs(Permission.PLANNING_VIEW))]
EDIT = [Depends(needs(Permission.PLANNING_EDIT))]
