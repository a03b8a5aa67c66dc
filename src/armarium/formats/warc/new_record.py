"""Records to be written: what the one who writes says of them. Lengths and digests are the writer's
business.
"""

import enum
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypedDict, Unpack

Content = bytes | Iterable[bytes]  # at once, or in pieces as they come

# WARC 1.1 clause 6.7.
IDENTICAL_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"

HTTP_RESPONSE = "application/http; msgtype=response"
HTTP_REQUEST = "application/http; msgtype=request"
WARC_FIELDS = "application/warc-fields"

_IDS_AT_ONCE = 256  # 4 KiB of random bytes for one call of the system
_VERSION = bytes(0x40 | byte & 0x0F for byte in range(256))
_VARIANT = bytes(0x80 | byte & 0x3F for byte in range(256))
_ids: list[str] = []  # made, and not yet given to a record
os.register_at_fork(after_in_child=_ids.clear)  # else parent and child would give the same ones
_latest_date: tuple[datetime | None, str] = (None, "")


class Truncation(enum.StrEnum):
    """Why a block does not hold all that there was (WARC 1.1 clause 5.13)."""

    LENGTH = "length"
    TIME = "time"
    DISCONNECT = "disconnect"
    UNSPECIFIED = "unspecified"


def new_record_id() -> str:
    """A name that no other record has."""
    try:
        return _ids.pop()
    except IndexError:
        fresh = _more_ids()
        last = fresh.pop()
        _ids.extend(fresh)
        return last


def _more_ids() -> list[str]:
    # RFC 9562, 5.4: random numbers with the version 4 and the variant 10 in their places, as uuid.uuid4
    # makes them.
    numbers = bytearray(os.urandom(16 * _IDS_AT_ONCE))
    numbers[6::16] = numbers[6::16].translate(_VERSION)
    numbers[8::16] = numbers[8::16].translate(_VARIANT)
    digits = numbers.hex()
    return [
        f"<urn:uuid:{digits[at : at + 8]}-{digits[at + 8 : at + 12]}-{digits[at + 12 : at + 16]}-"
        f"{digits[at + 16 : at + 20]}-{digits[at + 20 : at + 32]}>"
        for at in range(0, len(digits), 32)
    ]


@dataclass(slots=True, kw_only=True)  # not frozen: that takes half as long again to make
class NewRecord:
    """A record of any type. The functions below know what each type needs."""

    record_type: str
    date: datetime
    block: Content = b""
    content_type: str | None = None
    target_uri: str | None = None
    record_id: str = field(default_factory=new_record_id)
    warcinfo_id: str | None = None  # the writer's own, if it has one and this says nothing
    ip_address: str | None = None
    concurrent_to: Sequence[str] = ()
    refers_to: str | None = None
    refers_to_target_uri: str | None = None
    refers_to_date: datetime | None = None
    profile: str | None = None
    filename: str | None = None
    truncated: Truncation | str | None = None
    payload_digest: str | None = None  # labelled; for revisits, and where it is known already; "": none
    block_digest: str | None = None  # labelled, with `block_length`: where both are known already, pieces
    block_length: int | None = None  # go straight into the file
    identified_payload_type: str | None = None
    segment_number: int | None = None
    segment_origin_id: str | None = None
    segment_total_length: int | None = None
    extra: Sequence[tuple[str, str]] = ()  # further fields, in this order
    packed_from: int | None = None  # from this byte on, the block is compressed already


class Details(TypedDict, total=False):
    """What records of every type may say besides."""

    record_id: str
    warcinfo_id: str | None
    ip_address: str | None
    concurrent_to: Sequence[str]
    identified_payload_type: str | None
    segment_number: int | None
    extra: Sequence[tuple[str, str]]


class CaptureDetails(Details, total=False):
    """What records of captured content may say besides."""

    truncated: Truncation | str | None
    payload_digest: str | None
    block_digest: str | None
    block_length: int | None
    packed_from: int | None


class ReferringDetails(Details, total=False):
    """What records about other records may say besides."""

    refers_to: str | None
    refers_to_target_uri: str | None
    refers_to_date: datetime | None


def warcinfo(
    date: datetime, fields: Iterable[tuple[str, str]], *, filename: str | None = None, **more: Unpack[Details]
) -> NewRecord:
    """A description of the records that follow: software, hostname, operator, robots and so on."""
    return NewRecord(
        record_type="warcinfo",
        date=date,
        content_type=WARC_FIELDS,
        block=warc_fields(fields),
        filename=filename,
        **more,
    )


