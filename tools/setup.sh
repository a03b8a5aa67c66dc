# shellcheck shell=bash
# Makes .venv and installs Armarium into it. Sourced by ./run and ./test, which set `root` to the checkout.
#
# .venv/set-up/ remembers what was done, so that the next start does nothing and needs no network:
#   environment   the interpreter and the folder that .venv was made for; if either changes, .venv is made anew
#   run, test     a hash of pyproject.toml, constraints.txt, tools/apart.txt and tests/peers.txt as they were when
#                 these needs were installed
#   unfinished    there while the set-up works; if it is found at a start, the last set-up was cut off

: "${root:?tools/setup.sh is not started by itself: use ./run or ./test}"
venv=$root/.venv
record=$venv/set-up

# What the surroundings say about Python and pip must not lead the installation out of .venv.
# Nor must it forbid the byte code that Python keeps: without it each process compiles the code base anew (2 s).
unset PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE PIP_TARGET PIP_PREFIX PIP_ROOT
export PIP_USER=0 PIP_DISABLE_PIP_VERSION_CHECK=1

say() { printf '%s\n' "$*" >&2; }
give_up() { local code=$1; shift; printf '\nArmarium cannot be set up. %s\n' "$*" >&2; exit "$code"; }

set_up() { # $1: run, or test for what the tests need as well
    is_current "$1" && return
    wait_for_turn
    # Another start may have done the work while this one waited.
    if ! is_current "$1"; then
        say "Setting up Armarium (once; a minute or two) …"
        environment_is_sound || make_environment
        install_packages "$1"
        say "Armarium is set up."
    fi
    exec {turn}>&- # what is started now must not keep others waiting
}

is_current() { environment_is_sound && [[ $(recorded "$1") == "$(requirements)" ]]; }
recorded() { cat -- "$record/$1" 2>/dev/null || true; }
requirements() {
    cat -- "$root/pyproject.toml" "$root/constraints.txt" "$root/tools/apart.txt" "$root/tests/peers.txt" | sha256sum
}

environment_is_sound() {
    [[ -x $venv/bin/python && ! -e $record/unfinished ]] || return
    local interpreter
    interpreter=$(identity "$venv/bin/python") || return
    [[ $(recorded environment) == "$interpreter in $root" ]] || return
    [[ -z ${PYTHON-} || $(identity "$PYTHON") == "$interpreter" ]]
}

# Compiled packages fit one binary interface (SOABI), and .venv borrows the standard library of one installation.
identity() {
    "$1" -I -c 'import sys, sysconfig; print(sysconfig.get_config_var("SOABI"), sys.base_prefix)' 2>/dev/null
}

wait_for_turn() {
    [[ -w $root && (! -e $venv || -w $venv) ]] ||
        give_up 2 "$(id -un) may not write to $root. Start it as the user to whom the folder and .venv belong: $(stat -c %U -- "$root")."
    exec {turn}>>"$root/.venv.lock"
    flock --nonblock "$turn" && return
    say "Another start is setting up Armarium; waiting for it …"
    flock "$turn"
}

make_environment() {
    local python
    python=$(find_python) || exit
    has_venv "$python" || install_venv_module "$python"
    say "  virtual environment with $("$python" --version)"
    [[ ! -e $venv && ! -L $venv ]] || rm -rf -- "$venv"
    mkdir -p -- "$record"
    : >"$record/unfinished"
    "$python" -m venv "$venv" ||
        give_up 1 "$python could not make a virtual environment; what it said is above."
    printf '%s\n' "$(identity "$venv/bin/python") in $root" >"$record/environment"
}

install_packages() {
    local extra=
    [[ $1 == run ]] || extra="[$1]"
    say "  downloading and installing packages"
    : >"$record/unfinished"
    (cd -- "$root" && "$venv/bin/python" -m pip install --quiet --no-input -c constraints.txt -e ".$extra") >&2 ||
        give_up 1 "Installing the packages failed; what pip said is above. It needs the network this once. Start again when that is mended."
    install_apart apart tools/apart.txt
    [[ $1 == run ]] || install_apart peers tests/peers.txt
    requirements >"$record/run"
    [[ $1 == run ]] || requirements >"$record/$1"
    rm -- "$record/unfinished"
}

# Packages that do not go together with what Armarium needs, in a folder of their own.
install_apart() { # folder below .venv, list
    rm -rf -- "${venv:?}/$1"
    (cd -- "$root" && "$venv/bin/python" -m pip install --quiet --no-input --no-deps --target "$venv/$1" -r "$2") >&2 ||
        give_up 1 "Installing what $2 lists failed; what pip said is above. It needs the network this once."
}

# Prints the interpreter to use: one that can make virtual environments, if there is one.
find_python() {
    local candidate without_venv=
    if [[ -n ${PYTHON-} ]]; then
        is_new_enough "$PYTHON" || give_up 2 "PYTHON=$PYTHON is not Python 3.11 or newer. Name another one, or unset PYTHON."
        printf '%s\n' "$PYTHON"
        return
    fi
    for candidate in python3.14 python3.13 python3.12 python3.11 python3; do
        # The command is tried, not only looked for: version managers leave commands that lead nowhere.
        is_new_enough "$candidate" || continue
        if has_venv "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
        without_venv=${without_venv:-$candidate}
    done
    [[ -n $without_venv ]] || give_up 2 "It needs Python 3.11 or newer, and there is none. On Debian 12, Ubuntu 24.04 or newer, type:

    sudo apt-get install python3 python3-venv

and start again. If Python is somewhere else, name it: PYTHON=/path/to/python3 ./run"
    printf '%s\n' "$without_venv"
}

is_new_enough() { "$1" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
has_venv() { "$1" -I -c 'import ensurepip, venv' 2>/dev/null; }

# Debian and Ubuntu keep the part of Python that makes virtual environments in a package of its own.
install_venv_module() {
    local package
    package=$("$1" -I -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    install_debian_packages "$package" || true
    has_venv "$1" || give_up 2 "The module venv of $("$1" --version) is missing. Type:

    sudo apt-get install $package

(as root: without sudo) and start again."
}

# Fails if a password would be needed: the caller then says what to type.
install_debian_packages() {
    command -v apt-get >/dev/null || return
    local as_root=()
    if ((EUID != 0)); then
        sudo -n true 2>/dev/null || return
        as_root=(sudo -n)
    fi
    say "  Debian packages: $*"
    local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$@")
    local output
    # A fresh machine knows no packages yet, and an old list names versions that are gone.
    output=$("${install[@]}" 2>&1 || { "${as_root[@]}" apt-get update && "${install[@]}"; } 2>&1) || {
        say "$output"
        return 1
    }
}
