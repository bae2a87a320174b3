"""Runs ``weir ap`` for tests."""

from pathlib import Path

from click.testing import CliRunner

from weir.cli.app import app
from weir.errors import WeirError


def weir(*arguments: str, code: int = 0) -> str:
    """Runs ``weir ap``, and returns what it prints."""
    ended = CliRunner().invoke(app, ["ap", *arguments])
    if isinstance(ended.exception, WeirError):
        return str(ended.exception)
    assert ended.exit_code == code, ended.output
    return ended.output


def init(folder: Path, *options: str, code: int = 0) -> str:
    needed = ["--wifi", "wlan0", "--uplink", "eth0", "--ssid", "Lab", "--country", "DE"]
    return weir("init", str(folder), *needed, *options, code=code)