def response(
    target_uri: str,
    date: datetime,
    block: Content,
    content_type: str = HTTP_RESPONSE,
    **more: Unpack[CaptureDetails],
) -> NewRecord:
    """A response as it came over the wire."""
    return NewRecord(
        record_type="response",
        target_uri=target_uri,
        date=date,
        block=block,
        content_type=content_type,
        **more,
    )


def request(
    target_uri: str,
    date: datetime,
    block: Content,
    content_type: str = HTTP_REQUEST,
    **more: Unpack[CaptureDetails],
) -> NewRecord:
    """A request as it went over the wire."""
    return NewRecord(
        record_type="request",
        target_uri=target_uri,
        date=date,
        block=block,
        content_type=content_type,
        **more,
    )


def resource(
    target_uri: str, date: datetime, block: Content, content_type: str, **more: Unpack[CaptureDetails]
) -> NewRecord:
    """A resource without its protocol: a file, a DNS answer, a screenshot."""
    return NewRecord(
        record_type="resource",
        target_uri=target_uri,
        date=date,
        block=block,
        content_type=content_type,
        **more,
    )


def metadata(
    date: datetime,
    block: Content,
    content_type: str = WARC_FIELDS,
    *,
    target_uri: str | None = None,
    **more: Unpack[ReferringDetails],
) -> NewRecord:
    """Something known about another record or a resource."""
    return NewRecord(
        record_type="metadata",
        target_uri=target_uri,
        date=date,
        block=block,
        content_type=content_type,
        **more,
    )


def identical_revisit(
    target_uri: str, date: datetime, head: Content, payload_digest: str, **more: Unpack[ReferringDetails]
) -> NewRecord:
    """The payload was captured before; the block keeps the head of this response.

    WARC 1.1 clause 6.7.2: the payload digest is mandatory, and a block without its body says so.
    """
    return NewRecord(
        record_type="revisit",
        target_uri=target_uri,
        date=date,
        block=head,
        content_type=HTTP_RESPONSE if head else None,
        profile=IDENTICAL_PAYLOAD,
        payload_digest=payload_digest,
        truncated=Truncation.LENGTH if head else None,
        **more,
    )


def not_modified_revisit(
    target_uri: str, date: datetime, head: Content, **more: Unpack[ReferringDetails]
) -> NewRecord:
    """The server said that nothing changed since the capture referred to (WARC 1.1 clause 6.7.3)."""
    return NewRecord(
        record_type="revisit",
        target_uri=target_uri,
        date=date,
        block=head,
        content_type=HTTP_RESPONSE if head else None,
        profile=NOT_MODIFIED,
        **more,
    )


def conversion(
    target_uri: str,
    date: datetime,
    block: Content,
    content_type: str,
    refers_to: str,
    **more: Unpack[CaptureDetails],
) -> NewRecord:
    """Another record's content in another format."""
    return NewRecord(
        record_type="conversion",
        target_uri=target_uri,
        date=date,
        block=block,
        content_type=content_type,
        refers_to=refers_to,
        **more,
    )


def continuation(
    target_uri: str,
    date: datetime,
    block: Content,
    origin_id: str,
    number: int,
    total_length: int | None = None,
    record_id: str | None = None,
) -> NewRecord:
    """A further segment of a record begun before; the last one knows the length of all together."""
    return NewRecord(
        record_type="continuation",
        target_uri=target_uri,
        date=date,
        block=block,
        segment_origin_id=origin_id,
        segment_number=number,
        segment_total_length=total_length,
        record_id=record_id or new_record_id(),
    )


def warc_fields(pairs: Iterable[tuple[str, str]]) -> bytes:
    """A block of type application/warc-fields."""
    return "".join(f"{name}: {value}\r\n" for name, value in pairs).encode()


def warc_date(moment: datetime) -> str:
    """WARC 1.1 clause 5.4: UTC, to the second or with a fraction of it."""
    global _latest_date  # the records of one capture have one date  # noqa: PLW0603
    latest, text = _latest_date
    if latest is moment:
        return text
    if moment.tzinfo is None:
        raise ValueError(f"The date {moment} has no time zone: nobody can say when that was.")
    utc = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    text = f"{utc.isoformat()[:-6]}Z"  # for +00:00
    _latest_date = moment, text
    return text
