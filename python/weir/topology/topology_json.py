"""Reads topology files: the p4lang tutorials' ``topology.json`` and p4-utils' ``p4app.json``."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path

from weir import _core, units
from weir._core import ProgramState
from weir.errors import TopologyError, shown
from weir.files import is_file
from weir.files.textfile import read_text
from weir.text.site import page
from weir.topology.host_spec import HostSpec, ProgramSpec
from weir.topology.link_spec import LinkSpec
from weir.topology.switch_spec import SwitchSpec

# This import is for type checkers only: the stub has names that the module lacks.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from weir._core import LinkState


def read(
    path: str | Path,
) -> tuple[dict[str, HostSpec], dict[str, SwitchSpec], list[LinkSpec], list[str], str | None]:
    """Reads a topology file: its hosts, switches, links and notes, and the name of the computer
    that all nodes share, if there is one; see :meth:`Topology.load`."""
    if not isinstance(path, (str, Path)):
        raise TopologyError(f"expected the name of a topology.json, found {shown(path)}")
    if Path(path).suffix == ".p4":
        raise TopologyError(
            f"{path} is a P4 program, not a topology: the topology comes first, as in "
            f'weir.Network("topology.json", p4="{path}") or weir run topology.json --p4 {path}'
        )
    text = read_text(path)
    if Path(path).suffix.lower() in (".yaml", ".yml"):
        raise TopologyError(_yaml_error(Path(path), text))
    if _is_containerlab(text):
        raise TopologyError(_containerlab_error(Path(path)))
    parts = _core.read_topology(str(path), text)
    hosts, switches = {}, {}
    for state in parts["hosts"]:
        host = hosts[state.name] = HostSpec._from_state(state)
        host.programs = [_program(Path(path).parent, program) for program in state.programs]
    for switch in parts["switches"]:
        switches[switch["name"]] = SwitchSpec(
            switch["name"],
            _path(switch["entries"]),
            _path(switch["p4"]),
            switch["profile"],
            switch["cpu_port"],
            _path(switch["commands"]),
            switch["queue_rate"],
            switch["queue_depth"],
            switch["priorities"],
        )
    links = [_link(link) for link in parts["links"]]
    return hosts, switches, links, parts["notes"], _computer(path, parts["computer"])


def _computer(path: str | Path, name: str | None) -> str | None:
    """Returns the name of a computer, or the path of a file that describes one."""
    file = None if name is None else Path(path).parent / name
    return str(file) if file is not None and file.suffix == ".json" and is_file(file) else name


def _yaml_error(path: Path, text: str) -> str:
    """Returns the error message for a topology in YAML."""
    if re.search(r"^topology:", text, re.MULTILINE) and re.search(r"^\s+nodes:", text, re.MULTILINE):
        return _containerlab_error(path)
    convert = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout, indent=2)"
    return (
        f"{path} is YAML, and Weir reads JSON with the same hosts, switches and links "
        f"({page('reference/topology')}). This converts it: python3 -c '{convert}' < {path} > "
        f"{path.with_suffix('.json')}"
    )


def _is_containerlab(text: str) -> bool:
    """Returns whether a JSON text is a topology of containerlab."""
    if '"nodes"' not in text:
        return False
    with suppress(ValueError, RecursionError):
        match json.loads(text):
            case {"topology": {"nodes": _}}:
                return True
    return False


def _containerlab_error(path: Path) -> str:
    return (
        f"{path} is a topology of containerlab, whose nodes are containers. Weir reads JSON with "
        "hosts, switches "
        'and links: {"hosts": {"h1": {"ip": "10.0.0.1/24"}}, "switches": {"s1": {}}, "links": [["h1", "s1-p1"]]}; '
        f"{page('reference/topology')} describes it"
    )


def _link(link: LinkState) -> LinkSpec:
    jitter, reorder = link["jitter_ns"], link["reorder"]
    return LinkSpec(
        link["a"],
        link["b"],
        link["rate_bps"],
        link["delay_ns"],
        link["loss"],
        jitter=None if jitter is None else f"{jitter}ns",
        overtake=link["overtake"],
        duplicate=link["duplicate"],
        corrupt=link["corrupt"],
        reorder=None if reorder is None else (units.format_share(reorder[0]), f"{reorder[1]}ns"),
        queue=link["queue"],
        mtu=link["mtu"],
        up=link["up"],
        tc=link["tc"],
    )


def _program(folder: Path, program: ProgramState) -> ProgramSpec:
    file, frames = program.file, program.frames
    existing = next(
        (place / file for place in (folder, folder.parent, Path()) if is_file(place / file)), None
    )
    receives = False if frames is None else frames or True
    return ProgramSpec(
        existing or folder / file, program.name, list(program.udp), list(program.tcp), receives
    )


def _path(name: str | None) -> Path | None:
    return None if name is None else Path(name)
