"""A light look: what the beginning of a file shows."""

import gzip
import io

from armarium.storage.intake import sources
from armarium.storage.intake.sources import ONE_MEMBER, Look, look
from tests.integration.storage.outside import capture, record, warc, warcinfo


def test_a_warc_says_who_wrote_it_and_what_it_is_part_of() -> None:
    seen = look(io.BytesIO(warc(software="armarium/1.0", isPartOf="job-12")))

    assert (seen.format, seen.problem, seen.part_of, seen.ours) == ("WARC", "", "job-12", True)
    assert str(seen.job_of_ours("12-3-20260102030405678-00000-h.warc.gz")) == "12-3"


def test_what_a_warc_says_of_its_job_comes_before_what_its_name_says() -> None:
    def told(software: str, job: str) -> Look:
        fields = {"harvestInfo.jobId": job, "harvestInfo.origHarvestDefinitionID": "3"}
        return look(io.BytesIO(warc(b"hello", software=software, **fields)))

    ours, theirs, nothing = (
        told("armarium/1.0", "12"),
        told("Heritrix/3.4", "12"),
        told("armarium/1.0", "9" * 19),
    )

    assert {str(ours.job_of_ours(name)) for name in ("job-12-metadata-1.warc.gz", "a.warc.gz")} == {"12-3"}
    assert (theirs.job_of_ours("a.warc.gz"), theirs.original_job("a.warc.gz")) == (None, "12-3")
    assert nothing.job_of_ours("a.warc.gz") is None


def test_numbers_in_the_name_of_a_file_of_others_are_not_ours() -> None:
    seen = look(io.BytesIO(warc(software="Heritrix/3.4")))

    assert seen.job_of_ours("12-3-20260102030405678-00000-h.warc.gz") is None
    assert seen.original_job("12-3-20260102030405678-00000-h.warc.gz") == "12-3"


def test_an_arc_says_what_it_is_part_of() -> None:
    legend = b"1 1 Archive.org\nURL IP-address Archive-date Content-type Archive-length\n"
    info = legend + b"<isPartOf>spring</isPartOf>\n"
    head = f"filedesc://a.arc 0.0.0.0 20050101000000 text/plain {len(info)}\n".encode()

    seen = look(io.BytesIO(head + info + b"\n"))

    assert (seen.format, seen.original_job("a.arc")) == ("ARC", "spring")


def test_what_is_neither_is_told_with_a_reason() -> None:
    for content in (b"", b"%PDF-1.7 and so on", b"PK\x03\x04zip", gzip.compress(b"text")):
        seen = look(io.BytesIO(content))
        assert seen.format == ""
        assert seen.problem


def test_one_gzip_member_for_all_records_is_said() -> None:
    whole = gzip.compress(warcinfo(software="x/1") + capture("http://a/", b"x"), mtime=0)

    assert look(io.BytesIO(whole)).problem == ONE_MEMBER


def test_of_a_huge_record_only_the_beginning_is_read() -> None:
    class Counting(io.BytesIO):
        taken = 0

        def read(self, count: int | None = -1, /) -> bytes:
            piece = super().read(count)
            self.taken += len(piece)
            return piece

    file = Counting(record("resource", b"x" * (2 * sources.BEGINNING)))

    assert look(file).problem == ""
    assert file.taken <= sources.BEGINNING
