"""Fuzzing of robots.txt: any bytes are one, no rule is dearer than its length, and two readings agree.

python -P fuzz/robots.py -max_total_time=600 -rss_limit_mb=200 fuzz/corpus/robots

What stands before the first zero byte is a URL, the rest is the file.
"""

import sys

import atheris

with atheris.instrument_imports(include=["armarium.formats.robots"]):
    from armarium.formats.robots import GOOGLE, LENIENT, STRICT, parse

AGENTS = ("armarium", "armarium-images", "*", "", "Mozilla/5.0 (compatible; a)")


def one_input(data: bytes) -> None:
    url, _, file = data.partition(b"\0")
    address = url.decode("utf-8", "surrogateescape")
    for dialect in (LENIENT, STRICT, GOOGLE):
        robots = parse(file, dialect)
        for agent in (*AGENTS, *robots.names[:5]):
            decision = robots.allowed(agent, address)
            assert decision.allowed or decision.rule is not None
            assert decision == parse(file, dialect).allowed(agent, address)
            delay = robots.crawl_delay(agent)
            assert delay is None or delay >= 0
            robots.request_rate(agent)
            robots.extensions(agent)


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
