"""What the rooms tell on the overview, without their pages: for the command."""

from collections.abc import Sequence

from armarium.access.overview import OVERVIEW as ACCESS
from armarium.administration.overview import OVERVIEW as ADMINISTRATION
from armarium.index.overview import OVERVIEW as INDEX
from armarium.planning.overview import OVERVIEW as PLANNING
from armarium.selection.overview import OVERVIEW as SELECTION
from armarium.storage.overview import OVERVIEW as STORAGE
from armarium.web.overview import Contribution

#: In the order of the sections of the site.
CONTRIBUTIONS: Sequence[Contribution] = (SELECTION, PLANNING, STORAGE, INDEX, ACCESS, ADMINISTRATION)
