"""The CDX server: lists of captures for programs, in the dialects that these have learnt.

Comes in: the query of a request, and captures through `View`.
Goes out: lines as pywb, the Internet Archive and OutbackCDX write them, streamed.
It must never count, filter, collapse or resume by a capture that the reader may not know, nor end an answer
early without saying so.
"""
