"""Sends with the kernel's TCP through a link with a queueing discipline: length of the queue,
marks."""

import json
import subprocess
import sys

from real_network import PATIENCE, Host, wires

BYTES = 4_000_000
"""At 16 Mbit/s they take two seconds."""
SEND = f"""
import socket
with socket.create_connection(("10.0.0.2", 5000), timeout=30) as connection:
    connection.sendall(bytes({BYTES}))
    connection.shutdown(socket.SHUT_WR)
    assert connection.recv(1) == b""
"""
RECEIVE = """
import socket
with socket.create_server(("10.0.0.2", 5000)) as server:
    print("listening", flush=True)
    connection, _ = server.accept()
    connection.settimeout(30)
    total = 0
    while data := connection.recv(1 << 20):
        total += len(data)
print(total)
"""
# Reno has no other signal of a queue than losses and marks.
SETTINGS = "cd /proc/sys/net/ipv4; echo reno > tcp_congestion_control; echo 1 > tcp_ecn"
MACS = {number: f"08:00:00:00:00:0{number}" for number in (1, 2)}

wires(2)
hosts = [
    Host(f"h{number}", f"10.0.0.{number}/24", MACS[number], {f"10.0.0.{3 - number}": MACS[3 - number]})
    for number in (1, 2)
]
for host in hosts:
    host.run("sh", "-c", SETTINGS)
pipe = subprocess.PIPE
command = [sys.executable, "-m", "weir", "link", "--control"]
links = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
assert json.loads(links.stdout.readline()) == {"ready": 0}


def ask(**command: object) -> dict[str, object]:
    """The answer of the link's process to a command."""
    print(json.dumps(command), file=links.stdin, flush=True)
    return json.loads(links.stdout.readline())


def transfer(qdisc: object) -> tuple[float, dict[str, object]]:
    """Sends bytes through a queue; returns the mean number of waiting frames, and the counts."""
    ends = {"name": "l", "a": "s1-eth1", "b": "s1-eth2", "rate": "16Mbit", "delay": "2ms"}
    assert ask(add={**ends, "qdisc": qdisc}) == {"ok": True}
    receiver = hosts[1].start(sys.executable, "-c", RECEIVE)
    assert receiver.stdout.readline() == "listening\n"
    sender = hosts[0].start(sys.executable, "-c", SEND)
    waiting = []
    while sender.poll() is None:
        waiting.append(ask(statistics=[])["statistics"][0]["a_to_b"]["waiting_packets"])
    assert sender.returncode == 0
    assert receiver.communicate(timeout=PATIENCE)[0] == f"{BYTES}\n"
    counts = ask(statistics=[])["statistics"][0]["a_to_b"]
    assert ask(remove="l") == {"ok": True}
    return sum(waiting) / len(waiting), counts


fifo, counts = transfer(None)
assert (counts["queue"], counts["marked"], counts["dropped_queue"]) == (None, 0, 0), counts
for qdisc in (
    "codel ecn",
    ["handle 1: tbf rate 12mbit burst 3000 limit 90000", "qdisc add parent 1: fq_codel"],
):
    mean, counts = transfer(qdisc)
    queue = counts["queue"]
    assert mean < fifo / 3, (qdisc, mean, fifo, counts)
    assert counts["marked"] == queue["marked_packets"] > 0, counts
    # ECN-capable packets are marked; only a connection's first and last ones may be dropped.
    assert counts["dropped_queue"] == sum(queue["drops"].values()) <= 3, counts
    assert counts["dropped_limit"] == 0 and queue["packets"] == 0, counts
    assert queue["sent_packets"] == counts["delivered_packets"] + counts["waiting_packets"], counts
answer = ask(add={"name": "l", "a": "s1-eth1", "b": "s1-eth2", "rate": "16Mbit", "qdisc": "fq_codl"})
assert 'did you mean "fq_codel"?' in answer["error"], answer
links.communicate(timeout=PATIENCE)
assert links.returncode == 0
for host in hosts:
    host.close()
print("done")
