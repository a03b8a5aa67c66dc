"""What the staff site consists of. Apart from the assembly: processes without pages start twice as fast."""

from armarium.access.section import ACCESS
from armarium.administration.section import SECTION as ADMINISTRATION
from armarium.index.section import INDEX
from armarium.planning.section import HARVESTING, PLANNING
from armarium.selection.section import SELECTION
from armarium.storage.section import STORAGE

SITE_SECTIONS = (SELECTION, PLANNING, HARVESTING, STORAGE, INDEX, ACCESS, ADMINISTRATION)
TEMPLATE_PACKAGES = tuple(
    f"armarium.{room}" for room in ("administration", "selection", "planning", "storage", "index", "access")
)
