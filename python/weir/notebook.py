"""The cell magic ``%%p4`` for Jupyter and IPython: a P4 program in a cell.

``%load_ext weir.notebook`` loads it; ``%%p4 NAME`` as the first line of a cell then compiles the
rest of the cell, shows errors and warnings with their source lines, and assigns the program to the
variable NAME.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir.errors import CommandError, P4Error, quote
from weir.program import Program, compile
from weir.text.counted import count_noun

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["load_ipython_extension"]

_FOLDER = tempfile.TemporaryDirectory(prefix="weir-p4-")
"""The folder of the cells' programs, which exists until Python ends."""


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Registers ``%%p4`` in a shell; ``%load_ext weir.notebook`` calls this function."""

    from IPython.display import display

    def p4(line: str, cell: str) -> Any:
        """Compiles the cell and assigns the program to a variable: %%p4 NAME."""
        name = line.strip()
        if not name.isidentifier() or iskeyword(name):
            raise _CellError(f'%%p4 takes the name of a variable, such as "%%p4 router", found {quote(name)}')
        path = Path(_FOLDER.name) / f"{name}.p4"
        path.write_text(cell, encoding="utf-8")
        try:
            program = compile(path, include=["."])
        except P4Error as error:
            # The name must not stay that of an older program, which later cells would run.
            shell.user_ns.pop(name, None)
            display(_Findings(error))
            raise _CellError(f"{name}: the program has errors, so there is no variable {name}") from None
        shell.user_ns[name] = cell_program = _CellProgram(program._core, program.path)
        return cell_program

    shell.register_magic_function(p4, "cell", "p4")


class _CellError(CommandError):
    """A mistake in a cell, which notebooks show in one line and which ends a run of all cells."""

    def _render_traceback_(self) -> list[str]:
        return [f"error: {self}"]


def _without_folder(text: str) -> str:
    """Removes the name of the cells' folder, which differs from run to run."""
    return text.replace(f"{_FOLDER.name}/", "")


class _CellProgram(Program):
    """A program that shows the name of its file without the folder."""

    def _repr_html_(self) -> str:
        return _without_folder(super()._repr_html_())

    def __repr__(self) -> str:
        return _without_folder(super().__repr__())


class _Findings:
    """The errors and warnings of a cell."""

    def __init__(self, error: P4Error) -> None:
        self._found = [
            replace(diagnostic, rendered=_without_folder(diagnostic.rendered))
            for diagnostic in error.diagnostics
        ]

    def __repr__(self) -> str:
        return str(P4Error(self._found))

    def _repr_html_(self) -> str:
        from weir.display import titled_output

        count = sum(diagnostic.severity == "error" for diagnostic in self._found)
        return titled_output(count_noun(count, "error"), *(diagnostic._html() for diagnostic in self._found))
