"""Logs and reports, in Heritrix's formats: what tools and people of the field have read for twenty years.

Comes in: an `Outcome` for each address that is finished; a picture of the frontier.
Goes out: lines of logs, text of reports, `summary.json`, and the WARC file that keeps all of them.
It must never need more memory for a million hosts than for a thousand, or let a page break a line of a log.
"""
