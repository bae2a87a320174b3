"""A network of Mininet with two of our switches: TCP between hosts, controllers, the end."""

import sys
from pathlib import Path

sys.path.append("/usr/lib/python3/dist-packages")

from mininet.log import setLogLevel
from mininet.net import Mininet
from mininet.topo import LinearTopo

from weir.errors import NetworkError
from weir.mininet import WeirSwitch

SERVER = """
import socket, sys
client, _ = socket.create_server((sys.argv[1], 5000)).accept()
client.sendall(client.recv(100).upper())
"""
CLIENT = """
import socket, sys, time
for _ in range(100):
    try:
        connection = socket.create_connection((sys.argv[1], 5000))
        break
    except ConnectionRefusedError:
        time.sleep(0.1)
connection.sendall(b"hello")
print(connection.recv(100).decode())
"""

setLogLevel("error")
program = Path(__file__).with_name("crossing.p4")
topology = LinearTopo(k=2, n=1, sopts={"p4": program})
for name in topology.switches():
    own = {"p4runtime": f"unix:{name}.sock", "log": f"{name}.log", "options": ["-v"]}
    topology.setNodeInfo(name, topology.nodeInfo(name) | own)
net = Mininet(topology, switch=WeirSwitch, controller=None, autoStaticArp=True, waitConnected=True)
net.start()
try:
    for name in ("s1", "s2"):
        switch = net.get(name)
        with switch.client() as client:
            assert client.tables == {}
        assert [intf.name for intf in switch.intfList()][1:] == [f"{name}-eth1", f"{name}-eth2"]
    one, two = net.get("h1"), net.get("h2")
    server = two.popen([sys.executable, "-c", SERVER, two.IP()])
    echoed = one.popen([sys.executable, "-c", CLIENT, two.IP()]).communicate(timeout=30)[0]
    server.wait(timeout=30)
    assert "ready" in Path("s1.log").read_text()
finally:
    net.stop()
assert not net.get("s1").connected()

try:
    Mininet(LinearTopo(k=1, sopts={"p4": "no-such.p4"}), switch=WeirSwitch, controller=None).start()
except NetworkError as error:
    assert "switch s1 does not start" in str(error) and "no-such.p4" in str(error), error
    print(echoed.decode(), end="")
