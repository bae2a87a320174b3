"""An experiment about entries that packets add to a table.

Run it with `weir experiment run firewall.py`.
"""

from pathlib import Path

import weir

HERE = Path(__file__).parent


@weir.experiment(pause=["1s", "9s", "11s", "20s"])
def firewall(pause: str) -> dict[str, object]:
    """How long do packets from outside pass after a packet from inside?

    A ping from inside adds an entry. After a pause, a ping from outside finds the entry or not.
    """
    with weir.Network(HERE / "topology.json") as net:
        inside, outside = net.host("inside"), net.host("outside")
        inside.ping("outside", count=1)
        net.run_for(pause)
        entries = len(net.switch("nic").table("flows").entries())
        return {"entries": entries, "passed": outside.ping("inside", count=1).received}
