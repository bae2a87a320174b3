"""Queues of ``weir switch`` with rates and queueing disciplines from the command line."""

import urllib.request
from pathlib import Path

from real_network import Raw, ethernet, metric, switch, wires

HERE = Path(__file__).parent
COUNT = 40
wires(2)
line = [str(HERE / "ports.p4"), "-i", "1@s1-eth1", "-i", "2@s1-eth2"]
line += ["--entries", str(HERE / "entries.json"), "--metrics", "127.0.0.1:9100"]
line += ["--queue-rate", "2=50pps", "--qdisc", "2=pfifo limit 6"]
one, two = Raw("h1"), Raw("h2")

with switch(*line):
    frames = [ethernet(2, 0x0800, bytes([number]) * 100) for number in range(COUNT)]
    for frame in frames:
        one.send(frame)
    received = [two.receive() for _ in range(7)]
    assert received[0] == frames[0]
    while not two.is_quiet(0.5):
        # Frames that came after others had left.
        received.append(b"")
    assert 7 <= len(received) < COUNT, len(received)
    with urllib.request.urlopen("http://127.0.0.1:9100/metrics", timeout=20) as answer:
        text = answer.read().decode()
    drops = metric(text, "weir_dropped_packets_total", place="queue 2", reason="queue full")
    assert drops == COUNT - len(received), (drops, len(received))
    # The other direction has no rate.
    back = [ethernet(1, 0x0800, bytes([number]) * 100) for number in range(COUNT)]
    for frame in back:
        two.send(frame)
    assert [one.receive() for _ in back] == back
print("done")
