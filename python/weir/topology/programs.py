"""Checks the programs of hosts that a topology file names, without running them."""

from __future__ import annotations

import ast

from weir.errors import TopologyError
from weir.files import is_file
from weir.files.textfile import read_text
from weir.text.suggest import nearest
from weir.topology.host_spec import ProgramSpec


def check_program(host: str, program: ProgramSpec) -> None:
    """Refuses a program whose file does not exist or has no such class.

    Raises:
        FileError: the file cannot be read.
        TopologyError: the file is not Python, or has no class of that name.
    """
    if not is_file(program.file):
        raise TopologyError(f"{program} of {host}: there is no such file")
    try:
        tree = ast.parse(read_text(program.file))
    except (SyntaxError, ValueError) as error:
        raise TopologyError(f"is not Python: {error}", file=program.file) from None
    classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    if program.name not in classes:
        class_names = ", ".join(classes) or "none"
        raise TopologyError(
            f'has no class "{program.name}" (there are: {class_names})',
            file=program.file,
            suggestion=nearest(program.name, classes),
        )
