/*
 * target.p4 - an IPv4 router that delays chosen flows by a chosen time.
 *
 * The control plane sets the delay of a flow, known by its destination, in the table `delays`, at
 * any time. In one of two ways: by a number of recirculations, which it computes from the pass time
 * (calibration); or by a time in microseconds: then a packet recirculates until that long has passed
 * since its ingress time stamp.
 */

#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_UDP = 17;
const bit<8> KEPT_WHEN_RECIRCULATED = 1;
const bit<48> BUSY_US = 100000;  // so long after other traffic more is expected

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<9> port_t;

header ethernet_t {
    mac_t dstAddr;
    mac_t srcAddr;
    bit<16> etherType;
}

header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<8> diffserv;
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

header udp_t {
    bit<16> srcPort;
    bit<16> dstPort;
    bit<16> length_;
    bit<16> checksum;
}

struct headers {
    ethernet_t ethernet;
    ipv4_t ipv4;
    udp_t udp;
}

struct metadata {
    @field_list(KEPT_WHEN_RECIRCULATED)
    bit<32> passes;    // recirculations so far
    @field_list(KEPT_WHEN_RECIRCULATED)
    bit<48> arrival;   // when the first pass began, in us
    @field_list(KEPT_WHEN_RECIRCULATED)
    bit<48> previous;  // when the last pass ended, in us
    @field_list(KEPT_WHEN_RECIRCULATED)
    bit<48> onePass;   // how long the first pass took, in us
    mac_t nextHop;     // found by ingress again in every pass, written into the packet in the last
}

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
        transition select(hdr.ipv4.protocol, hdr.ipv4.fragOffset) {
            (PROTOCOL_UDP, 0): parse_udp;
            default: accept;
        }
    }

    state parse_udp {
        packet.extract(hdr.udp);
        transition accept;
    }
}

control MyVerifyChecksum(inout headers hdr, inout metadata meta) {
    apply {
        verify_checksum(
            hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.diffserv, hdr.ipv4.totalLen,
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

    action ipv4_forward(mac_t dstAddr, port_t port) {
        standard_metadata.egress_spec = port;
        meta.nextHop = dstAddr;
    }

    @route
    table ipv4_lpm {
        key = { hdr.ipv4.dstAddr: lpm; }
        actions = { ipv4_forward; drop; NoAction; }
        size = 1024;
        default_action = drop();
    }

    apply {
        // A recirculated packet arrives without metadata, so every pass looks up the route.
        // Packets with options, a wrong checksum or an expired TTL are dropped.
        if (hdr.ipv4.isValid() && hdr.ipv4.ihl == 5
                && standard_metadata.checksum_error == 0 && hdr.ipv4.ttl > 1) {
            ipv4_lpm.apply();
        } else {
            drop();
        }
    }
}

control MyEgress(inout headers hdr,
                 inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    bool again = false;
    counter(1, CounterType.packets) passes;
    register<bit<48>>(1) otherTraffic;  // when the last packet without a delay passed, in us

    action by_passes(bit<32> x) {
        again = meta.passes < x;
    }

    // Leaving now is early by what is left of the delay, and another loop takes about as long as the
    // last one: the packet stays if that brings it nearer. Next to other traffic any loop may be
    // longer by the pass of another packet, so it leaves when less than a pass is left: then it is
    // neither early nor late by more.
    action by_time(bit<48> delay_us) {
        bit<48> now = standard_metadata.egress_global_timestamp;
        bit<48> age = now - meta.arrival;
        bit<48> loop = now - meta.previous;
        bit<48> seen;
        otherTraffic.read(seen, 0);
        if (meta.passes == 0) {
            meta.onePass = loop;
        }
        if (seen != 0 && now - seen < BUSY_US && loop < meta.onePass << 1) {
            loop = meta.onePass << 1;
        }
        again = age < delay_us && ((delay_us - age) << 1) >= loop;
        meta.previous = now;
    }

    table delays {
        key = {
            hdr.ipv4.dstAddr: exact;
            hdr.udp.dstPort: exact;
        }
        actions = { by_passes; by_time; NoAction; }
        size = 1024;
        default_action = NoAction();
    }

    action set_source(mac_t srcAddr) {
        hdr.ethernet.srcAddr = srcAddr;
    }

    // The source MAC address of a routed packet is that of its egress port.
    table port_mac {
        key = { standard_metadata.egress_port: exact; }
        actions = { set_source; NoAction; }
        size = 64;
        default_action = NoAction();
    }

    apply {
        passes.count(0);
        if (meta.passes == 0) {
            meta.arrival = standard_metadata.ingress_global_timestamp;
            meta.previous = meta.arrival;
        }
        if (!hdr.udp.isValid() || !delays.apply().hit) {
            otherTraffic.write(0, standard_metadata.egress_global_timestamp);
        }
        if (again) {
            meta.passes = meta.passes + 1;
            recirculate_preserving_field_list(KEPT_WHEN_RECIRCULATED);
        } else {
            // The switch is one hop, however many passes: TTL and addresses change only once.
            hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
            hdr.ethernet.dstAddr = meta.nextHop;
            port_mac.apply();
        }
    }
}

control MyComputeChecksum(inout headers hdr, inout metadata meta) {
    apply {
        update_checksum(
            hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.diffserv, hdr.ipv4.totalLen,
              hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragOffset,
              hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.srcAddr, hdr.ipv4.dstAddr },
            hdr.ipv4.hdrChecksum,
            HashAlgorithm.csum16);
    }
}

control MyDeparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.udp);
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
