"""Rules for the files of the project that no linter knows."""

import ast
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CHECKOUT = Path(__file__).parents[2]
SOURCE = CHECKOUT / "src/armarium"
# As .gitignore says.
MADE = {".git", ".venv", ".hypothesis", "armarium-data", "test-output", "build", "dist", "__pycache__"}
PACKAGES = sorted(path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists())

# Written in pieces, so that this file does not name them either.
INDEX_HOSTS = re.compile(
    "|".join(
        [
            r"py" r"pi\.(?:org|python)",
            r"python" r"hosted\.org",
            r"npm" r"js\.(?:org|com)",
            r"--?(?:extra-)?index" r"-url",
        ]
    )
)
CONTENT_NETWORKS = re.compile(
    "|".join(["jsdelivr", "unpkg", "cdnjs", "googleapis", "gstatic", "esm" r"\.sh"])
)
# The examples of the documentation live in folders that nobody has: /home/armarium, /srv/armarium.
OWN_MACHINE = re.compile(
    r"""(?:^|[\s"'`=(:\[])(/root/\w|/work\b|/(?:home|Users)/(?!armarium\b)\w+|[A-Z]:\\Users\\)"""
)
FETCHED = re.compile(
    r"""<(?:script|img|link|iframe|source)\b[^>]*\b(?:src|href)\s*=\s*["']?(?:https?:)?//"""
    r"""|@import\s+(?:url\()?["']?(?:https?:)?//|url\(["']?(?:https?:)?//|\bfrom\s+["'](?:https?:)?//""",
    re.IGNORECASE,
)


def files() -> Iterator[Path]:
    for folder, folders, names in os.walk(CHECKOUT):
        folders[:] = [
            name for name in folders if name not in MADE and not name.endswith(("_cache", ".egg-info"))
        ]
        yield from (Path(folder, name) for name in names)


def lines(pattern: re.Pattern[str], *, below: Path = CHECKOUT) -> list[str]:
    """The places where a text file of the project matches."""
    found = []
    for path in files():
        data = path.read_bytes()
        if path == Path(__file__) or not path.is_relative_to(below) or b"\0" in data:
            continue
        for number, line in enumerate(data.decode("utf-8", errors="replace").splitlines(), start=1):
            if pattern.search(line):
                found.append(f"{path.relative_to(CHECKOUT)}:{number}: {line.strip()}")
    return found


def test_no_file_names_the_host_of_a_package_index() -> None:
    assert lines(INDEX_HOSTS) == []


def test_no_file_names_a_folder_of_somebodys_machine() -> None:
    assert lines(OWN_MACHINE) == []


@pytest.mark.parametrize("line", ["cd /root/x", 'home = "/home/jane"', "(/Users/jane/src)", "see /work/main"])
def test_a_folder_of_somebodys_machine_is_recognised(line: str) -> None:
    assert OWN_MACHINE.search(line)


@pytest.mark.parametrize(
    "line",
    [
        "armarium-data/work/<job>/",
        "$root/run",
        "a checkout below /root",
        "/home/armarium",
        "{home}/work/",
        "https://a.example/home/x",
    ],
)
def test_a_folder_of_the_project_is_not_mistaken_for_one(line: str) -> None:
    assert not OWN_MACHINE.search(line)


def test_templates_translate_only_sentences_that_stand_in_them() -> None:
    """What _() gives is taken for safe but for the values in its places: a variable is not escaped. Say
    it with the filter: {{ reason | say }}."""
    wrong = [
        f"{path.relative_to(SOURCE)}: {found}"
        for path in SOURCE.rglob("*.html")
        for found in re.findall(r"(?<!\w)n?(?:_|gettext)\([^'\"\s)][^)]*\)", path.read_text("utf-8"))
    ]
    assert wrong == []


def test_pages_fetch_nothing_from_other_hosts() -> None:
    assert lines(FETCHED, below=SOURCE) == []
    assert lines(CONTENT_NETWORKS, below=SOURCE) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_says_what_comes_in_what_goes_out_and_what_it_must_never_do(package: str) -> None:
    path = SOURCE / package / "__init__.py"
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""

    missing = [words for words in ("Comes in:", "Goes out:", "must never") if words not in docstring]
    assert not missing, f"src/armarium/{package}/__init__.py: the docstring lacks {missing}"


@pytest.mark.parametrize("command", ["run", "test", ".ci/run"])
def test_a_command_can_be_started(command: str) -> None:
    path = CHECKOUT / command

    assert os.access(path, os.X_OK), f"chmod +x {command}"
    assert path.read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n")


def test_the_licence_is_the_complete_text() -> None:
    text = (CHECKOUT / "LICENSE").read_text(encoding="utf-8")

    assert "GNU AFFERO GENERAL PUBLIC LICENSE\n                       Version 3, 19 November 2007" in text
    headings = [
        "Preamble",
        *(f"\n  {number}. " for number in range(18)),
        "END OF TERMS",
        "How to Apply These Terms",
    ]
    assert [text.index(heading) for heading in headings] == sorted(
        text.index(heading) for heading in headings
    )


# --- what is installed


def dependencies() -> list[Requirement]:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    return [
        Requirement(text)
        for text in [*project["dependencies"], *(text for extra in extras for text in extra)]
    ]


def constraints() -> dict[str, Requirement]:
    text = (CHECKOUT / "constraints.txt").read_text(encoding="utf-8")
    found = [Requirement(line) for line in text.splitlines() if line and not line.startswith("#")]
    return {canonicalize_name(requirement.name): requirement for requirement in found}


def test_every_constraint_is_one_exact_version() -> None:
    loose = [
        str(constraint)
        for constraint in constraints().values()
        if not re.fullmatch(r"==[\w.]+", str(constraint.specifier))
    ]
    assert loose == []


@pytest.mark.parametrize("dependency", dependencies(), ids=lambda dependency: dependency.name)
def test_a_dependency_has_a_range_and_the_exact_version_lies_in_it(dependency: Requirement) -> None:
    operators = {specifier.operator for specifier in dependency.specifier}
    exact = constraints()[canonicalize_name(dependency.name)].specifier

    assert operators == {">=", "<"}, "the range has a tested lower end and an upper end"
    assert dependency.specifier.contains(str(exact).removeprefix("=="))
