"""Runs the cells with one flow in ns-3 (`pip install ns3`), one per process.

The environment variable `NS3_PYTHON` names the Python that has ns-3, if it is not this one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from cells import CONTROLS, FRAME, MBIT, Cell, one_flow

# A frame of ns-3's point-to-point links: an IP packet of 1500 bytes and 2 bytes of PPP.
PPP_FRAME = 1502
TYPES = dict(zip(CONTROLS, ("ns3::TcpLinuxReno", "ns3::TcpCubic", "ns3::TcpBbr"), strict=True))
SAMPLE_S = 0.00097

# ns-3 does not count retransmissions.
COUNTER = """
namespace peer {
uint64_t highest = 0, again = 0;
void sent(ns3::Ptr<const ns3::Packet> packet, const ns3::TcpHeader& header,
          ns3::Ptr<const ns3::TcpSocketBase>)
{
    uint64_t start = header.GetSequenceNumber().GetValue();
    if (!packet->GetSize())
        return;
    if (start < highest)
        again++;
    else
        highest = start + packet->GetSize();
}
void watch(ns3::Ptr<ns3::Application> application)
{
    auto sender = ns3::DynamicCast<ns3::BulkSendApplication>(application);
    sender->GetSocket()->TraceConnectWithoutContext("Tx", ns3::MakeCallback(&sent));
}
}
"""


def cell(cell: Cell, seed: int) -> dict[str, Any]:
    """Goodput in Mbit/s, the queue, and retransmissions of a cell with one flow."""
    python = os.environ.get("NS3_PYTHON", sys.executable)
    command = [python, __file__, cell.name, str(seed)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    figures: dict[str, Any] = json.loads(output.splitlines()[-1])
    return figures


def simulate(cell: Cell, seed: int) -> dict[str, Any]:
    """Simulates a cell in this process, which can do so only once."""
    import cppyy
    from ns import ns

    cppyy.cppdef(COUNTER)
    flow = cell.flows[0]
    ns.RngSeedManager.SetRun(seed)
    settings = {
        "ns3::TcpL4Protocol::SocketType": ns.TypeIdValue(ns.TypeId.LookupByName(TYPES[flow.congestion])),
        "ns3::TcpSocket::SegmentSize": ns.UintegerValue(1448),
        "ns3::TcpSocket::SndBufSize": ns.UintegerValue(16 << 20),
        "ns3::TcpSocket::RcvBufSize": ns.UintegerValue(16 << 20),
        "ns3::TcpSocket::DelAckTimeout": ns.TimeValue(ns.MilliSeconds(40)),
        "ns3::TcpSocketBase::MinRto": ns.TimeValue(ns.MilliSeconds(200)),
    }
    for name, value in settings.items():
        ns.Config.SetDefault(name, value)
    nodes = ns.NodeContainer()
    nodes.Create(4)
    ns.InternetStackHelper().Install(nodes)
    rate = cell.rate * PPP_FRAME / FRAME
    links = (("100Gbps", 0.0), (f"{rate:.0f}bps", 0.0), ("100Gbps", cell.rtts[0] / 2))
    addresses, control = ns.Ipv4AddressHelper(), ns.TrafficControlHelper()
    for number, (speed, delay_ms) in enumerate(links):
        link = ns.PointToPointHelper()
        link.SetDeviceAttribute("DataRate", ns.StringValue(speed))
        link.SetChannelAttribute("Delay", ns.StringValue(f"{delay_ms}ms"))
        size = cell.limit if number == 1 else 1_000_000
        link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", ns.StringValue(f"{size}p"))
        devices = link.Install(nodes.Get(number), nodes.Get(number + 1))
        addresses.SetBase(ns.Ipv4Address(f"10.0.{number}.0"), ns.Ipv4Mask("255.255.255.0"))
        interfaces = addresses.Assign(devices)
        control.Uninstall(devices)
        if number == 1:
            queue = devices.Get(0).GetObject[ns.PointToPointNetDevice]().GetQueue()
    ns.Ipv4GlobalRoutingHelper.PopulateRoutingTables()
    to = ns.InetSocketAddress(interfaces.GetAddress(1), 5201).ConvertTo()
    sink = ns.PacketSinkHelper("ns3::TcpSocketFactory", to).Install(nodes.Get(3)).Get(0)
    sender = ns.BulkSendHelper("ns3::TcpSocketFactory", to)
    sender.SetAttribute("SendSize", ns.UintegerValue(1448))
    sending = sender.Install(nodes.Get(0))
    sending.Start(ns.Seconds(0))
    watched = False
    waiting, times, before, enqueued = [], 0, 0, 0
    received = sink.GetObject[ns.PacketSink]()
    while times * SAMPLE_S < cell.high:
        ns.Simulator.Stop(ns.Seconds(SAMPLE_S))
        ns.Simulator.Run()
        times += 1
        if not watched:
            cppyy.gbl.peer.watch(sending.Get(0))
            watched = True
        if times * SAMPLE_S < cell.low:
            before, enqueued = received.GetTotalRx(), queue.GetTotalReceivedPackets()
        else:
            waiting.append(queue.GetNPackets())
    seconds = cell.high - cell.low
    goodput = (received.GetTotalRx() - before) * 8 / seconds / 1e6
    entered = queue.GetTotalReceivedPackets() - enqueued
    mean = sum(waiting) / len(waiting)
    return {
        "goodput": [goodput],
        "retransmits": [int(cppyy.gbl.peer.again)],
        "queue_ms": 1000 * mean * seconds / max(1, entered),
    }


if __name__ == "__main__":
    speed, rtt, queue_size, congestion = sys.argv[1].split()
    wanted = one_flow(float(speed) * MBIT, float(rtt), float(queue_size), congestion)
    print(json.dumps(simulate(wanted, int(sys.argv[2]))))
