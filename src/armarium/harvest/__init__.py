"""The crawler: fetches what an order asks for, records the wire, keeps its manners, survives being killed.

Comes in: a `CrawlOrder`, and orders while it runs (pause, filter, budget …).
Goes out: WARC files, logs, reports, `summary.json`.
It must never lose a record it wrote, ask a server faster than agreed, or reach an address that is denied.
"""
