"""Text from bytes: which encoding, from what it is known, and the characters.

Comes in: the bytes of a resource, the charset its server declared, the kind of text it is.
Goes out: ``Text``, with the encoding by its WHATWG name, the basis of that knowledge and the number of
invalid places.

It must never raise for any bytes, and never change what a browser would read where a browser's answer is
defined.
"""

from armarium.formats.text.decoding import Basis, Kind, Text, decode, decode_as, encoding_for
from armarium.formats.text.labels import ENCODINGS, charset_of_content_type, encoding_of, whatwg_encoding
from armarium.formats.text.prescan import declared_in_html, declared_in_xml

__all__ = [
    "ENCODINGS",
    "Basis",
    "Kind",
    "Text",
    "charset_of_content_type",
    "declared_in_html",
    "declared_in_xml",
    "decode",
    "decode_as",
    "encoding_for",
    "encoding_of",
    "whatwg_encoding",
]
