"""Settings: one TOML file, every key declared once next to the code that uses it.

Comes in: the section classes of all packages, a TOML file, the environment.
Goes out: `Settings`, which gives each section as a typed, frozen value and knows where every value came from;
the reference page and an example file, made from the same declarations.
It must never keep settings in a global, guess what a wrong value may have meant, show a secret, or know
which sections exist: whoever calls `load` says so.
"""

from armarium.settings.load import Settings, load
from armarium.settings.section import Section, key

__all__ = ["Section", "Settings", "key", "load"]
