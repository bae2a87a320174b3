/*
 * learning.p4 - an Ethernet switch that learns where hosts are.
 *
 * The switch looks up the source address of each frame. If it does not know the address at this
 * port, it sends the controller a digest, and the controller adds entries to both tables. A frame
 * to an unknown address is flooded: a multicast group copies it to all ports, and egress drops the
 * copy for the port at which it arrived. Entries that are not used for a while are removed, so
 * that a host may move to another port.
 */

#include <core.p4>
#include <v1model.p4>

const bit<16> FLOOD_GROUP = 1;
const bit<32> CONTROLLER = 1;

typedef bit<48> mac_t;
typedef bit<9> port_t;

header ethernet_t {
    mac_t dstAddr;
    mac_t srcAddr;
    bit<16> etherType;
}

struct headers {
    ethernet_t ethernet;
}

struct metadata { }

// What the controller learns about a frame from a new address.
struct learn_t {
    mac_t srcAddr;
    port_t ingress_port;
}

parser MyParser(packet_in packet,
                out headers hdr,
                inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control MyVerifyChecksum(inout headers hdr, inout metadata meta) {
    apply { }
}

control MyIngress(inout headers hdr,
                  inout metadata meta,
                  inout standard_metadata_t standard_metadata) {
    action learn() {
        digest<learn_t>(CONTROLLER, { hdr.ethernet.srcAddr, standard_metadata.ingress_port });
    }

    // Known addresses at their ports. The control plane is notified of entries without use.
    table sources {
        key = {
            hdr.ethernet.srcAddr: exact;
            standard_metadata.ingress_port: exact;
        }
        actions = { NoAction; learn; }
        size = 1024;
        support_timeout = true;
        default_action = learn();
    }

    action forward(port_t port) {
        standard_metadata.egress_spec = port;
    }

    action flood() {
        standard_metadata.mcast_grp = FLOOD_GROUP;
    }

    table destinations {
        key = { hdr.ethernet.dstAddr: exact; }
        actions = { forward; flood; }
        size = 1024;
        default_action = flood();
    }

    apply {
        sources.apply();
        destinations.apply();
    }
}

control MyEgress(inout headers hdr,
                 inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    apply {
        if (standard_metadata.egress_port == standard_metadata.ingress_port) {
            mark_to_drop(standard_metadata);
        }
    }
}

control MyComputeChecksum(inout headers hdr, inout metadata meta) {
    apply { }
}

control MyDeparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(
    MyParser(),
    MyVerifyChecksum(),
    MyIngress(),
    MyEgress(),
    MyComputeChecksum(),
    MyDeparser()
) main;
