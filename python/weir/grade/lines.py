"""The lines of a test in the simple test framework (STF), from a file or from a function."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path
from random import Random
from typing import Final

from weir.errors import shown
from weir.files.modules import module_spec
from weir.files.textfile import read_text
from weir.grade.description import ExerciseError
from weir.hints.usercode import user_code

_MAX_BYTES: Final = 16 << 20
_FUNCTION: Final = "stf"


def seed(exercise: str, student: str) -> int:
    """Returns the seed of a student's random numbers, which depends on nothing else."""
    key = f"{exercise}\0{student}".encode("utf-8", "surrogateescape")
    return int.from_bytes(hashlib.sha256(key).digest()[:8], "big")


def test_lines(file: Path, number: int) -> str:
    """Returns the text of a test.

    Args:
        file: a file ``.stf``, or a file ``.py`` with a function ``stf(random)`` that returns STF.
        number: the seed of ``random``.

    Raises:
        ExerciseError: the Python file is wrong.
        FileError: the file cannot be read.
    """
    if file.suffix != ".py":
        return read_text(file, _MAX_BYTES)
    with user_code(file, ExerciseError):
        spec = module_spec("weir_exercise_test", file)
        assert spec is not None and spec.loader is not None, "the file's name ends with .py"
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        function = getattr(module, _FUNCTION, None)
        if not callable(function):
            raise ExerciseError(f"has no function {_FUNCTION}(random) that returns the lines of a test")
        lines = function(Random(number))
        if not isinstance(lines, str):
            raise ExerciseError(f"{_FUNCTION}(random) returned {shown(lines)[:100]}, expected a text")
    return lines
