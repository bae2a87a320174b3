"""Two hosts, a Weir switch with FRR as its control plane, and two FRR routers; one link fails.

Run it as root, because FRR changes to a user of its own: `python network.py`. It needs Debian's
package `frr` and the module `pyroute2`.
"""

import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import weir

HERE = Path(__file__).parent
ROUTERS = {"c1": "10.0.0.1", "r2": "10.0.0.2", "r3": "10.0.0.3"}  # with their OSPF identifiers
PORTS = ["eth0=1", "eth1=2", "eth2=3"]  # the interfaces of c1, and the ports of s1 behind them
DAEMONS = Path("/usr/lib/frr")
PATIENCE_S = 60

INTERFACE = """\
interface eth{number}
 ip ospf network point-to-point
 ip ospf hello-interval 1
 ip ospf dead-interval 4
"""
OSPF = """\
router ospf
 ospf router-id {identifier}
 timers throttle spf 10 100 1000
 timers throttle lsa all 100
 timers lsa min-arrival 50
 network 10.0.0.0/16 area 0
"""


def start_router(net: weir.Network, name: str, identifier: str, folder: Path) -> None:
    """Starts FRR's zebra and ospfd on a host, with their files in a folder of their own."""
    net.host(name).cmd("sysctl -w net.ipv4.ip_forward=1")
    # FRR leaves folders here when it is killed, as the network does at its end.
    net.host(name).cmd("mkdir -p /var/tmp/frr && mount -t tmpfs -o mode=1777 tmpfs /var/tmp/frr")
    own = folder / name
    own.mkdir()
    (own / "zebra.conf").touch()
    interfaces = "".join(INTERFACE.format(number=number) for number in range(3))
    (own / "ospfd.conf").write_text(interfaces + OSPF.format(identifier=identifier))
    for file in (own, *own.iterdir()):
        shutil.chown(file, "frr", "frr")
    served = own / "zserv.api"  # where zebra serves ospfd
    for daemon in ("zebra", "ospfd"):
        command = [
            *(str(DAEMONS / daemon), "--config_file", str(own / f"{daemon}.conf")),
            *("--socket", str(served), "--pid_file", str(own / f"{daemon}.pid")),
            *("--vty_socket", str(own), "--vty_port", "0", "--log", "stdout"),
        ]
        start_logged(net, name, command, folder / f"{name}-{daemon}.log")
        wait_for(lambda: accepts(served), f"zebra of {name} does not start: {folder}")


def start_agent(net: weir.Network, folder: Path) -> None:
    """Starts the agent on c1. It reaches the switch over a Unix socket, so no network is needed."""
    command = [sys.executable, str(HERE / "agent.py"), net.switch("s1").p4runtime, *PORTS]
    start_logged(net, "c1", command, folder / "agent.log")


def start_logged(net: weir.Network, host: str, command: list[str], log: Path) -> None:
    """Starts a program on a host, with a file for its output."""
    with log.open("w") as file:
        net.host(host).popen(command, stdout=file, stderr=file)


def wait_for(condition: Callable[[], object], problem: str) -> float:
    """Waits until a condition is true, and returns the seconds that this took."""
    start = time.monotonic()
    while not condition():
        if time.monotonic() > start + PATIENCE_S:
            sys.exit(problem)
        time.sleep(0.05)
    return time.monotonic() - start


def accepts(path: Path) -> bool:
    """Returns whether a server accepts connections at a Unix socket."""
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(str(path)) == 0


def answered(net: weir.Network) -> bool:
    """Returns whether h2 answers a ping of h1."""
    return net.host("h1").ping("h2", count=1, timeout="200ms").received == 1


def route(net: weir.Network) -> weir.TableEntry | None:
    """Returns the entry for h2's network."""
    entries = net.switch("s1").table("routes").entries()
    return next((entry for entry in entries if entry.match["hdr.ipv4.dst"] == "10.0.2.0/24"), None)


def show(net: weir.Network, gateway: str) -> None:
    """Waits until h2's network is behind a gateway, and prints its entry and ten pings over it."""

    def ready() -> bool:
        entry = route(net)
        return entry is not None and entry.params["gateway"] == gateway and answered(net)

    seconds = wait_for(ready, f"h2 is not reached over {gateway}")
    before = route(net)
    received = net.host("h1").ping("h2", count=10, interval="20ms").received
    packets = route(net).packets - before.packets
    print(f"  {before.match['hdr.ipv4.dst']} -> {before.action} {before.params}, after {seconds:.1f} s")
    print(f"  10 pings: {received} answers, {packets} packets used this entry")


def main() -> None:
    """Shows the route of h2's network at the start, when a link fails, and when it is back."""
    with (
        tempfile.TemporaryDirectory() as temporary,
        weir.Network.load(HERE / "topology.json", world="linux") as net,
    ):
        folder = Path(*sys.argv[1:2] or [temporary])
        folder.chmod(0o755)  # FRR's user reads its files there.
        for router, identifier in ROUTERS.items():
            start_router(net, router, identifier, folder)
        start_agent(net, folder)
        print("FRR starts:")
        show(net, "10.0.12.2")
        print("The link between s1 and r2 fails:")
        net.link("s1", "r2").up = False
        show(net, "10.0.13.3")
        print("The link is back:")
        net.link("s1", "r2").up = True
        show(net, "10.0.12.2")


if __name__ == "__main__":
    main()
