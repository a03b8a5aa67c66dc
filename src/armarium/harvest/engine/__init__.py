"""The loop that puts the parts of the harvester together.

Comes in: a folder with an order. Goes out: the same folder, harvested.
It must never count an address as done before its capture is in the WARC file.
"""
