"""Sentences for people, kept apart from their translation.

Code that meets a problem does not know the reader's language. It makes a `Message`; the door that shows
it (a page, the API, a mail) translates it there. `str(message)` is the English original.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Message:
    template: str  # English, with %(name)s places: also the key in the catalogues
    values: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.filled(self.template)

    def filled(self, template: str) -> str:
        """Put the values into a (translated) template; a template without places is taken literally."""
        return template % self.values if self.values else template

    def saying(self, **values: object) -> "Message":
        """The same sentence with these values in its places."""
        return Message(self.template, values)


def message(template: str, **values: object) -> Message:
    """Make a message; the extraction of translatable sentences looks for this name."""
    return Message(template, values)
