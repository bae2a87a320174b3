"""Starts the host programs that a topology file names."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from weir.errors import NetworkError, TopologyError
from weir.files import is_file
from weir.files.modules import module_spec
from weir.host.program.callbacks import Callbacks
from weir.text.suggest import nearest

if TYPE_CHECKING:
    from weir.host import Host
    from weir.topology import ProgramSpec, Topology


def start_programs(topology: Topology, hosts: dict[str, Host]) -> None:
    """Starts the programs that the topology names, in its order.

    Raises:
        TopologyError: a file or class does not exist, or the file cannot be loaded.
        NetworkError: a program cannot start.
    """
    for name, spec in topology.hosts.items():
        for program in spec.programs:
            host_program = _load(name, program)
            try:
                hosts[name].run(host_program, udp=program.udp, tcp=program.tcp, frames=program.frames)
            except NetworkError as error:
                raise NetworkError(
                    f"{program} of {name}: {error.message}", suggestion=error.suggestion
                ) from None


def _load(host: str, program: ProgramSpec) -> Callbacks:
    path = Path(program.file)
    name = f"weir_program_{path.stem}"
    spec = module_spec(name, path)
    if spec is None or spec.loader is None or not is_file(path):
        raise TopologyError(f"{program} of {host}: there is no such file")
    module = importlib.util.module_from_spec(spec)
    # The module is registered for classes that are found through their module, such as dataclasses.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise TopologyError(f"{program} of {host}: {type(error).__name__}: {error}", file=path) from error
    kinds = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Callbacks) and Callbacks not in value.__bases__
    }
    if program.name not in kinds:
        classes = ", ".join(kinds) or "none"
        raise TopologyError(
            f'{path} has no class "{program.name}" derived from weir.HostProgram (there are: {classes})',
            suggestion=nearest(program.name, kinds),
        )
    try:
        return kinds[program.name]()
    except TypeError as error:
        raise TopologyError(f"{program} of {host} cannot be made without arguments: {error}") from None
