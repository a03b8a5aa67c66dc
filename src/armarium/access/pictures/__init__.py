"""Pictures of archived pages, for calendars, records, domains and jobs.

Comes in: captures of which somebody sees a list. Goes out: small pictures, as far as the one who asks may
see the capture itself. They are taken in the background (`workflow.archive_pictures`), and can be thrown away
and taken again at any time. Limits: nothing waits for a picture, and none is taken of what nobody asks for.
"""
