"""Two hosts behind one public address use a server at the same time.

Run it with `python run.py`, or `python run.py picture.png` for the picture, which needs the extra
`lab`. After that, change what you like: the expiry of translations in nat.p4, the number of flows,
the hosts.
"""

import sys
from ipaddress import ip_address
from pathlib import Path

import weir

HERE = Path(__file__).parent
FIRST_PORT = 20000  # as in nat.p4


def main(plot: str | Path | None = None) -> None:
    """Prints what the server sees, the translations, and which hosts reach each other."""
    with weir.Network.load(HERE / "topology.json", seed=1) as net:
        h1, h2, server = net.host("h1"), net.host("h2"), net.host("server")
        sniffer = net.sniff("server", "src host 203.0.113.1 or src net 192.168.0.0/24")

        print("Both hosts ping the server, and send it data over TCP:")
        for host in (h1, h2):
            print(f"  {host.name}: {host.ping('server', count=3).received} of 3 replies")
        start = net.now_ns
        flows = {
            "h1": h1.start_iperf("server", duration="6s", interval="0.5s"),
            "h2": h2.start_iperf("server", duration="3s", interval="0.5s"),
        }
        net.wait(*flows.values())
        results = {name: flow.result() for name, flow in flows.items()}
        for name, result in results.items():
            print(f"  {name}: {result.bytes / 1e6:.2f} MB at {result.goodput_mbps:.2f} Mbit/s")

        addresses = {ip_address(frame.data[26:30]) for frame in sniffer.frames}
        print(f"\nThe server saw packets from {', '.join(map(str, sorted(addresses)))} only.")

        print("\nTranslations in the registers of s1:")
        for slot, address, port in translations(net.switch("s1")):
            print(f"  203.0.113.1:{FIRST_PORT + slot:<6} is {ip_address(address)}:{port}")

        print("\nNobody outside can start a conversation:")
        for target in ("203.0.113.1", "192.168.0.11"):
            print(f"  server to {target}: {server.ping(target, count=3).received} of 3 replies")
    if plot is not None:
        draw(results, start, plot)


def translations(switch: weir.Switch) -> list[tuple[int, int, int]]:
    """Reads the slots in use, each with the address and the port of the host behind the switch."""
    addresses = switch.register("owner_address").cells()
    ports = switch.register("owner_port").cells()
    return [
        (slot, address, port)
        for slot, (address, port) in enumerate(zip(addresses, ports, strict=True))
        if address
    ]


def draw(results: dict[str, weir.FlowResult], start_ns: int, file: str | Path) -> None:
    """Draws how the hosts share the link to the server."""
    from weir.report import axes, save_as

    with axes(height=3.4) as ax:
        for name, result in results.items():
            intervals = result.intervals
            times = [interval.end_s for interval in intervals]
            ax.plot(times, [interval.goodput_bps / 1e6 for interval in intervals], ".-", label=name)
        ax.set_xlabel("time in s")
        ax.set_ylabel("goodput in Mbit/s")
        ax.set_ylim(bottom=0)
        ax.legend()
        print(f"\npicture: {save_as(ax, Path(file))}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
