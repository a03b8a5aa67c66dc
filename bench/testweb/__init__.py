"""A deterministic synthetic web on loopback that knows exactly what a crawl of it should find.

A web is a pure function of its parameters (seed, sites, pages, epoch …). `build` renders it once into a
folder; `serve` answers HTTP/1.1 from it at a rate that no crawler reaches; `score` compares what a crawler
fetched (the access log) or stored (WARC files) with the truth.

    python -m bench.testweb build w --sites 200 --pages 100 --seed 12
    python -m bench.testweb serve w --log access.tsv &
    crawler $(python -m bench.testweb seeds w)
    curl -s http://127.0.0.1:8080/flush          # the log is complete
    python -m bench.testweb score w --log access.tsv
    python -m bench.testweb score w --warc out/*.warc.gz

**Addresses.** Each site has its own loopback address 127.1.x.y, all of them one port. `--hosts name` writes
http://site00001.test:8080/ instead; a crawler then needs `serve --dns ADDRESS:PORT`, the lines of `hosts`,
or the server as its proxy. 127.2.0.k are never in scope, 127.3.0.1 has page requisites of all sites. The
socket is bound to the device `lo`: nothing outside this machine reaches it. 127.0.0.1 answers /stats, /flush
and /reset.

**A site** has exactly so many pages (home, sections with lists, articles, static ones), and besides them
images, style sheets, scripts, PDFs, files that sites share byte for byte, a feed, robots.txt, sitemaps that
also name orphans, redirects of all kinds, dead links, pages that robots.txt forbids, links to other sites,
and JSON that only a script reaches. Every twentieth has /edge/, with thirty awkward spellings of links. Each
page has one word (zq…) that no other has. `--trap` adds an endless calendar and an endless path, `--slow R` a
share of slow pages, `--faults` resets, truncated bodies, hangs, broken gzip and huge headers; `--epoch E` is
the same web E steps later, with a fifth of the articles changed at each.

**The truth** (truth.tsv) names for each URL the least that a crawler must do to find it: the levels in
`model`.
"""
