"""Real hosts send megabytes to each other through a switch that segments GSO frames."""

import hashlib
import re
import sys
from pathlib import Path

from real_network import Host, switch, wires

HERE = Path(__file__).parent
MEGABYTES = 64
MACS = {number: f"08:00:00:00:00:0{number}" for number in (1, 2)}

SEND = """
import hashlib, socket, sys
data = bytes(range(256)) * 4096
digest = hashlib.sha256()
with socket.create_connection(("10.0.0.2", 5000), timeout=30) as connection:
    for _ in range(int(sys.argv[1])):
        connection.sendall(data)
        digest.update(data)
print(digest.hexdigest())
"""
RECEIVE = """
import hashlib, socket
digest = hashlib.sha256()
with socket.create_server(("10.0.0.2", 5000)) as server:
    print("listening", flush=True)
    connection, _ = server.accept()
    connection.settimeout(30)
    while data := connection.recv(1 << 20):
        digest.update(data)
print(digest.hexdigest())
"""

wires(2)
ports = ["-i", "1@s1-eth1", "-i", "2@s1-eth2", "--metrics", "127.0.0.1:9100"]
with switch(
    str(HERE / "ports.p4"), *ports, "--entries", str(HERE / "entries.json"), *sys.argv[1:]
) as service:
    hosts = {
        number: Host(
            f"h{number}", f"10.0.0.{number}/24", MACS[number], {f"10.0.0.{3 - number}": MACS[3 - number]}
        )
        for number in (1, 2)
    }
    receiver = hosts[2].start(sys.executable, "-c", RECEIVE)
    assert receiver.stdout.readline() == "listening\n"
    sent = hosts[1].run(sys.executable, "-c", SEND, str(MEGABYTES), timeout=60)
    received, _ = receiver.communicate(timeout=30)
    assert (receiver.returncode, received) == (0, sent)
    for host in hosts.values():
        # A line of names and one of values for each protocol.
        text = host.run("cat", "/proc/net/snmp")
        names, values = re.findall(r"^Tcp: (.*)$", text, re.MULTILINE)
        counts = dict(zip(names.split(), map(int, values.split()), strict=True))
        assert counts["InCsumErrors"] == 0 and counts["InErrs"] == 0, counts
        host.close()
    service.stop()
print("done", hashlib.sha256(received.encode()).hexdigest()[:8])
