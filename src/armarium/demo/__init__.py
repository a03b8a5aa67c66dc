"""The demonstration: the whole life of a page, for somebody who has never seen a web archive.

Comes in: nothing but a free folder and some free ports of the loopback.
Goes out: a house of its own beside the real one, with a small web to archive, people, records, two harvests a
month apart, files in two replicas, an index, and pages that can be read at both dates. All of it is done by
the house's own services and processes; only the dates of its first harvest are set back.
It must never touch the folder of the real archive, write a table by hand, or reach beyond this machine.
"""
