"""Files and vectors that other people made, kept beside the checkout and never in it."""

from pathlib import Path

import pytest

CORPORA = Path(__file__).parents[2].parent / "shared" / "corpora"


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of the corpora; tests that need it are skipped where it is not."""
    if not CORPORA.is_dir():
        pytest.skip("The corpora are not beside this checkout (../shared/corpora).")
    return CORPORA
