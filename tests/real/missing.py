"""Tests that a switch that cannot start says why and ends: interfaces that do not exist, addresses
in use. A second switch on an interface starts, and warns."""

import socket
import subprocess
import sys
from pathlib import Path

from real_network import switch

program = str(Path(__file__).parent / "ports.p4")
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
subprocess.run(["ip", "link", "add", "veth1", "type", "veth", "peer", "name", "veth2"], check=True)
for end in ("veth1", "veth2"):
    subprocess.run(["ip", "link", "set", end, "up"], check=True)
listener = socket.create_server(("127.0.0.1", 0))
used = f"127.0.0.1:{listener.getsockname()[1]}"
for interface, *more in (
    ["no-such"],
    ["vteh1", "--workers", "2"],
    ["vteh1,kind=ring"],
    ["veth1", "--metrics", used],
    ["veth1", "--p4runtime", used],
    ["veth1", "--metrics", "192.0.2.1:9100"],
):
    for name in (program, "router"):
        command = [sys.executable, "-m", "weir", "switch", name, "-i", f"1@{interface}", *more]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert ended.returncode == 1, ended.stderr
        print(ended.stderr.splitlines()[-1].replace(used, "USED").split("ERROR ")[1])
with switch(program, "-i", "1@veth1", "-i", "2@veth2"):
    # Both warn first; the switch ends because of the address, the link without commands.
    for words in (
        ["switch", program, "-i", "1@veth2", "--metrics", used],
        ["link", "veth1", "veth2", "--control"],
    ):
        command = [sys.executable, "-m", "weir", *words]
        ended = subprocess.run(command, input="", capture_output=True, text=True, timeout=60)
        print(
            *(
                line.split("WARN ")[1]
                for line in ended.stderr.splitlines()
                if "is also a port of another" in line
            ),
            sep="\n",
        )
