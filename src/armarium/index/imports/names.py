"""How collections of imported lines are called."""

import re

IMPORTED = "import-"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,50}\Z")
