"""Tests a link between two interfaces, one of them in another namespace: which frames arrive, and
when."""

import json
import socket
import struct
import subprocess
import sys
import time

from real_network import PATIENCE, Host, Raw, ethernet, eventually, ip, wires

KIND = 0x88B5
"""A type of Ethernet frames for experiments (IEEE 802)."""


class Links:
    """A running ``weir link``."""

    def __init__(self, *options: str) -> None:
        command = [sys.executable, "-m", "weir", "link", "--control", *options]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        assert json.loads(self.process.stdout.readline()) == {"ready": 0}

    def ask(self, **command: object) -> dict[str, object]:
        """The answer to a command."""
        print(json.dumps(command), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def do(self, **command: object) -> None:
        """Sends a command, and checks that it succeeds."""
        answer = self.ask(**command)
        assert answer == {"ok": True}, answer

    def counts(self, direction: str) -> dict[str, int]:
        """The counts of one direction of the only link."""
        return self.ask(statistics=[])["statistics"][0][direction]

    def end(self) -> dict[str, object]:
        """Ends the process and returns its last output."""
        out, _ = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0
        return json.loads(out)


class Probe:
    """Sends numbered frames from one interface to another."""

    def __init__(self, source: str, target: Raw) -> None:
        self.source, self.target = Raw(source), target

    def send(self, count: int, pause: float = 0.0) -> None:
        for number in range(count):
            payload = struct.pack("!IQ", number, time.monotonic_ns()).ljust(50, b"\0")
            self.source.send(ethernet(1, KIND, payload))
            if pause:
                time.sleep(pause)

    def receive(self, count: int) -> list[tuple[int, int]]:
        """The frames in the order of arrival: the number of each, and the nanoseconds since it was
        sent."""
        arrived = []
        for _ in range(count):
            number, sent = struct.unpack_from("!IQ", self.target.receive(), 14)
            arrived.append((number, time.monotonic_ns() - sent))
        return arrived


wires(2)
links = Links("--seed", "3")
far = Host("s1-eth2", "192.0.2.1/32", "08:00:00:00:00:22", {})
# The new namespace has neighbour discovery of its own; tests count frames.
far.run("sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6")
names = {"interface": "s1-eth2", "netns": f"/proc/{far.process.pid}/ns/net"}
answer = links.ask(add={"name": "l", "a": "s1-eth1", "b": "nowhere"})
assert 'there is no interface "nowhere"; ' in answer["error"], answer
links.do(add={"name": "l", "a": "s1-eth1", "b": names, "delay": "3ms", "b_to_a": {"delay": "0ms"}})
probe, back = Probe("h1", Raw("h2")), Probe("h2", Raw("h1"))

# A delay: no frame is early, none is lost, all in their order.
probe.send(200, pause=0.0005)
arrived = probe.receive(200)
assert [number for number, _ in arrived] == list(range(200))
assert all(age >= 3_000_000 for _, age in arrived), min(age for _, age in arrived)
back.send(100)
assert [number for number, _ in back.receive(100)] == list(range(100))

# Loss by number: as many as a fixed seed gives, and within 5 standard deviations of a tenth.
links.do(change={"name": "l", "delay": "0ms", "a_to_b": {"loss": "10%"}})
probe.send(2000)
eventually(lambda: links.counts("a_to_b")["offered_packets"] == 2200)
eventually(lambda: links.counts("a_to_b")["waiting_packets"] == 0)
counts = links.counts("a_to_b")
lost = counts["dropped_loss"]
assert abs(lost - 200) < 5 * (2000 * 0.1 * 0.9) ** 0.5, lost
assert counts["delivered_packets"] == 2200 - lost and counts["dropped_output"] == 0, counts
numbers = [number for number, _ in probe.receive(2000 - lost)]
assert numbers == sorted(set(numbers)) and probe.target.is_quiet(0.05)

# The test can say which frames are lost, and duplicates follow at once.
links.do(change={"name": "l", "a_to_b": {"loss": {"Frames": {"numbers": [2, 3]}}, "duplicate": "100%"}})
probe.send(5)
assert [number for number, _ in probe.receive(6)] == [0, 0, 3, 3, 4, 4]

# Jitter above the distance between frames: they overtake each other if they may.
links.do(change={"name": "l", "loss": None, "duplicate": "0%", "jitter": "20ms", "overtake": True})
probe.send(100)
numbers = [number for number, _ in probe.receive(100)]
assert numbers != sorted(numbers) and sorted(numbers) == list(range(100))

# A flipped bit.
links.do(change={"name": "l", "jitter": None, "overtake": False, "corrupt": "100%"})
sent = ethernet(1, KIND, bytes(50))
probe.source.send(sent)
flipped = [a ^ b for a, b in zip(sent, probe.target.receive(), strict=True)]
assert sum(byte.bit_count() for byte in flipped) == 1

# Limits, and links that are down.
links.do(change={"name": "l", "corrupt": "0%", "delay": "50ms", "limit": "10p"})
probe.send(30)
eventually(lambda: links.counts("a_to_b")["dropped_limit"] == 20)
assert [number for number, _ in probe.receive(10)] == list(range(10))
before = links.counts("a_to_b")["dropped_down"]
links.do(change={"name": "l", "limit": "1000p", "delay": "10s"})
probe.send(4)
eventually(lambda: links.counts("a_to_b")["waiting_packets"] == 4)
links.do(change={"name": "l", "up": False})
probe.send(3)
eventually(lambda: links.counts("a_to_b")["dropped_down"] - before == 7)
links.do(change={"name": "l", "up": True, "delay": "0ms"})

# An interface that is down takes the link down; one that comes back is reused.
ip("link set s1-eth1 down")
before = links.counts("b_to_a")["offered_packets"]
ip("link delete s1-eth1", "link add h1 type veth peer name s1-eth1", "link set h1 up", "link set s1-eth1 up")
again = Probe("h1", probe.target)


def passes() -> bool:
    again.send(1)
    return not probe.target.is_quiet(0.05)


eventually(passes)

# A namespace that is deleted is gone at once, with its interfaces; a new one of its name is used.
subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)


