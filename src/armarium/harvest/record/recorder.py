"""The recorder: one group of records for each capture, in files of bounded size."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from armarium.core.clock import now
from armarium.core.crawl_order import CrawlOrder
from armarium.core.late import late
from armarium.formats.warc.folder import RotatingWriter
from armarium.formats.warc.new_record import (
    NewRecord,
    ReferringDetails,
    identical_revisit,
    metadata,
    not_modified_revisit,
    request,
    response,
    warcinfo,
)
from armarium.formats.warc.usual_capture import UsualCapture
from armarium.formats.warc.writer import Naming, Written, sealed_name
from armarium.harvest.fetch.exchange import DnsAnswer, Exchange
from armarium.harvest.record.companion import FileIndex
from armarium.harvest.record.description import description
from armarium.harvest.record.digest_index import Original
from armarium.harvest.record.duplicates import Digests, Duplicates, digests, is_transfer_coded, packed_from
from armarium.harvest.record.journal import Journal
from armarium.harvest.record.metadata import (
    BY_DIGEST,
    BY_SERVER,
    CaptureFacts,
    Recorded,
    metadata_block,
    protocol_fields,
)

if TYPE_CHECKING:
    from armarium.harvest.record.lines import Place, names_line, response_line, revisit_line
else:
    Place = late("armarium.harvest.record.lines:Place")
    names_line = late("armarium.harvest.record.lines:names_line")
    response_line = late("armarium.harvest.record.lines:response_line")
    revisit_line = late("armarium.harvest.record.lines:revisit_line")

WARC_FILES = "*.warc.gz"
JOURNAL = "facts.journal"
Protocols = Sequence[tuple[str, str]]  # fields of the header
_NOT_MODIFIED = 304
# A page that did not change still leads on, and its links are only in the page: it is always asked for whole.
LEADS_ON = (
    "text/html",
    "application/xhtml",
    "text/xml",
    "application/xml",
    "application/rss",
    "application/atom",
)


class Recorder:
    """Writes the captures of one process.

    `folder` is where WARC files go, `state` where the crawl keeps what it must know when it is resumed.
    Several processes may share the folder if `host` differs.
    """

    def __init__(
        self,
        order: CrawlOrder,
        folder: Path,
        *,
        state: Path,
        host: str,
        software: str,
        ip: str = "",
        user_agent: str = "",
    ) -> None:
        self._algorithm = order.recording.digest
        self._journal = None if order.recording.metadata else Journal(state / JOURNAL)
        self.duplicates = Duplicates(order.recording, state)
        fields = description(order, software=software, host=host, address=ip, user_agent=user_agent)
        self._positions = {path.name: path.stat().st_size for path in sorted(folder.glob(WARC_FILES))}
        self._index = FileIndex()
        self._writer = RotatingWriter(
            folder,
            Naming(order.recording.template, (*order.recording.values.items(), ("host", host))),
            now,
            describe=lambda name, moment: warcinfo(moment, fields, filename=name),
            limit=order.recording.max_file_bytes,
            serial=len(self._positions),
            algorithm=self._algorithm,
            sealing=self._index.write,
            sealed=self._note_sealed,
        )

    def record(self, exchange: Exchange, *, item_facts: CaptureFacts) -> Recorded:
        """Write response (or revisit), request and metadata of one capture.

        The exchange must have a response: of a connection that failed there is nothing to record.
        """
        made = digests(exchange, self._algorithm)
        digest, size, block_digest, _ = made
        protocols = _protocols(exchange)
        known, duplicate = self._known(exchange, digest, size)
        usual = self._usual(exchange, protocols, item_facts, digest) if known is None else None
        if usual is not None:
            written = self._writer.write_capture(usual)
        else:
            if known is None:
                first = self._response(exchange, protocols, digest, block_digest)
            else:
                first = self._revisit(exchange, protocols, known, digest if duplicate == BY_DIGEST else "")
            about = self._about(exchange, protocols, first.record_id, item_facts, digest)
            written = self._writer.write(first, *about)[0]
        if known is None:
            self.duplicates.recorded(exchange, digest, size)
        place = self._place(written)
        self._index.add(_index_line(exchange, made, duplicate, place), place.offset, self._writer.offset)
        length = exchange.response.length
        return Recorded(place.filename, place.offset, digest, length, duplicate, size, place.length)

    def _place(self, written: Written) -> "Place":
        return Place(self._filename, written.offset, written.length)

    def record_names(self, answer: DnsAnswer) -> Recorded:
        """Write the answer of a name server, as Heritrix does: a response of type text/dns."""
        server = address_only(answer.server)
        url = f"dns:{answer.name}"
        record = response(url, answer.started, answer.text, "text/dns", ip_address=server)
        written = self._writer.write(record)[0]
        place = self._place(written)
        line = names_line(url, answer.started, written.payload_digest, place)
        self._index.add(line, place.offset, self._writer.offset)
        size = len(answer.text)
        digest = written.payload_digest or ""
        return Recorded(place.filename, place.offset, digest, size, None, size, place.length)

    def validators(self, url: str) -> list[tuple[str, str]]:
        """Headers that ask for the address only if it changed since an earlier harvest; mostly none."""
        known = self.duplicates.latest(url)
        if known is None or known.mime.startswith(LEADS_ON):
            return []
        pairs = (("If-None-Match", known.etag), ("If-Modified-Since", known.last_modified))
        return [(name, value) for name, value in pairs if value]

    def flush(self) -> None:
        """Make all that was written safe from the death of the machine. Before the frontier commits."""
        self._writer.flush()

    def committed(self) -> None:
        """The frontier has committed: what was written stays, and can be referred to by a resumed crawl."""
        self.duplicates.write()
        if self._journal is not None:
            self._journal.clear()

    def positions(self) -> dict[str, int]:
        """How far each file is written: what the frontier remembers with each commit, for `adopt`."""
        if self._writer.path is None:
            return dict(self._positions)
        return {**self._positions, self._filename: self._writer.offset}

    @property
    def written_bytes(self) -> int:
        """In all files, those of earlier runs included."""
        return sum(self._positions.values()) + (self._writer.offset if self._writer.path else 0)

    def seal(self) -> None:
        """Finish the file that is being written; the next capture begins another."""
        self._writer.seal()
        self.duplicates.write()

    def close(self) -> None:
        self.seal()
        self.duplicates.close()

    def abandon(self) -> None:
        """Leave the file as a kill would, if it was not closed."""
        self._writer.abandon()
        if self._journal is not None:
            self._journal.close()

    @property
    def _filename(self) -> str:
        path = self._writer.path
        return sealed_name(path.name) if path is not None else ""

    def _note_sealed(self, path: Path) -> None:
        self._positions[path.name] = path.stat().st_size
        self._index.clear()

    def _known(self, exchange: Exchange, digest: str, size: int) -> tuple[Original | None, str | None]:
        """The capture that this one repeats, and which kind of duplicate that makes it."""
        if exchange.status == _NOT_MODIFIED:
            known = self.duplicates.latest(exchange.url)
            if known is not None:
                return known, BY_SERVER
        known = self.duplicates.find(exchange, digest, size)
        return known, None if known is None else BY_DIGEST

    def _usual(
        self, exchange: Exchange, protocols: Protocols, facts: CaptureFacts, digest: str
    ) -> UsualCapture | None:
        """The capture as nearly all are, for which there is a short way; None for any other."""
        data, sent = exchange.response.data, exchange.request
        if data is None or exchange.truncated is not None or not (digest and exchange.address):
            return None
        if self._journal is not None or not sent.endswith(b"\r\n\r\n"):
            return None
        coded = is_transfer_coded(exchange)
        return UsualCapture(
            exchange.url,
            exchange.started,
            exchange.address,
            data,
            "" if coded else digest,
            packed_from(exchange),
            sent,
            metadata_block(facts, round(exchange.duration * 1000), digest if coded else ""),
            protocols,
        )

    def _response(
        self, exchange: Exchange, protocols: Protocols, digest: str, block_digest: str | None
    ) -> NewRecord:
        wire = exchange.response
        return response(
            exchange.url,
            exchange.started,
            wire.data if wire.data is not None else wire.pieces(),
            ip_address=exchange.address or None,
            truncated=exchange.truncated,
            payload_digest="" if is_transfer_coded(exchange) else digest or None,
            block_digest=block_digest if digest else None,
            block_length=wire.length,
            packed_from=packed_from(exchange),
            extra=protocols,
        )

    def _revisit(
        self, exchange: Exchange, protocols: Protocols, known: Original, digest: str = ""
    ) -> NewRecord:
        head = bytes(exchange.head) if exchange.head is not None else b""
        about: ReferringDetails = {
            "refers_to_target_uri": known.url,
            "refers_to_date": known.date,
            "ip_address": exchange.address or None,
            "extra": protocols,
        }
        if digest:
            return identical_revisit(exchange.url, exchange.started, head, digest, **about)
        return not_modified_revisit(exchange.url, exchange.started, head, **about)

    def _about(
        self, exchange: Exchange, protocols: Protocols, record_id: str, facts: CaptureFacts, digest: str
    ) -> list[NewRecord]:
        together = (record_id,)
        url, date, sent = exchange.url, exchange.started, exchange.request
        records = []
        if sent:
            asked = request(
                url,
                date,
                sent,
                ip_address=exchange.address or None,
                concurrent_to=together,
                extra=protocols,
                payload_digest="" if sent.endswith(b"\r\n\r\n") else None,  # no body, no payload
            )
            records.append(asked)
        coded = digest if is_transfer_coded(exchange) else ""
        block = metadata_block(facts, round(exchange.duration * 1000), coded)
        if self._journal is None:
            records.append(metadata(date, block, target_uri=url, concurrent_to=together))
        else:
            self._journal.keep(record_id, block)
        return records


def _protocols(exchange: Exchange) -> Protocols:
    version = exchange.head.version if exchange.head is not None else ""
    tls = exchange.tls
    return protocol_fields(version, tls.protocol if tls else "", tls.cipher if tls else "")


def address_only(server: str) -> str | None:
    """The address of `192.0.2.1:53`, `[2001:db8::1]:53` or either without its port; None for nothing."""
    if server.startswith("["):
        return server[1:].partition("]")[0]
    return (server.partition(":")[0] if server.count(":") == 1 else server) or None


def _index_line(exchange: Exchange, made: Digests, duplicate: str | None, place: "Place") -> bytes | None:
    if duplicate is not None:
        return revisit_line(exchange, made.payload if duplicate == BY_DIGEST else "", place)
    return response_line(exchange, made.indexed, not is_transfer_coded(exchange), place)
