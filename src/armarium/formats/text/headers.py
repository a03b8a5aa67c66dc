"""The charset of a Content-Type field as servers write it."""

import re

from armarium.formats.text.labels import encoding_of

# One parameter: a name, "=", a quoted string or what stands before the next separator. The comma separates
# the fields of a response that has several, joined into one. (A name is read from its beginning only: read
# from each of its letters, a long one would take the square of its length.)
_PARAMETER = re.compile(r'(?<![^\s;,="])([^\s;,="]++)\s*+=\s*(?:"([^"]*)"?|([^\s;,"]*))')
_LONGEST = 4096


def charset_of_content_type(value: str) -> str | None:
    """The encoding of the first charset parameter that means one; quoted strings may hold none."""
    for found in _PARAMETER.finditer(value[:_LONGEST]):
        if found[1].lower() == "charset":
            label = found[2] if found[2] is not None else found[3]
            if encoding := encoding_of(label.strip(" '")):
                return encoding
    return None
