"""An experiment about a P4 program and flows that have two paths.

Run it with `weir experiment run paths.py`.
"""

from pathlib import Path

import weir

HERE = Path(__file__).parent


@weir.experiment(flows=[1, 2, 4, 8], seeds=10)
def paths(flows: int, seed: int) -> dict[str, object]:
    """How much do parallel TCP flows get out of two paths of 10 Mbit/s?

    The program spreads flows by a hash of their addresses and ports: flows with the same path share
    its rate. With two flows, half of the runs use only one path, so the mean is between 10 and 20.
    """
    with weir.Network(HERE / "topology.json", seed=seed) as net:
        # The ports, and so the hashes, depend on the seed.
        port = 1024 + seed % 50_000
        sent = net.host("h1").iperf("h2", parallel=flows, duration="2s", port=port)
        return {"goodput_mbps": sent.goodput_mbps}
