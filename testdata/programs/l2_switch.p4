// An Ethernet switch: exact match on the destination address, flooding through a multicast group, VLAN 1 only.
#include <core.p4>
#define V1MODEL_VERSION 20200408
#include <v1model.p4>

const bit<16> FLOOD_GROUP = 1;

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> ether_type;
}

struct headers {
    ethernet_t ethernet;
}

struct learn_t {
    bit<48>  address;
    PortId_t port;
}

struct metadata {
    learn_t learn;
}

parser SwitchParser(packet_in pkt, out headers hdr, inout metadata meta, inout standard_metadata_t std) {
    state start {
        pkt.extract(hdr.ethernet);
        transition accept;
    }
}

control NoVerify(inout headers hdr, inout metadata meta) {
    apply { }
}

control SwitchIngress(inout headers hdr, inout metadata meta, inout standard_metadata_t std) {
    counter<PortId_t>(512, CounterType.packets_and_bytes) received;

    action learn() {
        meta.learn = { hdr.ethernet.src, std.ingress_port };
        digest(1, meta.learn);
    }

    table sources {
        key = {
            hdr.ethernet.src: exact @name("source");
            std.ingress_port: exact @name("port");
        }
        actions = { learn; NoAction; }
        const default_action = learn;
        support_timeout = true;
        size = 4096;
    }

    action forward(PortId_t port) {
        std.egress_spec = port;
    }

    action flood() {
        std.mcast_grp = FLOOD_GROUP;
    }

    table destinations {
        key = { hdr.ethernet.dst: exact @name("destination"); }
        actions = { forward; flood; }
        default_action = flood();
        size = 4096;
    }

    apply {
        received.count(std.ingress_port);
        sources.apply();
        destinations.apply();
    }
}

control SwitchEgress(inout headers hdr, inout metadata meta, inout standard_metadata_t std) {
    apply {
        // A flooded packet does not go back where it came from.
        if (std.egress_port == std.ingress_port) {
            mark_to_drop(std);
        }
    }
}

control NoUpdate(inout headers hdr, inout metadata meta) {
    apply { }
}

control SwitchDeparser(packet_out pkt, in headers hdr) {
    apply { pkt.emit(hdr); }
}

V1Switch(SwitchParser(), NoVerify(), SwitchIngress(), SwitchEgress(), NoUpdate(), SwitchDeparser()) main;
