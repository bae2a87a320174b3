/*
 * aqm.p4 - a router with active queue management (AQM) in its egress.
 *
 * A full queue delays everyone. This program drops packets before the queue is full, by random
 * early detection on the waiting time: egress knows how long each packet has waited. Below `low`
 * nothing is dropped. From there on, the probability rises with the waiting time, up to 1/8 at
 * `high`; above `high` it is 1. If the sender uses ECN, packets are marked instead (RFC 3168).
 * The control plane sets both times by the default action of `aqm`.
 */

#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;

// The two bits of explicit congestion notification.
const bit<2> NOT_ECN_CAPABLE = 0;
const bit<2> CONGESTION_EXPERIENCED = 3;

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<9> port_t;
typedef bit<32> microseconds_t;

header ethernet_t {
    mac_t dstAddr;
    mac_t srcAddr;
    bit<16> etherType;
}

header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<6> dscp;
    bit<2> ecn;
    bit<16> totalLen;
    bit<16> identification;
    bit<3> flags;
    bit<13> fragOffset;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> hdrChecksum;
    ipv4_address_t srcAddr;
    ipv4_address_t dstAddr;
}

struct headers {
    ethernet_t ethernet;
    ipv4_t ipv4;
}

struct metadata { }

parser MyParser(packet_in packet,
                out headers hdr,
                inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.etherType) {
            TYPE_IPV4: parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control MyVerifyChecksum(inout headers hdr, inout metadata meta) {
    apply {
        verify_checksum(
            hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.totalLen,
              hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragOffset,
              hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.srcAddr, hdr.ipv4.dstAddr },
            hdr.ipv4.hdrChecksum,
            HashAlgorithm.csum16);
    }
}

control MyIngress(inout headers hdr,
                  inout metadata meta,
                  inout standard_metadata_t standard_metadata) {
    action drop() {
        mark_to_drop(standard_metadata);
    }

    action forward(mac_t dstAddr, port_t port) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.srcAddr = hdr.ethernet.dstAddr;
        hdr.ethernet.dstAddr = dstAddr;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    table routes {
        key = { hdr.ipv4.dstAddr: lpm; }
        actions = { forward; drop; }
        size = 1024;
        default_action = drop();
    }

    apply {
        if (hdr.ipv4.isValid() && standard_metadata.checksum_error == 0 && hdr.ipv4.ttl > 1) {
            routes.apply();
        } else {
            drop();
        }
    }
}

control MyEgress(inout headers hdr,
                 inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    counter(2, CounterType.packets) signals;  // 0: dropped, 1: marked

    microseconds_t low_time = 0;
    microseconds_t high_time = 0;

    action early_detection(microseconds_t low, microseconds_t high) {
        low_time = low;
        high_time = high;
    }

    table aqm {
        actions = { early_detection; NoAction; }
        default_action = NoAction();
    }

    action signal_congestion() {
        if (hdr.ipv4.ecn == NOT_ECN_CAPABLE) {
            signals.count(0);
            mark_to_drop(standard_metadata);
        } else {
            signals.count(1);
            hdr.ipv4.ecn = CONGESTION_EXPERIENCED;
        }
    }

    apply {
        microseconds_t waited = standard_metadata.deq_timedelta;
        aqm.apply();
        if (high_time != 0 && waited > high_time) {
            signal_congestion();
        } else if (high_time != 0 && waited > low_time) {
            // True with probability (waited - low) / (high - low) / 8.
            microseconds_t chance;
            random(chance, 32w0, high_time - low_time);
            if (chance < (waited - low_time) >> 3) {
                signal_congestion();
            }
        }
    }
}

control MyComputeChecksum(inout headers hdr, inout metadata meta) {
    apply {
        update_checksum(
            hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.totalLen,
              hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragOffset,
              hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.srcAddr, hdr.ipv4.dstAddr },
            hdr.ipv4.hdrChecksum,
            HashAlgorithm.csum16);
    }
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
