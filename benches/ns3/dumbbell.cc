// The dumbbell of `weir bench network` in ns-3: half of the hosts at each of two routers send TCP (CUBIC) to the others, links of 1 Gbit/s, 1 ms at the edges and
// 5 ms in the middle, queues of 1000 packets, flows that begin at random times within 100 ms and do not end. A frame that arrives at the other end of a link has
// made a hop. Its routers forward by ns-3's own tables, which is less work than a P4 program.

#include <chrono>
#include <cstdint>
#include <iostream>

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-layout-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

using namespace ns3;

static uint64_t hops = 0;

static void
Arrived(Ptr<const Packet>)
{
    ++hops;
}

int
main(int argc, char* argv[])
{
    uint32_t hosts = 20;
    double seconds = 5;
    uint32_t seed = 1;
    CommandLine line(__FILE__);
    line.AddValue("hosts", "how many, an even number", hosts);
    line.AddValue("seconds", "for how long, on this machine's clock, at least", seconds);
    line.AddValue("seed", "where randomness begins", seed);
    line.Parse(argc, argv);
    RngSeedManager::SetSeed(seed);

    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpCubic::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(6 << 20));
    Config::SetDefault("ns3::DropTailQueue<Packet>::MaxSize", StringValue("1000p"));

    PointToPointHelper edge;
    edge.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    edge.SetChannelAttribute("Delay", StringValue("1ms"));
    PointToPointHelper middle;
    middle.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    middle.SetChannelAttribute("Delay", StringValue("5ms"));
    uint32_t half = hosts / 2;
    PointToPointDumbbellHelper dumbbell(half, edge, half, edge, middle);
    InternetStackHelper stack;
    dumbbell.InstallStack(stack);
    dumbbell.AssignIpv4Addresses(Ipv4AddressHelper("10.1.0.0", "255.255.255.252"),
                                 Ipv4AddressHelper("10.2.0.0", "255.255.255.252"),
                                 Ipv4AddressHelper("10.3.0.0", "255.255.255.252"));
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    // Queues are the devices' own, as in Weir: no discipline above them.
    TrafficControlHelper control;
    for (NodeList::Iterator node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        for (uint32_t i = 0; i < (*node)->GetNDevices(); ++i)
        {
            Ptr<NetDevice> device = (*node)->GetDevice(i);
            if (!DynamicCast<PointToPointNetDevice>(device))
            {
                continue;
            }
            control.Uninstall(device);
            device->TraceConnectWithoutContext("PhyRxEnd", MakeCallback(&Arrived));
        }
    }

    Ptr<UniformRandomVariable> begin = CreateObject<UniformRandomVariable>();
    ApplicationContainer sinks;
    for (uint32_t i = 0; i < half; ++i)
    {
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 5201));
        sinks.Add(sink.Install(dumbbell.GetRight(i)));
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(dumbbell.GetRightIpv4Address(i), 5201));
        source.SetAttribute("MaxBytes", UintegerValue(0));
        source.SetAttribute("SendSize", UintegerValue(1448));
        source.Install(dumbbell.GetLeft(i)).Start(Seconds(begin->GetValue(0, 0.1)));
    }
    auto received = [&sinks] {
        uint64_t bytes = 0;
        for (uint32_t i = 0; i < sinks.GetN(); ++i)
        {
            bytes += DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx();
        }
        return bytes;
    };

    Simulator::Stop(Seconds(0.1));
    Simulator::Run();
    uint64_t hopsBefore = hops;
    uint64_t bytesBefore = received();
    double spent = 0;
    double passed = 0;
    const double slice = 0.05;
    auto from = std::chrono::steady_clock::now();
    while (spent < seconds)
    {
        Simulator::Stop(Seconds(slice));
        Simulator::Run();
        passed += slice;
        spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
    }
    uint64_t made = hops - hopsBefore;
    std::cout << "{\"packet_hops_per_second\": " << made / spent << ", \"hosts\": " << hosts << ", \"simulator\": \"ns-3\", \"hops\": " << made
              << ", \"virtual_seconds\": " << passed << ", \"seconds\": " << spent
              << ", \"goodput_bps\": " << (received() - bytesBefore) * 8 / passed << "}" << std::endl;
    Simulator::Destroy();
    return 0;
}
