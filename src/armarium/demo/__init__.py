"""The demonstration: the whole life of a page, for somebody who has never seen a web archive.

Comes in: nothing but a free folder and some free ports of the loopback.
Goes out: a house of its own beside the real one, with a small web to archive, people, records, a year of
harvests, files in two replicas, an index, and pages that can be read as they were. All of it is done by the
house's own services and processes; only their clock is set back while the year is made.
It must never touch the folder of the real archive, write a table by hand, or reach beyond this machine.
"""
