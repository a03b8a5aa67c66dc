"""The readers' pages: finding captures by address and date, and the frame around an archived page.

Comes in: what a reader typed, or an address of the archive. Goes out: pages, in the reader's language.
It must never show an archived byte on the readers' origin, nor count, name or hint at a capture that `View`
keeps from the reader.
"""
