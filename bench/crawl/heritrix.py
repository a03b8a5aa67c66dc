"""Heritrix 3 as it comes, with its own job: only seeds, manners, patience and contact are changed."""

import re
import zipfile
from pathlib import Path

PROFILE = "org/archive/crawler/restlet/profile-crawler-beans.cxml"
JOB = "bench"
OVERRIDES = """
metadata.operatorContactUrl=http://127.0.0.1/
metadata.jobName=bench
metadata.robotsPolicyName=ignore
disposition.delayFactor=0
disposition.minDelayMs=0
disposition.maxDelayMs=0
frontier.maxRetries=5
frontier.retryDelaySeconds=1
"""


def program(home: Path) -> Path:
    return home / "bin" / "heritrix"


def prepare(home: Path, folder: Path, seeds: Path) -> Path:
    """Write the job; the folder of jobs is returned."""
    job = folder / "jobs" / JOB
    job.mkdir(parents=True)
    (job / "crawler-beans.cxml").write_text(_job(_profile(home), seeds.read_text()))
    return job.parent


def _profile(home: Path) -> str:
    engine = next((home / "lib").glob("heritrix-engine-*.jar"))
    with zipfile.ZipFile(engine) as jar:
        return jar.read(PROFILE).decode()


def _job(profile: str, seeds: str) -> str:
    with_manners, first = re.subn(
        r"(id=\"simpleOverrides\".*?<value>).*?(</value>)",
        lambda found: found[1] + OVERRIDES + found[2],
        profile,
        count=1,
        flags=re.DOTALL,
    )
    with_seeds, second = re.subn(
        r"(<prop key=\"seeds\.textSource\.value\">).*?(</prop>)",
        lambda found: f"{found[1]}\n{seeds}\n{found[2]}",
        with_manners,
        count=1,
        flags=re.DOTALL,
    )
    if not (first and second):
        raise ValueError(f"Heritrix's own profile ({PROFILE}) has another form than that of 3.13.")
    return with_seeds
