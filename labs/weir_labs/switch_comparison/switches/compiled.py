"""Compiles the lab's C programs for this computer."""

from __future__ import annotations

import subprocess
import tempfile
from functools import cache
from pathlib import Path

from weir.errors import NetworkError

from .starting import find


@cache
def compiled_program(source: Path) -> bytes:
    """Compiles a C program, and returns the bytes of the executable file.

    Raises:
        MissingSwitch: there is no C compiler.
        NetworkError: the compiler does not accept the program.
    """
    compiler = find("cc")
    with tempfile.TemporaryDirectory(prefix="weir-compiled-") as name:
        program_file = Path(name) / source.stem
        words = [compiler, "-O2", "-pthread", "-o", str(program_file), str(source)]
        process = subprocess.run(words, capture_output=True, text=True, timeout=60)
        if process.returncode:
            raise NetworkError(f"{compiler} does not compile {source.name}: {process.stderr.strip()[:500]}")
        return program_file.read_bytes()


def write_program(source: Path, folder: Path) -> Path:
    """Writes the compiled program into a folder, and returns its path."""
    program_file = folder / source.stem
    program_file.write_bytes(compiled_program(source))
    program_file.chmod(0o755)
    return program_file
