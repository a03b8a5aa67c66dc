"""Signatures of binary formats that the browser's table lacks and an archive meets."""

import re
from typing import NamedTuple

from armarium.formats.media.signatures import archive_type, audio_or_video_type, image_type

HEAD_BYTES = 65_536


class _At(NamedTuple):
    offset: int
    octets: bytes
    mime: str


# Checked in this order; what is more particular stands first.
_TABLE = (
    _At(0, b"WARC/", "application/warc"),
    _At(0, b"filedesc://", "application/x-ia-arc"),
    _At(0, b"%PDF-", "application/pdf"),
    _At(0, b"%!PS", "application/postscript"),
    _At(0, b"\xc5\xd0\xd3\xc6", "application/postscript"),
    _At(0, b"{\\rtf", "application/rtf"),
    _At(0, b"\x28\xb5\x2f\xfd", "application/zstd"),
    _At(0, b"\xfd7zXZ\x00", "application/x-xz"),
    _At(0, b"BZh", "application/x-bzip2"),
    _At(0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    _At(0, b"\x1f\x9d", "application/x-compress"),
    _At(0, b"Rar!\x1a\x07\x01\x00", "application/x-rar-compressed"),
    _At(257, b"ustar", "application/x-tar"),
    _At(0, b"FWS", "application/x-shockwave-flash"),
    _At(0, b"CWS", "application/x-shockwave-flash"),
    _At(0, b"ZWS", "application/x-shockwave-flash"),
    _At(0, b"FLV\x01", "video/x-flv"),
    _At(0, b"fLaC", "audio/flac"),
    _At(0, b"#!AMR", "audio/amr"),
    _At(0, b".snd", "audio/basic"),
    _At(0, b".RMF", "application/vnd.rn-realmedia"),
    _At(0, b".ra\xfd", "audio/x-pn-realaudio"),
    _At(0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "video/x-ms-asf"),
    _At(0, b"\x00\x00\x01\xba", "video/mpeg"),
    _At(0, b"\x00\x00\x01\xb3", "video/mpeg"),
    _At(0, b"\x00\x00\x00\x0cjP  \r\n\x87\n", "image/jp2"),
    _At(0, b"\xff\x4f\xff\x51", "image/x-jp2-codestream"),
    _At(0, b"\x00\x00\x00\x0cJXL \r\n\x87\n", "image/jxl"),
    _At(0, b"\xff\x0a", "image/jxl"),
    _At(0, b"II*\x00", "image/tiff"),
    _At(0, b"MM\x00*", "image/tiff"),
    _At(0, b"8BPS", "image/vnd.adobe.photoshop"),
    _At(0, b"AT&TFORM", "image/vnd.djvu"),
    _At(0, b"wOFF", "font/woff"),
    _At(0, b"wOF2", "font/woff2"),
    _At(0, b"OTTO", "font/otf"),
    _At(0, b"ttcf", "font/collection"),
    _At(0, b"\x00\x01\x00\x00\x00", "font/ttf"),
    _At(34, b"LP", "application/vnd.ms-fontobject"),
    _At(0, b"\x00asm", "application/wasm"),
    _At(0, b"\xca\xfe\xba\xbe", "application/java-vm"),
    _At(0, b"\x7fELF", "application/x-elf"),
    _At(0, b"SQLite format 3\x00", "application/vnd.sqlite3"),
    _At(0, b"ITSF", "application/vnd.ms-htmlhelp"),
    _At(0, b"MSCF", "application/vnd.ms-cab-compressed"),
    _At(0, b"\xed\xab\xee\xdb", "application/x-rpm"),
    _At(0, b"!<arch>\ndebian", "application/vnd.debian.binary-package"),
    _At(0, b"d8:announce", "application/x-bittorrent"),
)

# ISO base media files by their major brand; WHATWG's answer (video/mp4) covers one of them only.
_BRANDS = {
    b"avif": "image/avif",
    b"avis": "image/avif",
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"hevc": "image/heic-sequence",
    b"mif1": "image/heif",
    b"msf1": "image/heif-sequence",
    b"qt  ": "video/quicktime",
    b"M4A ": "audio/mp4",
    b"M4B ": "audio/mp4",
    b"M4V ": "video/mp4",
    b"crx ": "image/x-canon-cr3",
    b"jp2 ": "image/jp2",
    b"jpx ": "image/jpx",
}
# Netpbm: a number from 1 to 6, then white space or a comment, then the width
_PORTABLE = re.compile(rb"P[1-6](?:\s++|#[^\n]{0,200}+\n)++\d")
_3GP = re.compile(rb"3g[a-z0-9]{2}")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# Names of streams in a compound file, in UTF-16; the directory that lists them may lie beyond the head.
_OLE_STREAMS = (
    ("WordDocument", "application/msword"),
    ("Workbook", "application/vnd.ms-excel"),
    ("PowerPoint Document", "application/vnd.ms-powerpoint"),
    ("__properties_version1.0", "application/vnd.ms-outlook"),
    ("VisioDocument", "application/vnd.visio"),
    ("HwpSummaryInformation", "application/x-hwp"),
)
_ZIP_PARTS = (
    (b"word/", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    (b"xl/", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    (b"ppt/", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    (b"visio/", "application/vnd.ms-visio.drawing"),
)
_ZIP_MIMETYPE = re.compile(rb"mimetype((?:application|image|text)/[A-Za-z0-9.+_-]{1,100})")


def binary_type(head: bytes) -> str | None:
    """The type that the first bytes show, or None for text and for what is not known."""
    if head.startswith(_OLE):
        return _ole_type(head)
    if head.startswith(b"PK\x03\x04"):
        return _zip_type(head)
    if head[4:8] == b"ftyp":
        return _media_file_type(head)
    for one in _TABLE:
        if head.startswith(one.octets, one.offset):
            return one.mime
    if _PORTABLE.match(head):
        return "image/x-portable-anymap"
    if head.startswith(b"FRM8") and head[12:16] == b"DSD ":
        return "audio/x-dff"
    if _is_quicktime(head):
        return "video/quicktime"
    if head[1:4] == b"\x2a\x4d\x18" and 0x50 <= head[0] <= 0x5F:
        return "application/zstd"  # a skippable frame in front of the data
    return image_type(head) or audio_or_video_type(head) or _one(archive_type(head))


def _one(mime: str | None) -> str | None:
    return "application/gzip" if mime == "application/x-gzip" else mime


def _media_file_type(head: bytes) -> str:
    brand = head[8:12]
    if brand in _BRANDS:
        return _BRANDS[brand]
    return "video/3gpp" if _3GP.fullmatch(brand) else "video/mp4"


def _is_quicktime(head: bytes) -> bool:
    return head[4:8] in (b"moov", b"mdat", b"wide", b"pnot") and len(head) > 8


def _ole_type(head: bytes) -> str:
    for name, mime in _OLE_STREAMS:
        if name.encode("utf-16-le") in head:
            return mime
    # "Book" alone is the stream of Excel 5; it is a word too short to look for without its end.
    return "application/vnd.ms-excel" if "Book\0".encode("utf-16-le") in head else "application/x-ole-storage"


def _zip_type(head: bytes) -> str:
    """A ZIP by the parts it has: office documents, e-books, programs are all ZIP files."""
    if found := _ZIP_MIMETYPE.match(head, 30):
        # The size fields say where the type ends; without them (a data descriptor) it runs into the next
        # header.
        size = int.from_bytes(head[18:22], "little")
        return (found[1][:size] if size else found[1].split(b"PK")[0]).decode("ascii")
    names = _zip_names(head)
    if any(name in (b"[Content_Types].xml", b"_rels/.rels") for name in names):
        for part, mime in _ZIP_PARTS:
            if any(name.startswith(part) for name in names):
                return mime
    if b"AndroidManifest.xml" in names or any(name.startswith(b"META-INF/com/android") for name in names):
        return "application/vnd.android.package-archive"
    if b"META-INF/MANIFEST.MF" in names or b"META-INF/" in names:
        return "application/java-archive"
    if b"datapackage.json" in names and any(name.startswith(b"archive/") for name in names):
        return "application/wacz"
    return "application/zip"


_ZIP_DIRECTORY_END = b"PK\x05\x06"
_MAX_NAMES = 1_000


def _zip_names(head: bytes) -> list[bytes]:
    """Names of its members: from the directory if the head is the whole file, else as they come."""
    end = head.rfind(_ZIP_DIRECTORY_END)
    if end >= 0 and len(head) - end >= 20:
        begin = int.from_bytes(head[end + 16 : end + 20], "little")
        if names := _members(head, begin, b"PK\x01\x02"):
            return names
    return _members(head, 0, b"PK\x03\x04")


def _members(head: bytes, at: int, signature: bytes) -> list[bytes]:
    """Names in headers that follow one another: of the central directory, or of the members themselves."""
    central = signature == b"PK\x01\x02"
    fixed, sizes = (46, 28) if central else (30, 26)
    names: list[bytes] = []
    while head.startswith(signature, at) and len(names) < _MAX_NAMES:
        if at + fixed > len(head):
            break
        at_member = at
        name, extra = (int.from_bytes(head[at + sizes + n : at + sizes + n + 2], "little") for n in (0, 2))
        names.append(head[at + fixed : at + fixed + name])
        if central:
            skipped = int.from_bytes(head[at + 32 : at + 34], "little")
        else:
            skipped = int.from_bytes(head[at + 18 : at + 22], "little")
        at += fixed + name + extra + skipped
        if not central and head[at_member + 6] & 8 and head[at_member + 8] == 0 and name and not skipped:
            break  # stored, of a size that only comes after it: what follows may be a ZIP inside the ZIP
        if not central and not skipped and not head.startswith(signature, at):
            at = head.find(signature, at)  # its size stands behind its data
            if at < 0:
                break
    return names
