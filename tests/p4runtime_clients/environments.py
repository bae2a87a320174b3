"""Virtual environments of P4Runtime clients, made once and kept in the build folder."""

import fcntl
import hashlib
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

REQUIREMENTS = Path(__file__).parent / "requirements"
FOLDER = Path(__file__).parents[2] / "target" / "p4runtime-clients"
SECONDS = 300
"""How long an installation may take."""


class EnvironmentFailure(AssertionError):
    """A client cannot be installed."""


def python_with(client: str) -> Path:
    """The Python interpreter of an environment with the packages of ``requirements/CLIENT.txt``.

    Its folder's name has a digest of the packages and of this Python. Changed requirements
    therefore make another environment, and the next call completes an unfinished one.

    Raises:
        EnvironmentFailure: the packages cannot be installed.
    """
    requirements = REQUIREMENTS / f"{client}.txt"
    key = f"{requirements.read_text()} {sys.version} {sysconfig.get_platform()}"
    folder = FOLDER / f"{client}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"
    python = folder / "bin" / "python"
    complete = folder / "complete"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{client}.lock").open("w") as lock:
        # Several processes of pytest share the environments.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            venv.create(folder, clear=True, symlinks=True)
            _install(client, requirements, python)
            complete.touch()
    return python


def _install(client: str, requirements: Path, python: Path) -> None:
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    command += ["--disable-pip-version-check", "--no-compile", "--only-binary", ":all:", "--no-deps"]
    command += ["-r", str(requirements)]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise EnvironmentFailure(f"{client}: pip did not install it within {SECONDS} s") from None
    if ended.returncode != 0:
        raise EnvironmentFailure(
            f"{client}: pip cannot install the packages of {requirements}; these tests need them from a "
            f"package index or its mirror:\n{ended.stderr.strip()}"
        )
