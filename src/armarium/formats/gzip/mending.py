"""What can still be inflated of a damaged member.

The inflater gives nothing of a step in which it meets a fault. So the member is inflated again in ever
smaller
steps, at last byte by byte, up to the fault.
"""

from isal import igzip_lib

from armarium.formats.source import Source

InflateError: type[Exception] = igzip_lib.IsalError  # type: ignore[assignment]  # the stub says: an instance
LARGE_STEP = 128 * 1024
SMALL_STEPS = (1024, 32, 1)
MOST = 1024 * 1024  # given at a time; what one step can hide is less


def inflate_before(source: Source, begin: int, fault: int, skip: int) -> bytes:
    """The bytes that inflate before the fault, without the first `skip`.

    `begin` is where the deflated data begin, `fault` the beginning of the step that failed. The source stands
    behind the last step that did not fail then.
    """
    found = b""
    for step in SMALL_STEPS:
        found, fault = _inflate_until(source, begin, fault, skip, step)
    return found


def _inflate_until(source: Source, begin: int, fault: int, skip: int, step: int) -> tuple[bytes, int]:
    if not source.go_to(begin):
        return b"", fault
    inflate = igzip_lib.IgzipDecompressor(igzip_lib.DECOMP_DEFLATE)
    pieces: list[bytes] = []
    done = 0
    try:
        while not inflate.eof and done < skip + MOST:
            fed = b""
            if inflate.needs_input:
                ahead = fault - source.offset
                fed = source.peek(min(ahead, LARGE_STEP) if ahead > 0 else step)
                if not fed:
                    break
            piece = inflate.decompress(fed, LARGE_STEP)
            source.position += len(fed)
            done += len(piece)
            if done > skip:
                pieces.append(piece[max(skip - done, -len(piece)) :])
    except InflateError:
        pass  # this is where the fault is
    return b"".join(pieces), source.offset
