"""Open vSwitch, with its datapath in the kernel and in its own process."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import weir
from weir.errors import NetworkError

from ..network import CLIENT, PORTS, SERVER
from .kind import MissingSwitch, RunningSwitch, SwitchKind
from .starting import find, spawn, version

_SCHEMA: Final = "vswitch.ovsschema"
_TIMEOUT_S: Final = 5.0


def _start(datapath: str) -> Callable[[weir.Network, Path], RunningSwitch]:
    def start(net: weir.Network, folder: Path) -> RunningSwitch:
        if datapath == "system" and not Path("/sys/module/openvswitch").exists():
            raise MissingSwitch("the kernel's module openvswitch is not loaded")
        server, daemon, tool = find("ovsdb-server"), find("ovs-vswitchd"), find("ovsdb-tool")
        vsctl, ofctl = find("ovs-vsctl"), find("ovs-ofctl")
        schema = Path(os.environ.get("OVS_PKGDATADIR", "/usr/share/openvswitch")) / _SCHEMA
        if not schema.is_file():
            raise MissingSwitch(f"there is no {schema}")
        places = dict.fromkeys(("OVS_RUNDIR", "OVS_LOGDIR", "OVS_DBDIR", "OVS_SYSCONFDIR"), str(folder))
        remote = f"unix:{folder}/db.sock"
        base = folder / "conf.db"
        subprocess.run([tool, "create", base, schema], check=True, capture_output=True, timeout=20)
        spawn(
            net,
            [server, str(base), f"--remote=p{remote}", f"--unixctl={folder}/db.ctl"],
            folder / "db.log",
            **places,
        )
        _wait_for(folder / "db.sock")
        control = f"{vsctl} --db={remote} --timeout=5"
        _run(net, f"{control} --no-wait init", places)
        log = folder / "vswitchd.log"
        process = spawn(net, [daemon, remote, f"--unixctl={folder}/ovs.ctl"], log, **places)
        added = [f"add-br br0 -- set bridge br0 datapath_type={datapath} fail-mode=secure"]
        for number, port in enumerate(PORTS, 1):
            added.append(f"add-port br0 {port} -- set interface {port} ofport_request={number}")
        _run(net, f"{control} {' -- '.join(added)}", places)
        for number, (_, mac) in enumerate((CLIENT, SERVER), 1):
            _run(net, f"{ofctl} add-flow unix:{folder}/br0.mgmt dl_dst={mac},actions=output:{number}", places)
        return RunningSwitch([process], version(daemon, "--version"), log)

    return start


def _run(net: weir.Network, line: str, places: dict[str, str]) -> None:
    settings = " ".join(f"{name}={value}" for name, value in places.items())
    output = net.host("switch").cmd(f"env {settings} {line} || echo failed")
    if output.strip().endswith("failed"):
        raise NetworkError(f"Open vSwitch: {line}: {output.strip()}")


def _wait_for(path: Path) -> None:
    end = time.monotonic() + _TIMEOUT_S
    while not path.exists():
        if time.monotonic() > end:
            raise NetworkError("ovsdb-server does not start")
        time.sleep(0.01)


KINDS: Final[Sequence[SwitchKind]] = (
    SwitchKind(
        name="ovs-kernel",
        title="Open vSwitch (kernel)",
        place="kernel",
        model="softirq",
        install="apt install openvswitch-switch; modprobe openvswitch",
        start=_start("system"),
    ),
    SwitchKind(
        name="ovs-userspace",
        title="Open vSwitch (userspace)",
        place="userspace",
        model="run to completion",
        install="apt install openvswitch-switch",
        start=_start("netdev"),
        offloads=False,
    ),
)
