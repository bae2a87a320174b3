"""Switches with runtime commands, for tests."""

from pathlib import Path

from weir.control.commands import Runtime
from weir.program import compile
from weir.stf.bench import Bench

ROOT = Path(__file__).parent.parent
CORPUS = ROOT / "testdata" / "stf"
CONTROL = ROOT / "testdata" / "switch" / "control.p4"


def runtime(program: str) -> Runtime:
    """The commands of a switch with a program of the corpus."""
    return Bench(compile(CORPUS / f"{program}.p4"), [0, 1, 2, 3]).switch.runtime


def control() -> Runtime:
    """The commands of a switch with every kind of object."""
    return Bench(compile(CONTROL), [1, 2, 3]).switch.runtime


def output(commands: Runtime, *lines: str) -> list[str]:
    """The output of these commands."""
    return [printed for line in lines for printed in commands.run(line)]
