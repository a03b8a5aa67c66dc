"""Fuzzing of ARC files: no bytes may raise, hang, fill the memory, or give records that are not in the file.

python fuzz/arc.py -max_total_time=600 -rss_limit_mb=200 fuzz/corpus/arc
"""

import io
import sys

import atheris

with atheris.instrument_imports(include=["armarium.formats.arc", "armarium.formats.warc"]):
    from armarium.formats.arc import ArcRecord, parse_arc_date, parse_line
    from armarium.formats.warc.reader import ArchiveReader

BEFORE = (
    b"filedesc://a.arc 0.0.0.0 20260102030405 text/plain 76\n1 0 InternetArchive\n"
    b"URL IP-address Archive-date Content-type Archive-length\n\n"
)


def one_input(data: bytes) -> None:
    for file in (data, BEFORE + data):
        reader = ArchiveReader(io.BytesIO(file))
        last = -1
        for record in reader:
            assert record.offset > last, "records come in the order of the file"
            last = record.offset
            repr((record, record.fields, record.date, record.content_length, record.http))
            if isinstance(record, ArcRecord):
                repr((record.result_code, record.checksum, record.location, record.stated_offset))
            record.block.read()
            assert record.offset + record.length <= len(file)
        assert 0 <= reader.end <= len(file)
    names = [name for name, _ in parse_line(data)]
    assert names[0] == "URL"
    assert names[-1] == "Archive-length"
    parse_arc_date(data.decode("latin-1"))


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