def blue() -> None:
    # A veth pair between h3 here and far3 there.
    ip("netns add blue", "link add h3 type veth peer name far3 netns blue", "link set h3 up")
    up = "echo 1 > /proc/sys/net/ipv6/conf/far3/disable_ipv6; ip link set far3 up"
    subprocess.run(["nsenter", "--net=/run/netns/blue", "sh", "-c", up], check=True)


ip("link add h4 type veth peer name s1-eth4", "link set h4 up", "link set s1-eth4 up")
blue()
links.do(add={"name": "b", "a": "s1-eth4", "b": "far3@blue"})
crossing = Probe("h4", Raw("h3"))


def crosses() -> bool:
    crossing.send(1)
    return not crossing.target.is_quiet(0.05)


eventually(crosses)
ip("netns delete blue")
eventually(lambda: "h3" not in [name for _, name in socket.if_nameindex()])
blue()
crossing = Probe("h4", Raw("h3"))


def claims() -> int:
    sockets = ["nsenter", "--net=/run/netns/blue", "cat", "/proc/net/unix"]
    listed = subprocess.run(sockets, check=True, capture_output=True, text=True).stdout
    return listed.count("@weir/port/far3\n")


eventually(crosses)
# Another link or switch would learn of this one, until it is removed.
assert claims() == 1
links.do(remove="b")
eventually(lambda: claims() == 0)

# Mistakes change nothing and are explained.
for command, expected in [
    ({"change": {"name": "k"}}, "there is no link called k"),
    ({"change": {"name": "l", "delay": 5}}, 'did you mean "5ms"?'),
    ({"add": {"name": "l", "a": "h1", "b": "h2"}}, "there is already a link called l"),
    ({"chnage": {}}, 'did you mean "change"?'),
]:
    answer = links.ask(**command)
    assert expected in answer["error"], answer

final = links.end()["statistics"][0]
assert final["name"] == "l" and final["a_to_b"]["dropped_socket"] == 0, final
far.close()
print("done")
