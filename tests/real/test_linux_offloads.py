"""Hosts of the Linux world send large frames, unless their offloads are off."""

from pathlib import Path

import pytest
from linux_networks import ROUTER, fill, two_hosts

import weir


@pytest.mark.parametrize("offloads", [True, False])
def test_hosts_without_offloads_send_frames_that_a_wire_could_carry(
    namespaces: list[str], tmp_path: Path, offloads: bool
) -> None:
    with weir.Network(two_hosts(rate="unlimited"), ROUTER, world="linux", offloads=offloads) as net:
        fill(net)
        capture = net.capture(tmp_path / "h1.pcapng", ["h1"], "tcp")
        assert net.host("h1").iperf("h2", size="2MB", interval=None).goodput_mbps > 0
        rows = weir._core.read_capture(str(capture.close()), 1 << 26)
    longest = max(len(frame) for _, frame in rows)
    assert (longest > 1514) == offloads, longest
