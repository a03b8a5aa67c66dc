"""Indexes of others, each kept as a collection of its own.

Comes in: CDX, CDXJ or ZipNum files. Goes out: a collection that can be looked up.
It must never mix with what was made from the files themselves: nobody has checked what an imported line says.
"""
