"""What a payload is: by its signature, by what its server said, by its name.

Comes in: the first bytes of a payload, the declared Content-Type, the last part of its URL's path.
Goes out: ``Media``, with the type we believe, the PRONOM identifier, the basis, and whether the declaration
agrees; ``sniff`` gives what a browser would take it for (WHATWG MIME Sniffing).

It must never raise for any bytes or names. The one thing here that touches the system is ``pronom``, for the
reason written there.
"""

from armarium.formats.media.identification import HEAD_BYTES, Agreement, Basis, Media, identify
from armarium.formats.media.mime_type import MimeType, parse_mime_type
from armarium.formats.media.sniffing import sniff

__all__ = ["HEAD_BYTES", "Agreement", "Basis", "Media", "MimeType", "identify", "parse_mime_type", "sniff"]
