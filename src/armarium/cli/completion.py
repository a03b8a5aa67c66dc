"""What a shell proposes at TAB, and the script by which it asks.

The tree of commands is a file (`completion.json`, written by tools/generate_reference.py): to import all
commands takes a second. Names, of replicas, harvests and the like, come from the database if it answers at
once. A shell never sees an error from here.
"""

import json
import os
import shlex
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from armarium.core.errors import Refused
from armarium.core.late import imported
from armarium.terminal.output import say, write

ASKED = "_ARMARIUM_COMPLETE"  # the shell that asks
TREE = Path(__file__).with_name("completion.json")
MOST = 100  # names that are proposed
SECONDS = 2  # to wait for the database

#: Kinds of names, with the table and the column in which they stand.
NAMES = {
    "account": ("account", "name"),
    "channel": ("channel", "name"),
    "collection": ("selection_collection", "name"),
    "collector": ("collector", "name"),
    "domain": ("domain", "name"),
    "file": ("stored_file", "name"),
    "harvest": ("harvest", "name"),
    "index": ("index_collection", "name"),
    "network": ("access_network", "name"),
    "profile": ("profile", "name"),
    "replica": ("replica", "name"),
    "schedule": ("schedule", "name"),
    "traps": ("trap_list", "name"),
}
PATH = "path"  # the shell itself knows files


def complete() -> None:
    """Answer a shell: a line for each proposal."""
    shell = os.environ[ASKED].removeprefix("complete_")
    # A proposal less is better than a complaint between the letters of a command.
    with suppress(OSError, ValueError, LookupError):
        for value, text in proposals(*_typed()):
            if shell == "zsh":
                value = value.replace(":", "\\:")  # noqa: PLW2901
            told = f"{value}:{text}" if shell == "zsh" and text else f"{value}\t{text}"
            sys.stdout.write(f"{value if shell == 'bash' or not text else told}\n")


def _typed() -> tuple[list[str], str]:
    """The words before the one under the cursor, and this one as far as it is typed."""
    text = os.environ["COMP_WORDS"]
    words = text.split("\n") if "\n" in text else text.split(" ")
    at = int(os.environ["COMP_CWORD"])
    *before, current = [_unquoted(word) for word in (*words[1:at], *(words[at : at + 1] or [""]))]
    return before, "" if current == "=" else current


def _unquoted(word: str) -> str:
    for ending in ("", "'", '"'):
        with suppress(ValueError):
            return "".join(shlex.split(word + ending))
    return word


def proposals(words: list[str], current: str) -> Iterator[tuple[str, str]]:
    """What may stand after these words, with what it is."""
    node: Mapping[str, Any] = json.loads(TREE.read_text(encoding="utf-8"))
    value_of: str | list[str] | None = None
    given = 0
    for word in words:
        if word == "=" and value_of is not None:
            continue
        if value_of is not None:
            value_of = None
        elif word.startswith("-"):
            value_of = None if "=" in word else node["options"].get(word)
        elif "commands" in node:
            node = node["commands"].get(word) or {"options": {}, "arguments": []}
        else:
            given += 1
    if value_of is not None:
        yield from _values(value_of, current)
    elif current.startswith("-"):
        yield from ((name, "") for name in node["options"] if name.startswith(current))
    elif "commands" in node:
        found = node["commands"].items()
        yield from ((name, one["help"]) for name, one in found if name.startswith(current))
    elif (kinds := node["arguments"]) and (given < len(kinds) or node.get("more")):
        yield from _values(kinds[min(given, len(kinds) - 1)], current)


def _values(kind: str | list[str], current: str) -> Iterator[tuple[str, str]]:
    found = _names(kind, current) if isinstance(kind, str) and kind in NAMES else kind
    if not isinstance(found, str):
        yield from ((one, "") for one in found if one.startswith(current))


def _names(kind: str, current: str) -> list[str]:
    table, column = NAMES[kind]
    begins = current.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    query = f'SELECT {column} FROM "{table}" WHERE {column} LIKE %s ORDER BY {column} LIMIT {MOST}'  # noqa: S608
    address = _address()
    with (
        suppress(imported("psycopg:Error")),
        imported("psycopg:connect")(address, connect_timeout=SECONDS) as connection,
    ):
        return [str(name) for (name,) in connection.execute(query, (f"{begins}%",))]
    return []


