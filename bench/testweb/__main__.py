"""`python -m bench.testweb`: build, serve, score, seeds, hosts. The package says what they are for."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from bench import testweb
from bench.testweb.build import build
from bench.testweb.score import Seen, from_log, from_warc, read_truth, score
from bench.testweb.serve import Serving, serve
from bench.testweb.web import Parameters, Web


def main(arguments: Sequence[str]) -> int:
    wanted = _arguments(arguments)
    match wanted.command:
        case "build":
            say(json.dumps(build(wanted.dir, Parameters.of(vars(wanted)), wanted.jobs), indent=1))
        case "serve":
            chosen = {one.name: getattr(wanted, one.name) for one in fields(Serving) if one.name != "folder"}
            serve(Serving(wanted.dir, **chosen))
        case "score":
            _score(wanted)
        case "seeds":
            web = Web.read(wanted.dir)
            say("\n".join(f"{web.origin(host)}/" for host in range(web.sites)))
        case "hosts":
            web = Web.read(wanted.dir)
            say("\n".join(f"{web.address(host)} {web.name(host)}" for host in range(web.requisites + 1)))
    return 0


def _score(wanted: argparse.Namespace) -> None:
    web = Web.read(wanted.dir)
    if wanted.warc:
        seen, facts = from_warc(wanted.warc)
    elif wanted.log:
        seen, facts = from_log(web, wanted.log)
    else:
        seen, facts = [Seen(line) for line in wanted.urls.read_text().split()], {}
    result, missed = score(web, read_truth(wanted.dir), seen)
    say(json.dumps({**facts, **result}, indent=1))
    for row in missed[: wanted.missing]:
        sys.stderr.write(f"missing {' '.join(row)}\n")


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("bench.testweb", description=testweb.__doc__, formatter_class=as_written)
    commands = parser.add_subparsers(dest="command", required=True)
    made = commands.add_parser("build", help="render a web into DIR")
    for one in fields(Parameters):
        flag, about = "--" + one.name.replace("_", "-"), one.metadata
        if one.type is bool:
            made.add_argument(flag, action="store_true", help=about["help"])
        else:
            kind = type(one.default)
            made.add_argument(
                flag, type=kind, default=one.default, choices=about.get("choices"), help=about["help"]
            )
    made.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    served = commands.add_parser("serve", help="serve DIR until SIGTERM")
    served.add_argument(
        "--log", type=Path, help="time, connection, host, target, status, bytes of each answer"
    )
    served.add_argument("--latency", type=float, default=0, metavar="MS", help="of every answer")
    served.add_argument("--dns", default="", metavar="ADDRESS:PORT", help="resolve *.test there, too")
    served.add_argument("--workers", type=int, default=1, help="processes; each has a log")
    served.add_argument("--certificate", help="for https")
    served.add_argument("--key", help="of the certificate")
    served.add_argument("--quiet", action="store_true")
    scored = commands.add_parser("score", help="compare a crawl with the truth")
    source = scored.add_mutually_exclusive_group(required=True)
    source.add_argument("--log", type=Path)
    source.add_argument("--warc", type=Path, nargs="+")
    source.add_argument("--urls", type=Path, help="a file, one a line")
    scored.add_argument("--missing", type=int, default=0, metavar="N", help="name so many that were missed")
    others = (commands.add_parser(name, help=f"print the {name} of DIR") for name in ("seeds", "hosts"))
    for command in (made, served, scored, *others):
        command.add_argument("dir", type=Path)
    return parser.parse_args(arguments)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
