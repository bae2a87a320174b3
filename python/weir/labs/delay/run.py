"""Your own delay experiment: run it with `python run.py`, then change what you like.

It starts the network of topology.json with the program delay.p4, lets every packet recirculate X
times, and pings.
"""

from pathlib import Path

import weir

HERE = Path(__file__).parent
RECIRCULATIONS = (0, 1, 3, 7, 15)
RATE = None  # of both links, such as "1Mbit"; None is unlimited
PROFILE = "default"  # or "bmv2-vm", "bmv2-server"
PINGS = 100
SIZE = 1200  # data bytes in each ping


def main() -> None:
    """Prints a line for each number of recirculations."""
    print("   X  received    min (ms)    avg (ms)  TTL")
    for x in RECIRCULATIONS:
        with weir.Network.load(HERE / "topology.json", p4=HERE / "delay.p4", profile=PROFILE) as net:
            for link in net.links:
                link.rate = RATE
            net.switch("s1").table("recirculations").set_default("set_limit", {"x": x})
            pings = net.host("h1").ping("h2", count=PINGS, size=SIZE, interval="5s", timeout="60s")
        if pings.received == 0:
            print(f"{x:4}  {0:4}/{pings.sent}  no reply")
            continue
        ttl = min(reply.ttl for reply in pings.replies if reply.ttl is not None)
        times = f"{pings.rtt_min_ms:10.6f}  {pings.rtt_avg_ms:10.6f}"
        print(f"{x:4}  {pings.received:4}/{pings.sent}  {times}  {ttl:3}")


if __name__ == "__main__":
    try:
        main()
    except weir.WeirError as error:
        raise SystemExit(f"{error}") from None
