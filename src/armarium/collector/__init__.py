"""The process on a crawl machine: takes jobs from the server, crawls them, sends their files.

    collector   the loop: asks for work, one `Job` for each lease
    job         one job under one lease: engine, heartbeats, uploads, end
    engine      the child process that crawls
    uploads     the sealed files, until every replica has them
    digests     what the archive has already, for the engine
    lease       until when a job is ours
    server      what is asked of the server over HTTP, signed

Comes in: task tokens and commands from the server. Goes out: WARC files, progress, results.
It needs no database. It must never write, fetch or send under a lease that is over, delete what the server
has not confirmed, or lose a folder: what was begun is asked for again, or put aside for a person.
"""