def _address() -> str:
    """Of the database, without reading all settings: that would take longer than the rest."""
    home = Path(os.environ.get("ARMARIUM_HOME", "armarium-data"))
    if url := os.environ.get("ARMARIUM_DATABASE_URL"):
        return url
    with suppress(OSError):
        settings = tomllib.loads((home / "armarium.toml").read_text(encoding="utf-8"))
        if url := settings.get("database", {}).get("url"):
            return str(url)
    password = (home / "secrets" / "postgres-password").read_text(encoding="utf-8").strip()
    host = quote(str((home / "run" / "postgres").resolve()), safe="")
    return f"postgresql://armarium:{password}@/armarium?host={host}"


# The scripts ----------------------------------------------------------------------------------------


class Shell(StrEnum):
    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


BASH = """\
# Completion of Armarium for bash, written by: @command completion bash
_armarium() {
    case $1 in */*) [[ -n "@run" && $1 -ef "@run" ]] || return ;; esac
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        printf -v line %q "$line"
        COMPREPLY+=("$line")
    done < <(COMP_WORDS="$(printf '%s\\n' "${COMP_WORDS[@]}")" COMP_CWORD=$COMP_CWORD \\
        _ARMARIUM_COMPLETE=bash "$1" 2>/dev/null)
}
complete -o default -F _armarium armarium @names
"""

ZSH = """\
#compdef armarium @names
# Completion of Armarium for zsh, written by: @command completion zsh
_armarium() {
    [[ ${words[1]} != */* || ${words[1]} -ef "@run" ]] || { _files; return }
    local -a found
    found=("${(@f)$(COMP_WORDS="${(F)words[1,CURRENT]}" COMP_CWORD=$((CURRENT - 1)) \\
        _ARMARIUM_COMPLETE=zsh ${words[1]} 2>/dev/null)}")
    if [[ -n $found ]]; then _describe -V armarium found; else _files; fi
}
compdef _armarium armarium @names
"""

FISH = """\
# Completion of Armarium for fish, written by: @command completion fish
function __armarium_complete
    set -l typed (commandline -opc) (commandline -ct)
    env COMP_WORDS=(string join \\n -- $typed | string collect) COMP_CWORD=(math (count $typed) - 1) \\
        _ARMARIUM_COMPLETE=fish $typed[1] 2>/dev/null
end
complete --command armarium --arguments '(__armarium_complete)'
"""
FISH_RUN = "complete --path \"@run\" --no-files --arguments '(__armarium_complete)'\n"


def script(shell: Shell) -> str:
    """For `armarium`, and for `./run` where that started us."""
    run = os.environ.get("ARMARIUM_RUN", "")
    text = {Shell.BASH: BASH, Shell.ZSH: ZSH, Shell.FISH: FISH + (FISH_RUN if run else "")}[shell]
    names = f"./run {shlex.quote(run)}" if run else ""
    for place, value in (("@names", names), ("@run", run), ("@command", "./run" if run else "armarium")):
        text = text.replace(place, value)
    return "\n".join(line.rstrip() for line in text.split("\n"))


def show_script(shell: Annotated[Shell, typer.Argument(help="The shell that you use.")]) -> None:
    """Write the script by which a shell completes commands, options, choices and names at TAB.

    Example: source <(armarium completion bash)
    """
    write(script(shell))


def install() -> None:
    """Let the shell of this account complete from its next start on."""
    name = Path(os.environ.get("SHELL", "")).name
    if name not in list(Shell):
        raise Refused(f"{name or 'Your shell'} cannot be set up by itself. See: armarium completion --help")
    shell, home = Shell(name), Path.home()
    if shell is Shell.FISH:
        target = home / ".config/fish/completions/armarium.fish"
    else:
        target = home / f".local/share/armarium/completion.{shell}"
        line, starts = f"source '{target}'", home / f".{shell}rc"
        known = starts.read_text(encoding="utf-8") if starts.exists() else ""
        if line not in known:
            starts.write_text(f"{known.rstrip()}\n{line}\n".lstrip(), encoding="utf-8")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(script(shell), encoding="utf-8")
    say(f"Completion for {shell} is in {target}. It works from the next start of the shell on.")
