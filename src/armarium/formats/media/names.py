"""Types by the name's extension, and types that are one type under several names."""

import posixpath

_BY_EXTENSION = {
    "application/epub+zip": "epub",
    "application/gzip": "gz tgz taz",
    "application/java-archive": "jar",
    "application/json": "json map",
    "application/ld+json": "jsonld",
    "application/msword": "doc dot",
    "application/pdf": "pdf",
    "application/postscript": "ps eps ai",
    "application/rss+xml": "rss",
    "application/atom+xml": "atom",
    "application/rtf": "rtf",
    "application/vnd.android.package-archive": "apk",
    "application/vnd.apple.mpegurl": "m3u8",
    "application/vnd.ms-excel": "xls xlt",
    "application/vnd.ms-fontobject": "eot",
    "application/vnd.ms-outlook": "msg",
    "application/vnd.ms-powerpoint": "ppt pps pot",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/wasm": "wasm",
    "application/warc": "warc",
    "application/x-7z-compressed": "7z",
    "application/x-bzip2": "bz2",
    "application/x-ia-arc": "arc",
    "application/x-rar-compressed": "rar",
    "application/x-shockwave-flash": "swf",
    "application/x-tar": "tar",
    "application/x-xz": "xz",
    "application/xhtml+xml": "xhtml xht",
    "application/zip": "zip",
    "application/zstd": "zst",
    "audio/flac": "flac",
    "audio/mp4": "m4a",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg oga opus",
    "audio/wave": "wav",
    "font/otf": "otf",
    "font/ttf": "ttf",
    "font/woff": "woff",
    "font/woff2": "woff2",
    "image/avif": "avif",
    "image/bmp": "bmp",
    "image/gif": "gif",
    "image/heic": "heic heif",
    "image/jp2": "jp2 jpx",
    "image/jpeg": "jpg jpeg jpe",
    "image/png": "png apng",
    "image/svg+xml": "svg",
    "image/tiff": "tif tiff",
    "image/webp": "webp",
    "image/x-icon": "ico cur",
    "text/calendar": "ics",
    "text/css": "css",
    "text/csv": "csv",
    "text/html": "html htm shtml",
    "text/javascript": "js mjs cjs",
    "text/markdown": "md",
    "text/plain": "txt log text",
    "text/tab-separated-values": "tsv",
    "text/vcard": "vcf",
    "text/vtt": "vtt",
    "text/xml": "xml xsl xslt xsd",
    "text/x-java": "java",
    "video/mp4": "mp4 m4v",
    "video/mpeg": "mpg mpeg",
    "video/ogg": "ogv",
    "video/quicktime": "mov qt",
    "video/webm": "webm",
    "video/x-flv": "flv",
    "video/avi": "avi",
}
_EXTENSIONS = {word: mime for mime, words in _BY_EXTENSION.items() for word in words.split()}

# The same format under other names: the first is the one used here.
_SAME = (
    "application/gzip application/x-gzip application/x-tgz",
    "application/javascript text/javascript application/x-javascript application/ecmascript text/ecmascript "
    "text/x-javascript text/jscript",
    "application/json text/json application/x-json",
    "application/ogg audio/ogg video/ogg audio/opus",
    "application/rtf text/rtf",
    "application/vnd.ms-cab-compressed application/x-cab",
    "application/vnd.sqlite3 application/x-sqlite3",
    "application/x-bzip2 application/x-bzip",
    "application/x-elf application/x-executable application/x-sharedlib application/x-object",
    "application/x-rar-compressed application/x-rar application/vnd.rar",
    "application/x-shockwave-flash application/vnd.adobe.flash.movie",
    "application/zip application/x-zip-compressed application/x-zip",
    "application/zstd application/x-zstd",
    "audio/aiff audio/x-aiff",
    "audio/mpeg audio/mp3 audio/x-mp3 audio/mpeg3",
    "audio/midi audio/x-midi",
    "audio/wave audio/wav audio/x-wav audio/vnd.wave",
    "font/otf application/x-font-otf application/vnd.ms-opentype font/sfnt",
    "font/ttf application/x-font-ttf application/font-sfnt application/x-font-truetype",
    "font/woff application/font-woff application/x-font-woff",
    "font/woff2 application/font-woff2",
    "image/bmp image/x-ms-bmp image/x-bmp",
    "image/heic image/heif",
    "image/jp2 image/jpx image/jpm",
    "image/jpeg image/jpg image/pjpeg",
    "image/png image/apng image/vnd.mozilla.apng image/x-png",
    "image/x-icon image/vnd.microsoft.icon image/x-win-bitmap",
    "image/vnd.adobe.photoshop image/x-photoshop",
    "image/x-portable-anymap image/x-portable-bitmap image/x-portable-graymap image/x-portable-greymap "
    "image/x-portable-pixmap",
    "text/xml application/xml",
    "video/avi video/x-msvideo video/msvideo",
    "video/x-ms-asf video/x-ms-wmv audio/x-ms-wma application/vnd.ms-asf",
    "application/vnd.apple.mpegurl application/x-mpegurl audio/mpegurl audio/x-mpegurl",
    "application/x-ia-arc application/x-arc",
    "application/java-archive application/x-java-archive",
)
_CANONICAL = {name: group.split()[0] for group in _SAME for name in group.split()}

# A file of the first type is one of the second too: saying so is imprecise, not wrong.
_KINDS = (
    ("application/vnd.openxmlformats-officedocument.", "application/zip"),
    ("application/vnd.oasis.opendocument.", "application/zip"),
    ("application/x-ndjson", "application/json"),
    ("application/java-archive", "application/zip"),
    ("application/vnd.android.package-archive", "application/zip"),
    ("application/vnd.android.package-archive", "application/java-archive"),
    ("application/wacz", "application/zip"),
    ("application/msword", "application/x-ole-storage"),
    ("application/vnd.ms-", "application/x-ole-storage"),
    ("application/xhtml+xml", "text/html"),
    ("application/xhtml+xml", "text/xml"),
)


def extension_type(name: str | None) -> str | None:
    """The type that a file name or URL path promises."""
    if not name:
        return None
    last = posixpath.basename(name[-1000:].partition("?")[0].partition("#")[0])
    _, dot, extension = last.rpartition(".")
    return _EXTENSIONS.get(extension.lower()) if dot else None


def same_type(one: str, other: str) -> bool:
    """Whether two types are names of one format."""
    return _CANONICAL.get(one, one) == _CANONICAL.get(other, other)


def compatible(one: str, other: str) -> bool:
    """Whether one of two types is a kind of the other."""
    return _is_kind_of(one, other) or _is_kind_of(other, one)


def _is_kind_of(special: str, general: str) -> bool:
    if general == "application/octet-stream":
        return True
    if special.endswith("+zip") and same_type(general, "application/zip"):
        return True
    if special.endswith("+xml") and same_type(general, "text/xml"):
        return True
    if special.endswith("+json") and same_type(general, "application/json"):
        return True
    if general == "text/plain" and (
        special.startswith("text/") or special.endswith(("json", "xml", "javascript"))
    ):
        return True
    return any(special.startswith(kind) and same_type(general, whole) for kind, whole in _KINDS)
