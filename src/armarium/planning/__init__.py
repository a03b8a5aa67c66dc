"""Planning: what is harvested, when, how far, and by which machine (the work of NetarchiveSuite).

Comes in: domains with their configurations, schedules and harvest definitions; what selection hands over.
Goes out: jobs, each with a frozen `CrawlOrder`, leased to collectors; their history; the files that arrive.
It must never crawl, and it never deletes: what is no longer used is set inactive, and its history stays.
"""
