"""What ./run says, and does, where something that it needs is missing."""

import pytest

from tests.acceptance.setup.house import PYTHON, House, running_as_root

NOBODY = 65534
PYTHONS = ("python3.14", "python3.13", "python3.12", "python3.11", "python3")
# A real Python without the package that Debian keeps apart.
WITHOUT_VENV = f'case "$*" in *ensurepip*) exit 1 ;; esac; exec "{PYTHON}" "$@"'
# The same for another user, who may not be allowed to read the folder of the real one.
STAND_IN = """\
case "$*" in
*ensurepip*) exit 1 ;;
*-venv*) echo python3.11-venv ;;
esac"""


def only_python(house: House, script: str) -> None:
    del house.environ["PYTHON"]
    for name in PYTHONS:
        house.command_on_the_path(name, script)


def test_without_python_it_says_what_to_install(house: House) -> None:
    only_python(house, "exit 127")

    refused = house.call("run")

    assert refused.returncode == 2
    assert "needs Python 3.11 or newer" in refused.stderr
    assert "sudo apt-get install python3 python3-venv" in refused.stderr
    assert not (house.root / ".venv").exists()


def test_a_python_that_is_named_but_too_old_is_refused_by_name(house: House) -> None:
    house.environ["PYTHON"] = "/bin/false"

    refused = house.call("run")

    assert refused.returncode == 2
    assert "PYTHON=/bin/false is not Python 3.11 or newer" in refused.stderr


def test_without_venv_an_ordinary_user_is_told_what_to_type(public_house: House) -> None:
    only_python(public_house, STAND_IN)
    public_house.command_on_the_path("sudo", 'echo "a password is required" >&2; exit 1')
    public_house.command_on_the_path("apt-get", "echo must not be called; exit 1")

    refused = public_house.call("run", user=NOBODY if running_as_root() else None)

    assert refused.returncode == 2
    assert "sudo apt-get install python3.11-venv" in refused.stderr
    assert "must not be called" not in refused.stderr


def test_without_venv_it_is_installed_where_sudo_asks_no_password(public_house: House) -> None:
    only_python(public_house, STAND_IN)
    public_house.command_on_the_path("sudo", '[[ $1 == -n ]] && shift && exec "$@"')
    public_house.command_on_the_path("apt-get", 'echo "apt-get $*"; exit 1')

    refused = public_house.call("run", user=NOBODY if running_as_root() else None)

    assert "apt-get install --yes --no-install-recommends python3.11-venv" in refused.stderr


@pytest.mark.skipif(not running_as_root(), reason="only root installs packages without asking")
def test_without_venv_root_has_it_installed_and_goes_on(swift_house: House) -> None:
    house, python = swift_house, swift_house.environ["PYTHON"]
    only_python(house, f'[[ -e "{house.tools}/installed" ]] || {WITHOUT_VENV}\nexec "{python}" "$@"')
    # On a fresh machine the first try fails: no list of packages was fetched yet.
    house.command_on_the_path(
        "apt-get",
        f'cd "{house.tools}" && echo "$*" >>calls\n'
        "case $1 in update) touch list ;; install) [[ -e list ]] && touch installed ;; esac",
    )

    started = house.call("run")

    assert started.returncode == 0, started.stderr
    assert [call.split()[0] for call in (house.tools / "calls").read_text().splitlines()] == [
        "install",
        "update",
        "install",
    ]


@pytest.mark.skipif(not running_as_root(), reason="needs a folder that belongs to somebody else")
def test_a_checkout_of_somebody_else_is_refused_before_anything_is_done(public_house: House) -> None:
    public_house.root.chmod(0o755)

    refused = public_house.call("run", user=NOBODY)

    assert refused.returncode == 2
    assert f"may not write to {public_house.root}" in refused.stderr
